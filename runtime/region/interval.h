/*
 * What a region takes from one wait of the host for all that it has to the next, by the clock, beside what
 * the serial program was estimated to take for it: so lanes can be held against the one stream while the
 * region is open, whatever ops come. Times are nanoseconds.
 */
#ifndef KESCO_RUNTIME_REGION_INTERVAL_H
#define KESCO_RUNTIME_REGION_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

enum { KESCO_INTERVAL_WAITING = 5000 }; /* a wait for nothing */

struct kesco_interval {
    uint64_t raw;       /* what its ops were taken for, unscaled, */
    uint64_t copied;    /* and its copies of that */
    uint64_t estimated; /* what the serial program takes, */
    uint64_t expected;  /* and what was to be waited for; 0: that is not known */
    uint64_t issued;    /* the host takes so long to issue them */
    uint64_t took;      /* by the clock, */
    uint64_t waited;    /* of which the host has waited so long */
    bool has_lanes;
    bool is_mixed;  /* lanes have come or gone meanwhile, or more was under way than its ops */
    bool may_fault; /* or ops have waited for pages of managed memory, which lanes do not shorten */
};

/* Intervals of one kind: what they took, and what for, in a measure that is the same whatever estimates are
 * found to be worth meanwhile. */
struct kesco_interval_sum {
    uint32_t count;
    double took, raw;
};

struct kesco_intervals {
    struct kesco_interval_sum serial, lanes;
};

void kesco_intervals_add(struct kesco_intervals *intervals, const struct kesco_interval *interval);

/* What was found is no more so. */
void kesco_intervals_forget(struct kesco_intervals *intervals);

/* What its kernels were taken for, unscaled. */
static inline uint64_t kesco_interval_kernels(const struct kesco_interval *interval) {
    return interval->raw - interval->copied;
}

/* How long kernels took at least, which were taken for `kernels` when the interval was estimated: the host
 * waited so long for them, or all that was estimated ended so much later, though it did nothing else. 0:
 * nothing can be said. */
uint64_t kesco_interval_least(const struct kesco_interval *interval, uint64_t kernels);

/* True if there are enough to say that lanes are slower. */
bool kesco_intervals_are_lanes_slower(const struct kesco_intervals *intervals);

#endif
