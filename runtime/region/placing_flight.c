#include "runtime/region/placing_flight.h"

#include <string.h>

/* Moves the ranges that are not forgotten to the first slots. */
static void pack(struct kesco_placing *placing) {
    uint32_t kept = 0, i;

    for (i = 0; i < placing->flight.range_count; i++)
        if (placing->ranges[placing->flight.first + i].op != 0)
            placing->ranges[kept++] = placing->ranges[placing->flight.first + i];
    placing->flight.first = placing->flight.forgotten = 0;
    placing->flight.range_count = kept;
}

void kesco_placing_drop_forgotten(struct kesco_placing *placing) {
    while (placing->flight.forgotten > 0 && placing->ranges[placing->flight.first].op == 0) {
        placing->flight.first++;
        placing->flight.range_count--;
        placing->flight.forgotten--;
    }
    if (placing->flight.forgotten > placing->flight.range_count / 2)
        pack(placing);
}

static void join(struct kesco_placed_range *all, const struct kesco_placed_range *range) {
    if (all->op == 0) {
        *all = *range;
        return;
    }
    if (all->access.begin > range->access.begin)
        all->access.begin = range->access.begin;
    if (all->access.end < range->access.end)
        all->access.end = range->access.end;
    all->access.distance = all->access.planes.distance = 0;
    if (all->op < range->op)
        all->op = range->op;
}

/* The first `count` ranges become one for each lane and kind of access. */
static void join_older(struct kesco_placing *placing, uint32_t count) {
    struct kesco_placed_range joined[KESCO_PLACED_LANES][2] = {0};
    uint32_t kept = 0, i;

    for (i = 0; i < count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        join(&joined[range->lane][range->access.writes], range);
        if (placing->had.joined[range->lane] < range->op)
            placing->had.joined[range->lane] = range->op;
    }
    for (i = 0; i < placing->among.lanes * 2; i++)
        if (joined[i / 2][i % 2].op != 0)
            placing->ranges[kept++] = joined[i / 2][i % 2];
    for (i = count; i < placing->flight.range_count; i++)
        placing->ranges[kept++] = placing->ranges[i];
    placing->flight.range_count = kept;
}

/* By lane, the last of its ops that what the lanes in use have next comes after. */
static void find_after_on_all(const struct kesco_placing *placing, uint32_t result[KESCO_PLACED_LANES]) {
    uint32_t lane, on;

    memcpy(result, placing->clocks.after[0], sizeof placing->clocks.after[0]);
    for (lane = 1; lane < placing->among.width; lane++)
        for (on = 0; on < KESCO_PLACED_LANES; on++)
            if (result[on] > placing->clocks.after[lane][on])
                result[on] = placing->clocks.after[lane][on];
}

void kesco_placing_make_room(struct kesco_placing *placing) {
    uint32_t after[KESCO_PLACED_LANES], kept = 0, i;

    if (placing->flight.first + placing->flight.range_count + placing->access_count > KESCO_PLACED_SLOTS)
        pack(placing);
    if (placing->flight.range_count - placing->flight.forgotten + placing->access_count <=
        KESCO_PLACED_RANGES)
        return;
    pack(placing);
    find_after_on_all(placing, after);
    for (i = 0; i < placing->flight.range_count; i++) {
        const struct kesco_placed_range *range = &placing->ranges[i];

        if (range->op > after[range->lane])
            placing->ranges[kept++] = *range;
        else if (placing->had.dropped[range->lane] < range->op)
            placing->had.dropped[range->lane] = range->op;
    }
    placing->flight.range_count = kept;
    if (kept <= KESCO_PLACED_RANGES / 2)
        return;
    join_older(placing, kept - KESCO_PLACED_RANGES / 4);
}
