/*
 * Fetches of large memory for an op on a lane that has something to do already: on a stream beside the lanes,
 * so that the memory comes over while the lane works, and the op waits for that.
 */
#ifndef KESCO_RUNTIME_REGION_FETCH_AHEAD_H
#define KESCO_RUNTIME_REGION_FETCH_AHEAD_H

#include "runtime/region/lanes.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct kesco_fetch_ahead {
    cudaStream_t stream; /* non-blocking, with nothing but fetches */
    cudaEvent_t arrived;
};

/* Finds them for open lanes, which are not captured. False: there are none. Called with no error pending, and
 * leaves none. */
bool kesco_fetch_ahead_find(const struct kesco_lanes *lanes, struct kesco_fetch_ahead *ahead);

/* What comes next on `stream` waits for what has been fetched. */
void kesco_fetch_ahead_await(const struct kesco_fetch_ahead *ahead, cudaStream_t stream);

#endif
