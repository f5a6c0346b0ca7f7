/*
 * Memsets without a stream, in regions that join. Where the device alone has the memory, CUDA's are
 * asynchronous (CUDA Runtime API, "API synchronization behavior"): a lane can have them. Else the host waits
 * for all that was issued before.
 */
#include "runtime/region/own_memory.h"
#include "runtime/region/region.h"

static bool may_be_on_lane(const struct kesco_region_state *region, const void *to, uint64_t bytes) {
    struct kesco_own_memory memory = {.next = 0};

    return !region->way.serial && !kesco_lanes_are_captured(&region->lanes) &&
           kesco_own_memory_has(&memory, to, bytes);
}

int __kesco1_set_joined(void *to, int value, uint64_t bytes, void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (kesco_region_puts_off(&(struct kesco_transfer){to, NULL, bytes, (unsigned char)value}))
        return cudaSuccess;
    if (may_be_on_lane(region, to, bytes))
        return cudaMemsetAsync(to, value, bytes, stream);
    if (!region->way.serial)
        kesco_region_collapse(region, "a memset of memory that the host can touch");
    return kesco_region_note_transfer(cudaMemset(to, value, bytes));
}
