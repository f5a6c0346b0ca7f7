#include "runtime/region/interval.h"

enum {
    ENOUGH = 3,     /* intervals of a kind that say which one is clearly slower, */
    MANY = 8,       /* and which one is slower at all: */
    CLEARLY = 8,    /* by more than this part, */
    MARGIN = 48,    /* and by more than that one */
    MOST = 16,      /* intervals; then older ones count less */
    COPIES = 4,     /* how many times longer copies may take than they are taken for */
    LEAST_PART = 2, /* of what was waited for, kernels are to be more than this part */
    LEISURE = 4, /* a host that takes longer by this part than ops take to issue does something else, too */
};

static void add(struct kesco_interval_sum *sum, const struct kesco_interval *interval) {
    sum->count++;
    sum->took += (double)interval->took;
    sum->raw += (double)interval->raw;
    if (sum->count < MOST)
        return;
    *sum = (struct kesco_interval_sum){sum->count / 2, sum->took / 2, sum->raw / 2};
}

void kesco_intervals_add(struct kesco_intervals *intervals, const struct kesco_interval *interval) {
    if (interval->raw > 0 && !interval->is_mixed)
        add(interval->has_lanes ? &intervals->lanes : &intervals->serial, interval);
}

void kesco_intervals_forget(struct kesco_intervals *intervals) {
    *intervals = (struct kesco_intervals){0};
}

/* The host did nothing else until it waited. */
static bool has_only_issued(const struct kesco_interval *interval) {
    return interval->took - interval->waited <= interval->issued + interval->issued / LEISURE;
}

uint64_t kesco_interval_least(const struct kesco_interval *interval, uint64_t kernels) {
    const uint64_t others = KESCO_INTERVAL_WAITING + COPIES * interval->copied;
    uint64_t least;

    if (interval->has_lanes || interval->waited <= others || LEAST_PART * interval->copied >= interval->raw)
        return 0;
    least = interval->waited - others;
    if (has_only_issued(interval) && kernels + interval->took > interval->estimated + others + least)
        least = kernels + interval->took - interval->estimated - others;
    return least;
}

/* True if `one` takes more for the same than `other`. */
static bool is_slower(const struct kesco_interval_sum *one, const struct kesco_interval_sum *other) {
    const uint32_t count = one->count < other->count ? one->count : other->count;

    if (count < ENOUGH)
        return false;
    return one->took / one->raw > other->took / other->raw * (1 + 1.0 / (count < MANY ? CLEARLY : MARGIN));
}

bool kesco_intervals_are_lanes_slower(const struct kesco_intervals *intervals) {
    return is_slower(&intervals->lanes, &intervals->serial);
}
