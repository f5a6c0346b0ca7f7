#include "runtime/region/allocation.h"
#include "runtime/region/region.h"

#include <stddef.h>

/*
 * Placing is of no use where of so many ops all but one in APART_OF come one after the other, or where lanes
 * have not paid for so many.
 */
enum { ENOUGH_OPS = 64, APART_OF = 16, MANY_OPS = 512 };

/* Nothing is to be known of the region's ops any more. */
static bool goes_to_origin(const struct kesco_region_state *region) {
    return region->way.serial && !region->way.slow && !region->replaying.may_replay && !region->host.alone;
}

/* Ops of a region that takes too short for lanes, until that is tried again: at first, and doubled so often.
 */
enum { REST_OPS = 512, MOST_DOUBLINGS = 6 };

static void rest(struct kesco_region_state *region) {
    struct kesco_placed_ops *placement = &region->placement;

    placement->rest.ops = (uint32_t)REST_OPS << placement->rest.times;
    if (placement->rest.times < MOST_DOUBLINGS)
        placement->rest.times++;
}

void kesco_region_rest(struct kesco_region_state *region, const char *reason) {
    if (!region->way.undecided)
        return;
    kesco_region_stay_serial(region, reason);
    rest(region);
}

void kesco_region_forget_placed(struct kesco_region_state *region) {
    struct kesco_placing *placing = &region->placement.placing;
    const uint32_t placed = placing->placed, ordered = placing->ordered, depth = placing->chains.depth;

    kesco_placing_clear(placing, region->opened.asked->lanes);
    placing->placed = placed;
    placing->ordered = ordered;
    placing->chains.depth = depth;
}

/* What was before is all on the origin, after which lanes begin. */
static void place_again(struct kesco_region_state *region) {
    kesco_region_end_replay(region);
    region->replaying.may_replay = false;
    kesco_region_forget_placed(region);
    region->placement.rest.lost = region->placement.placing.placed;
    kesco_governor_look_again(&region->governing.governor);
    region->way.undecided = region->governing.governor.counts;
    kesco_region_note_slow(region);
}

/* What takes so many times as long is another kind of ops. */
enum { MUCH_LONGER = 8 };

/* By estimates; 0: nobody knows. */
static uint64_t find_length(const struct kesco_site *site, uint64_t amount) {
    uint64_t share;

    return amount == KESCO_AMOUNT_UNKNOWN ? 0 : kesco_governor_estimate(site, amount, &share);
}

/* An op less, of that length. Graphs that are launched meanwhile are better than lanes. */
static void end_rest(struct kesco_region_state *region, uint64_t length) {
    struct kesco_placed_rest *rested = &region->placement.rest;
    const bool is_longer = rested->longest > 0 && length > MUCH_LONGER * rested->longest;

    if (!is_longer && --rested->ops > 0)
        return;
    if (!is_longer && region->replaying.replay != NULL && kesco_replay_goes_on(region->replaying.replay)) {
        rest(region);
        return;
    }
    rested->ops = 0;
    rested->longest = 0;
    place_again(region);
}

static void note_length(struct kesco_region_state *region, uint64_t length) {
    if (length > region->placement.rest.longest)
        region->placement.rest.longest = length;
}

void *__kesco1_op(const struct kesco_site *site, uint64_t amount) {
    struct kesco_region_state *region = &kesco_thread_region;

    region->host.lent.first = region->host.lent.idle;
    region->host.lent.idle = region->host.quiet = false;
    if (region->placement.rest.ops > 0 && region->way.open)
        end_rest(region, find_length(site, amount));
    region->placement.begun = region->way.open && !goes_to_origin(region);
    if (!region->placement.begun)
        return region->opened.origin;
    region->placement.site = site;
    region->placement.amount = amount;
    region->placement.to_fetch_count = 0;
    region->placement.places = !region->way.serial || region->governing.governor.counts;
    if (region->placement.places && region->way.serial)
        note_length(region, find_length(site, amount));
    kesco_placing_begin(&region->placement.placing);
    return region->opened.origin;
}

/* The allocation that `pointer` leads into, of which those met last are not asked for again; else all memory.
 */
static struct kesco_allocation find_allocation(struct kesco_region_state *region, const void *pointer) {
    const uintptr_t address = (uintptr_t)pointer;
    struct kesco_allocation *known = region->placement.allocations;
    uint32_t i;

    for (i = 0; i < KESCO_PLACED_ALLOCATIONS; i++)
        if (known[i].begin <= address && address < known[i].end)
            return known[i];
    known += region->placement.next_allocation++ % KESCO_PLACED_ALLOCATIONS;
    if (kesco_allocation_find(pointer, known))
        return *known;
    *known = (struct kesco_allocation){0, 0};
    return (struct kesco_allocation){0, UINTPTR_MAX};
}

void kesco_region_tell_all(struct kesco_region_state *region, uint32_t flags, const void *pointer) {
    const struct kesco_allocation all = find_allocation(region, pointer);

    kesco_placing_add(&region->placement.placing,
                      (struct kesco_access){
                          .begin = all.begin, .end = all.end, .writes = (flags & KESCO_GUARD_WRITES) != 0});
}

/* What the first of so many ops take is counted, where it is not always. */
enum { COUNTED_OF = 1024 };

/* The region may be open for long, and what ops take may change. */
static void look_again(struct kesco_region_state *region) {
    if (region->way.serial || region->governing.governor.counts ||
        region->placement.placing.placed % COUNTED_OF != COUNTED_OF - 1)
        return;
    kesco_governor_look_again(&region->governing.governor);
    kesco_region_note_slow(region);
}

/* The op's lane waits for what the op has to come after. */
static uint32_t choose_lane(struct kesco_region_state *region) {
    const struct kesco_placement placement = kesco_placing_end(&region->placement.placing);
    uint32_t left;

    look_again(region);
    for (left = placement.records; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        __kesco1_record(lane, lane);
    }
    for (left = placement.waits; left != 0; left &= left - 1)
        __kesco1_wait((uint32_t)__builtin_ctz(left), placement.lane);
    if (placement.gathers)
        __kesco1_record(placement.lane, placement.lane);
    if (!region->way.serial && !kesco_lanes_are_captured(&region->lanes))
        kesco_width_note(&region->placement.width, &region->placement.placing, &placement, &region->lanes);
    return placement.lane;
}

/* Openings until placing is tried again. */
enum { REST = 1024 };

bool kesco_region_is_chained(const struct kesco_region *asked) {
    struct kesco_history *history = asked->history;

    if (!asked->placed || history == NULL || __atomic_load_n(&history->chained, __ATOMIC_RELAXED) == 0)
        return false;
    if (__atomic_add_fetch(&history->chained, 1, __ATOMIC_RELAXED) < REST)
        return true;
    __atomic_store_n(&history->chained, 0, __ATOMIC_RELAXED);
    return false;
}

/* Placing has been of no use: the ops wait for each other; or take too short for lanes. */
static bool is_chain(uint32_t placed, uint32_t apart) {
    return placed >= ENOUGH_OPS && apart < placed / APART_OF;
}

static bool is_short(const struct kesco_region_state *region, uint32_t placed) {
    return region->way.serial && placed - region->placement.rest.lost >= MANY_OPS;
}

/* Where some of its ops were worth lanes, the next time some may be again. */
static void note_chain(const struct kesco_region_state *region) {
    struct kesco_history *history = region->opened.asked->history;

    if (history == NULL || region->governing.governor.on_lanes)
        return;
    __atomic_store_n(&history->chained, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&history->placed, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&history->apart, 0, __ATOMIC_RELAXED);
}

void kesco_region_end_placing(struct kesco_region_state *region) {
    struct kesco_history *history = region->opened.asked->history;
    const struct kesco_placing *placing = &region->placement.placing;
    uint32_t placed, apart;

    region->watch.run.placed = placing->placed;
    region->watch.run.ordered = placing->ordered;
    if (history == NULL || placing->placed == 0 || __atomic_load_n(&history->chained, __ATOMIC_RELAXED) != 0)
        return;
    placed = __atomic_add_fetch(&history->placed, placing->placed, __ATOMIC_RELAXED);
    apart = __atomic_add_fetch(&history->apart, placing->placed - placing->chains.depth, __ATOMIC_RELAXED);
    if (is_chain(placed, apart) ||
        (is_short(region, placed) && !kesco_governor_may_pay(region->opened.asked)))
        note_chain(region);
}

/* The host waits for the op: lanes that begin with it come after all that there is, and save nothing. What
 * that wait takes shows what the ops before are worth. */
static bool is_awaited(const struct kesco_region_state *region) {
    const struct kesco_site *site = region->placement.site;

    return kesco_region_is_shared(region) && site != NULL &&
           (site->unit == KESCO_UNIT_TO_DEVICE || site->unit == KESCO_UNIT_TO_HOST);
}

void *__kesco1_place(void) {
    struct kesco_region_state *region = &kesco_thread_region;
    const struct kesco_placing *placing = &region->placement.placing;
    uint32_t lane = 0;
    void *stream;

    if (!region->placement.begun)
        return region->opened.origin;
    region->placement.begun = false;
    if (region->placement.places && is_chain(placing->placed, placing->placed - placing->chains.depth)) {
        note_chain(region);
        kesco_region_stay_serial(region, "its ops have to wait for each other");
    } else if (region->placement.places && is_short(region, placing->placed) &&
               !kesco_governor_is_on_the_way(&region->governing.governor)) {
        kesco_region_rest(region, "its ops take too short for lanes");
    } else if (region->placement.places) {
        lane = choose_lane(region);
    }
    if (is_awaited(region))
        region->way.stays = region->way.undecided || region->way.fenced;
    stream = __kesco1_lane(lane, region->placement.site, region->placement.amount);
    if (region->placement.to_fetch_count > 0)
        kesco_region_fetch_for_placed(region);
    return stream;
}
