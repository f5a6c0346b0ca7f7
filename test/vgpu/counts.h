/*
 * What each op asks of the machine, in numbers that do not depend on which machine it is: taken as virtual
 * time comes to the op (replay.h), and written as JSON where VGPU_COUNTS=FILE asks for it, in the order of
 * issue:
 *
 *   {"version": 1, "ops": [{"kind": "kernel", "name": "_Z4blurPfPKf", "occurrence": 0, "grid": [512, 1, 1],
 *     "block": [256, 1, 1], "shared": 0, "blocks": 512, "work": ..., "singles": ..., "doubles": ..., "read":
 * ..., "written": ..., "bytes": 0, "moved": 0, "faults": 0}, ...]}
 *
 * An op's kind is kernel, copy, set or prefetch, its name a kernel's mangled name or the API function that
 * asked for it, and its occurrence how many ops of that kind and name came before it. Prefetches also have
 * the number of the allocation that they move, and are counted by that: host threads that each fetch what is
 * theirs may come in any order. Other ops ask for nothing.
 */
#ifndef KESCO_TEST_VGPU_COUNTS_H
#define KESCO_TEST_VGPU_COUNTS_H

#include "test/vgpu/op.h"

/* Which op of a program it is. */
struct op_identity {
    const char *kind, *name;
    size_t allocation; /* number, of a prefetch's memory; else 0 */
    size_t occurrence;
};

/* False for ops that ask for nothing. */
bool counts_identify(const struct op *op, struct op_identity *identity);

/* The names and places of the fields of struct op_counts. */
enum { COUNT_FIELDS = 9 };
extern const struct count_field {
    const char *name;
    size_t offset; /* in struct op_counts, of a uint64_t */
} count_fields[COUNT_FIELDS];

uint64_t *counts_field(struct op_counts *counts, const struct count_field *field);

/*
 * Settles the counts of an op that has run, once: those of kernels, and the pages that it moves, are known;
 * this adds the others, extrapolates (extrapolation.h), and notes the result for VGPU_COUNTS.
 */
void counts_settle(struct op *op);

/* Writes VGPU_COUNTS's file, if there is one. */
void counts_write(void);

#endif
