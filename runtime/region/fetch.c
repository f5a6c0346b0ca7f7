#include "runtime/region/region.h"

#include "runtime/call.h"
#include "runtime/region/fetch_ahead.h"

#include <stddef.h>

/* Not where the region stays serial, nor where it is captured. */
static bool may_fetch(const struct kesco_region_state *region) {
    if (region->governing.governor.way.captured)
        return false;
    return region->way.undecided || region->fetching.fetches ||
           (!region->way.serial && !kesco_lanes_are_captured(&region->lanes));
}

/* The device that the region's memory is fetched to, where it may be. False: it is not known. */
static bool find_device(const struct kesco_region_state *region, int *device) {
    cudaError_t before;

    if (!region->way.undecided && !region->fetching.fetches) {
        *device = region->lanes.pool->device;
        return true;
    }
    before = cudaPeekAtLastError();
    if (cudaGetDevice(device) == cudaSuccess)
        return true;
    kesco_call_take_back(before);
    return false;
}

void __kesco1_prefetch(uint32_t lane, const void *pointer) {
    struct kesco_region_state *region = &kesco_thread_region;
    int device;

    (void)lane;
    if (!may_fetch(region) || !find_device(region, &device))
        return;
    kesco_prefetch_to_device(&region->fetching.prefetch, pointer, device, region->op.stream);
    if (region->way.watched)
        kesco_watch_begin_again(&region->watch);
}

/* Less than that comes over in some 20 or 40 microseconds, which may be too little to gain. */
#define AHEAD ((uint64_t)2 << 20)

/* True if the op's lane has something to do, as far as is known. */
static bool is_lane_used(const struct kesco_region_state *region) {
    return region->op.lane == KESCO_LANE_ORIGIN ? kesco_lanes_are_used(&region->lanes)
                                                : region->op.lane != region->fetching.first;
}

/* What others have given the origin may yet fill the memory, as host functions do: so it has to have had
 * nothing when the region was opened, which is asked from the next time on. */
static bool goes_ahead_of_origin(struct kesco_region_state *region, const struct kesco_fetched_entry *entry,
                                 struct kesco_fetch_ahead *ahead) {
    struct kesco_region_fetching *fetching = &region->fetching;

    if (entry->sure == 0 || !kesco_fetch_ahead_is_wanted(region->op.stream))
        return false;
    fetching->asks = true;
    return fetching->began_idle &&
           kesco_fetch_ahead_find_alone(region->opened.asked, &fetching->has_beside, ahead);
}

/* True if there is something to fetch on beside the op's stream, which has something to do that the fetch
 * need not come behind. */
static bool goes_ahead(struct kesco_region_state *region, const struct kesco_fetched_entry *entry,
                       struct kesco_fetch_ahead *ahead) {
    const struct kesco_region_way *way = &region->way;

    if (way->undecided || entry->size < AHEAD || entry->idle > 0 || kesco_fetched_wants_proof(entry))
        return false;
    if (region->fetching.fetches)
        return goes_ahead_of_origin(region, entry, ahead);
    return !way->serial && is_lane_used(region) && kesco_fetch_ahead_find(&region->lanes, ahead);
}

/* Nothing is asked of CUDA where nothing is to be fetched. */
static void fetch(struct kesco_region_state *region, struct kesco_use use) {
    struct kesco_fetch_ahead ahead;
    struct kesco_to_fetch what = {.use = use};
    struct kesco_fetched_entry *entry;

    what.use.region = region->opened.asked;
    entry = may_fetch(region) ? kesco_prefetch_find(&region->fetching.prefetch, &what) : NULL;
    if (entry == NULL || !find_device(region, &what.device))
        return;
    what.op_is_next = region->replaying.replay == NULL || !region->replaying.put_off;
    if (goes_ahead(region, entry, &ahead)) {
        what.op_is_next = false;
        kesco_prefetch_decide(&region->fetching.prefetch, entry, &what, ahead.stream);
        kesco_fetch_ahead_await(&ahead, region->op.stream);
    } else {
        kesco_prefetch_decide(&region->fetching.prefetch, entry, &what, region->op.stream);
    }
    if (kesco_fetch_clock_runs(&region->fetching.prefetch.fetched.clock))
        region->way.slow = true; /* so that the next call ends the op */
    if (region->way.watched)
        kesco_watch_begin_again(&region->watch);
}

/* What an op uses that is not placed yet is fetched once it is, where it is. */
static void fetch_on(uint32_t lane, struct kesco_use use) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (lane != KESCO_LANE_PLACED)
        fetch(region, use);
    else if (region->placement.begun && region->placement.to_fetch_count < KESCO_TO_FETCH)
        region->placement.to_fetch[region->placement.to_fetch_count++] = use;
}

void __kesco1_fetch(uint32_t lane, const void *pointer) {
    fetch_on(lane, (struct kesco_use){.pointer = pointer});
}

static struct kesco_allocation part_of(const void *pointer, int64_t begin, int64_t end) {
    const uintptr_t address = (uintptr_t)pointer;

    return (struct kesco_allocation){kesco_region_offset(address, begin), kesco_region_offset(address, end)};
}

void __kesco1_fetch_part(uint32_t lane, const void *pointer, uint32_t is_overwritten, int64_t begin,
                         int64_t end) {
    struct kesco_use use = {.pointer = pointer, .is_overwritten = is_overwritten != 0};

    if (begin != INT64_MIN) {
        use.part = part_of(pointer, begin, end);
        if (use.part.begin >= use.part.end)
            return; /* it uses nothing */
    }
    fetch_on(lane, use);
}

void __kesco1_fetch_overwritten(uint32_t lane, const void *pointer) {
    fetch_on(lane, (struct kesco_use){.pointer = pointer, .is_overwritten = true});
}

void kesco_region_fetch_for_placed(struct kesco_region_state *region) {
    const uint32_t count = region->host.lent.seen ? 0 : region->placement.to_fetch_count;
    uint32_t i;

    for (i = 0; i < count; i++)
        fetch(region, region->placement.to_fetch[i]);
    region->placement.to_fetch_count = 0;
}
