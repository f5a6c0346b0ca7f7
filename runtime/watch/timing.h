/*
 * The times of a serial region's ops on its origin, for KESCO_PROFILE: two timing events around each (CUDA
 * Runtime API, cudaEventElapsedTime), read when the region ends. The program sees nothing of them: CUDA's
 * last error stays as it is, and an op that cannot be timed is not counted.
 *
 * Reading waits, because the program may reset the device after the region. Ops may be waiting for the host
 * in their turn, so waiting has an end (kesco_call_wait_patiently); what is not done then is read at the end
 * of the process, if it is done then.
 */
#ifndef KESCO_RUNTIME_WATCH_TIMING_H
#define KESCO_RUNTIME_WATCH_TIMING_H

#include "runtime/kesco_abi.h"
#include "runtime/witness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* An op between its events. */
struct kesco_timing {
    struct kesco_timing *next; /* in a list, the later one */
    const struct kesco_site *site;
    cudaEvent_t start, end;
    struct kesco_witness witness; /* of their device */
    bool exact;                   /* the op was not done yet when the event after it was recorded */
};

/* The ops of one region that have been timed and not read yet. */
struct kesco_timings {
    struct kesco_timing *first, *last; /* in the order of the origin; NULL: there is none */
    struct kesco_timing *open;         /* the op whose end is still to be recorded; NULL: there is none */
    uint32_t count;                    /* in the list */
    cudaStream_t origin;
    struct kesco_witness witness; /* of its device */
};

/*
 * Gets ready to time ops on `origin`. False where that cannot be: an error is pending, or the origin is being
 * captured.
 */
bool kesco_timings_open(struct kesco_timings *timings, cudaStream_t origin);

/* The op of `site` is next on the origin. NULL: an op that is not known is not timed. */
void kesco_timings_begin(struct kesco_timings *timings, const struct kesco_site *site);

/* The op begun last, if any, is on the origin now, or has failed. */
void kesco_timings_end(struct kesco_timings *timings);

/* Reads them all. */
void kesco_timings_close(struct kesco_timings *timings);

/* Reads what earlier closes had to leave, of all threads. */
void kesco_timings_read_late(void);

#endif
