/*
 * How long a device takes for what an opening of a region issues, by its own clock: timing events on the
 * region's origin, before and after all of it (CUDA Runtime API, cudaEventElapsedTime). They are read at a
 * later opening, so nothing waits for them. CUDA's last error stays as it is; where one is pending, or CUDA
 * refuses, nothing is timed.
 */
#ifndef KESCO_RUNTIME_REGION_SPAN_H
#define KESCO_RUNTIME_REGION_SPAN_H

#include "runtime/witness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum kesco_span_state { KESCO_SPAN_NONE, KESCO_SPAN_BEGUN, KESCO_SPAN_ENDED };

struct kesco_span {
    enum kesco_span_state state;
    cudaEvent_t begin, end;       /* made at first need, and kept; NULL: there are none */
    struct kesco_witness witness; /* of their device */
};

/* Begins after all that `origin` has so far, where nothing was begun. True if it has. */
bool kesco_span_begin(struct kesco_span *span, cudaStream_t origin);

/* What has begun ends after all that `origin` has so far. */
void kesco_span_end(struct kesco_span *span, cudaStream_t origin);

/* The host waits for that. */
void kesco_span_await(const struct kesco_span *span);

/* What has begun does not end. */
void kesco_span_give_up(struct kesco_span *span);

/* True if all that came before what has begun is done. Nothing has begun then; nor where nobody can tell. */
bool kesco_span_was_idle(struct kesco_span *span);

/* Reads what has ended, once. In nanoseconds; 0: it is not done yet, or not known. */
uint64_t kesco_span_read(struct kesco_span *span);

#endif
