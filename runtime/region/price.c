#include "runtime/region/price.h"

#include "runtime/region/cost.h"
#include "runtime/region/lanes.h"

#include <stdatomic.h>

/* Streams and events that regions have by now: the most that one has asked for. */
static atomic_uint streams_made, events_made;

/* Branches that graphs have had by now, at most. */
static atomic_uint branches_made = 1;

/* How many events lanes need: theirs, one for each to be joined by, and one for what they come after. */
static uint32_t count_events(const struct kesco_region *region, uint32_t lanes) {
    return kesco_lanes_events(region, lanes) + lanes + 1;
}

/* What it would cost to make those that are missing. */
static uint64_t price_of_making(uint32_t needed, const atomic_uint *made, enum kesco_cost each) {
    const uint32_t there = atomic_load_explicit(made, memory_order_relaxed);

    return needed > there ? (needed - there) * kesco_cost(each) : 0;
}

int64_t kesco_price_of_streams(const struct kesco_region *region) {
    const uint32_t lanes = kesco_lanes_first(region);

    return (int64_t)(price_of_making(lanes, &streams_made, KESCO_COST_STREAM) +
                     price_of_making(count_events(region, lanes), &events_made, KESCO_COST_EVENT));
}

static void note_made(atomic_uint *made, uint32_t needed) {
    unsigned there = atomic_load_explicit(made, memory_order_relaxed);

    while (there < needed && !atomic_compare_exchange_weak_explicit(
                                 made, &there, needed, memory_order_relaxed, memory_order_relaxed))
        ;
}

void kesco_price_note_made(const struct kesco_region *region) {
    const uint32_t lanes = kesco_lanes_first(region);

    note_made(&streams_made, lanes);
    note_made(&events_made, count_events(region, lanes));
}

int64_t kesco_price_of_branches(uint32_t branches) {
    return (int64_t)price_of_making(branches, &branches_made, KESCO_COST_GRAPH_BRANCH);
}

bool kesco_price_note_branches(uint32_t branches, uint64_t took) {
    const uint32_t there = atomic_load_explicit(&branches_made, memory_order_relaxed);

    if (branches <= there)
        return false;
    kesco_cost_note_some(KESCO_COST_GRAPH_BRANCH, branches - there, took, 0);
    note_made(&branches_made, branches);
    return true;
}
