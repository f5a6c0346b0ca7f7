/*
 * VGPU_CHECK=races: finds two ops that touch one byte, one of them writing (an atomic counts as a write),
 * with nothing of CUDA's rules between them (vector_clock.h). Which order the ops happened to run in plays no
 * part.
 *
 * While an op runs, its accesses are collected per allocation, one bit per byte. When it ends they are
 * compared with those of the ops before it. An older access is forgotten once an ordered later one covers it:
 * whatever races with the older races with the later, too. Without the variable, nothing is recorded.
 *
 * What a kernel did is also held against its access summary, where it has one (summary_check.h).
 */
#ifndef KESCO_TEST_VGPU_RACE_H
#define KESCO_TEST_VGPU_RACE_H

#include "test/vgpu/memory.h"
#include "test/vgpu/op.h"

enum { RACE_WORD = 64 }; /* bytes of an allocation that a word of a bitmap covers */

/* What one op did to one allocation. */
struct race_record {
    struct op *op;            /* holds a reference */
    struct op_list reported;  /* by race_touch_beside: ops that it was found to race with */
    uint64_t *reads, *writes; /* one bit per byte, from `first_word` on; an atomic access is both */
    size_t first_word, words; /* RACE_WORD bytes of the allocation each */
    struct race_record *next; /* in the allocation's history */
};

/* Begins and ends the recording of an op. Ops other than host functions run one at a time. */
void race_begin(struct op *op);
void race_end(void);

/* The running op touches a range; what lies in no allocation is ignored. `kind` is a VGPU_ access kind. */
void race_touch(const void *address, size_t size, uint32_t kind);

/*
 * An op that runs beside others, the host itself or a host function, touches a range. It is compared with the
 * ops before it at once, and kept for those that have not run. Each pair of ops is reported once.
 */
void race_touch_beside(struct op *op, struct allocation *allocation, const char *address, size_t size,
                       uint32_t kind);

/* The allocation is about to go. */
void race_forget(struct allocation *allocation);

/* Bytes of an allocation become new memory: who touched them before does not count. */
void race_forget_range(struct allocation *allocation, size_t offset, size_t size);

/* Forgets ops that the host has waited for: all that is issued from now on comes after them. */
void race_forget_known(void);

#endif
