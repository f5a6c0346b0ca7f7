/* Prints races for people. */
#ifndef KESCO_TEST_VGPU_RACE_REPORT_H
#define KESCO_TEST_VGPU_RACE_REPORT_H

#include "test/vgpu/memory.h"

/* A pair of ops, not ordered, that both touch bytes first to last of an allocation, one of them writing. */
struct race {
    const struct op *a, *b;
    bool a_writes, b_writes;
    const struct allocation *allocation;
    size_t first, last; /* the outermost such bytes */
};

/* Counts the race, and prints it if it is among the first RACE_REPORT_LIMIT. */
enum { RACE_REPORT_LIMIT = 100 };
void race_report(const struct race *race);

/* Prints which allocation it is: its size, where it lies, and who made it. */
void race_report_allocation(const struct allocation *allocation);

/* Counts and prints, as a race, that the host or a host function touches managed memory while a kernel may
 * run. */
void race_report_managed(const struct op *op, const struct allocation *allocation, uint32_t kind,
                         const struct op *kernel);

/* Prints that the host touches device memory. */
void race_report_host_fault(const struct allocation *allocation, const struct site *site, uint32_t kind);

/* Prints that the running kernel left its allocations. */
void race_report_outside(const struct op *op, const void *address, size_t size, uint32_t kind);

/* Prints that the running kernel touches another device's memory without peer access. */
void race_report_out_of_reach(const struct op *op, const struct allocation *allocation);

#endif
