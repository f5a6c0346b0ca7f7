/*
 * The device's own times of ops, from CUPTI's activity records where it is there: libcupti of the CUDA
 * version that this was built with, opened at run time, in a process that uses NVIDIA's driver; else what the
 * process has, as the virtual GPU's. An op is what a thread issues between kesco_activity_push and
 * kesco_activity_pop (CUPTI, "External Correlation"), so that its records are found without a mark on its
 * stream.
 */
#ifndef KESCO_RUNTIME_WATCH_ACTIVITY_H
#define KESCO_RUNTIME_WATCH_ACTIVITY_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that ran and was no op's. */
struct kesco_activity_other {
    const struct kesco_site *site; /* its kind, and the name of a kernel; it stays */
    uint32_t device, stream;       /* as CUPTI numbers them */
    double begin, end;             /* in microseconds */
};

/* How often what ran outside of what is pushed. */
struct kesco_activity_counts {
    uint64_t kernels, copies, memsets;
};

/* Starts to collect records, at the first call, with the driver's context made. False: CUPTI is not to be
 * had; then nothing else here is to be called. */
bool kesco_activity_start(void);

/* What the calling thread issues from here on is of the op `id`, or of KESCO_ACTIVITY_REGION, a region; and
 * here it ends. Ops are within regions. */
#define KESCO_ACTIVITY_REGION UINT64_MAX
void kesco_activity_push(uint64_t id);
void kesco_activity_pop(void);

/* The time on the clock that ops are timed by, in microseconds since the start. */
double kesco_activity_now(void);

/* Collects all records of what is done: before the first kesco_activity_find, and after the last op. */
void kesco_activity_finish(void);

/* Gives when the first of the op's records began and the last of them ended, in microseconds. False: it has
 * none. */
bool kesco_activity_find(uint64_t id, double *begin, double *end);

/* Gives what ran since the start and none of the ops that have been found issued, by device and stream, and
 * there as it began; to be freed. NULL: there is nothing, or no memory. */
struct kesco_activity_other *kesco_activity_others(size_t *count);

/* Counts what ran since the start and neither an op nor a region issued. */
struct kesco_activity_counts kesco_activity_count_outside(void);

#endif
