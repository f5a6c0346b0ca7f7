/*
 * How much of a region is still to come, where the loops around it say how often they go round. A function
 * may be called again, and its loops with it: that shows once they have begun more than once.
 */
#ifndef KESCO_RUNTIME_REGION_OUTLOOK_H
#define KESCO_RUNTIME_REGION_OUTLOOK_H

#include "runtime/kesco_abi.h"

#include <stdbool.h>

enum kesco_outlook {
    KESCO_OUTLOOK_UNKNOWN,
    KESCO_OUTLOOK_LEAST, /* it may be more */
    KESCO_OUTLOOK_ALL,   /* as far as is known */
};

/* `to_come` is how much comes of what has come to `so_far`, within that `duration` in nanoseconds, at the
 * same rate. 0: only what is counted by passes of the region's own is known. */
enum kesco_outlook kesco_outlook_of(const struct kesco_region *region, int64_t so_far, uint64_t duration,
                                    int64_t *to_come);

#endif
