/*
 * Memsets, and copies within the device, without a stream, in regions that join. Where the device alone has
 * the memory, CUDA's are asynchronous (CUDA Runtime API, "API synchronization behavior"): a lane can have
 * them. Else the host waits for all that was issued before.
 */
#include "runtime/region/own_memory.h"
#include "runtime/region/region.h"

static bool may_be_on_lane(const struct kesco_region_state *region) {
    return !region->way.serial && !kesco_lanes_are_captured(&region->lanes);
}

static bool is_own(struct kesco_region_state *region, const void *pointer, uint64_t bytes) {
    return kesco_own_memory_has(&region->placement.own, pointer, bytes);
}

/* Where it may not be, the call is to be as the program has it. */
static bool overlaps(struct kesco_region_state *region, bool may_overlap, const char *reason) {
    if (!may_overlap && !region->way.serial)
        kesco_region_collapse(region, reason);
    return may_overlap;
}

int __kesco1_set_joined(void *to, int value, uint64_t bytes, void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    return __kesco1_set(to, value, bytes, stream,
                        overlaps(region, may_be_on_lane(region) && is_own(region, to, bytes),
                                 "a memset of memory that the host can touch"));
}

int __kesco1_copy_joined(void *to, const void *from, uint64_t bytes, void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    return __kesco1_copy(
        to, from, bytes, stream,
        overlaps(region, may_be_on_lane(region) && is_own(region, to, bytes) && is_own(region, from, bytes),
                 "a copy of memory that the host can touch"));
}
