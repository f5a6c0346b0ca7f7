/*
 * How long fetches, or an op with them, take on their stream: timing events around them (CUDA Runtime API,
 * cudaEventElapsedTime), made at first need and kept. Nothing waits for them: they are read later. Functions
 * here leave an error of CUDA's, to be taken back.
 */
#ifndef KESCO_RUNTIME_REGION_FETCH_CLOCK_H
#define KESCO_RUNTIME_REGION_FETCH_CLOCK_H

#include "runtime/witness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum { KESCO_FETCH_SPANS = 2 };

struct kesco_fetch_clock {
    cudaEvent_t marks[KESCO_FETCH_SPANS + 1]; /* NULL: none */
    cudaStream_t stream;                      /* that they are recorded on */
    uint32_t spans;                           /* asked for; 0: nothing is timed */
    uint32_t ended;                           /* of them */
    struct kesco_witness witness;             /* of the marks' device */
};

enum kesco_fetch_reading { KESCO_FETCH_FAILED, KESCO_FETCH_PENDING, KESCO_FETCH_READ };

/* Begins the first of so many spans, one after the other. False: nothing is timed. */
bool kesco_fetch_clock_begin(struct kesco_fetch_clock *clock, uint32_t spans, cudaStream_t stream);

/* True if a span has begun, and not ended. */
bool kesco_fetch_clock_runs(const struct kesco_fetch_clock *clock);

/* Ends a span, if one has begun. */
void kesco_fetch_clock_mark(struct kesco_fetch_clock *clock);

/* Nothing is timed any more. */
void kesco_fetch_clock_stop(struct kesco_fetch_clock *clock);

/* Stores how long the spans took, in nanoseconds, once they are all done; or nothing. */
enum kesco_fetch_reading kesco_fetch_clock_read(const struct kesco_fetch_clock *clock, double *durations);

#endif
