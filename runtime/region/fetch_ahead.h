/*
 * Fetches of large memory for an op on a lane that has something to do already: on a stream beside the lanes,
 * so that the memory comes over while the lane works, and the op waits for that. A region that has one lane
 * is known to have something to do on it where CUDA says so.
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

/* True if `stream` has something to do. Called with no error pending, and leaves none. */
bool kesco_fetch_ahead_is_wanted(cudaStream_t stream);

/*
 * Finds them for `region`, whose one lane is its origin, where what is made for that is not too much for the
 * time that the program has run. `is_made`: the calling thread's; false at first. Errors as above.
 */
bool kesco_fetch_ahead_find_alone(const struct kesco_region *region, bool *is_made,
                                  struct kesco_fetch_ahead *ahead);

/* What comes next on `stream` waits for what has been fetched. */
void kesco_fetch_ahead_await(const struct kesco_fetch_ahead *ahead, cudaStream_t stream);

#endif
