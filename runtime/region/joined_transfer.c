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

/* The call is to be as the program has it. */
static void collapse(struct kesco_region_state *region, const char *reason) {
    if (!region->way.serial)
        kesco_region_collapse(region, reason);
}

int __kesco1_set_joined(void *to, int value, uint64_t bytes, void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (kesco_region_puts_off(&(struct kesco_transfer){to, NULL, bytes, (unsigned char)value}))
        return cudaSuccess;
    if (may_be_on_lane(region) && is_own(region, to, bytes))
        return cudaMemsetAsync(to, value, bytes, stream);
    collapse(region, "a memset of memory that the host can touch");
    return kesco_region_note_transfer(cudaMemset(to, value, bytes));
}

int __kesco1_copy_joined(void *to, const void *from, uint64_t bytes, void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (from != NULL && kesco_region_puts_off(&(struct kesco_transfer){to, from, bytes, 0}))
        return cudaSuccess;
    if (may_be_on_lane(region) && is_own(region, to, bytes) && is_own(region, from, bytes))
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
    collapse(region, "a copy of memory that the host can touch");
    return kesco_region_note_transfer(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
}
