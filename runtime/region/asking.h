/*
 * What the device is asked where estimates say that passes of a chain are behind the host (judge.h): at the
 * begin of a pass an event is recorded. If what was before is done by the end of the pass, the device waits
 * for the host; else another event tells how long the pass takes the device, which is read later. Estimates
 * of the region's ops follow that.
 */
#ifndef KESCO_RUNTIME_REGION_ASKING_H
#define KESCO_RUNTIME_REGION_ASKING_H

#include "runtime/region/paths.h"
#include "runtime/region/span.h"

/* All zero: nothing is asked. */
struct kesco_asking {
    struct kesco_span span; /* of a pass, on the region's origin */
    uint64_t device;        /* the forecast's line when it began; then the nanoseconds expected of the pass */
};

/* The region is opened: no pass has begun. */
void kesco_asking_open(struct kesco_asking *asking);

/* A pass begins on `origin`, which is put off or not. What was asked before, `judge` is told, and what is
 * known of `paths` counts from now on. */
void kesco_asking_begin_pass(struct kesco_asking *asking, struct kesco_judge *judge,
                             struct kesco_paths *paths, cudaStream_t origin, bool is_put_off);

#endif
