/*
 * Copies that the host makes, or reads for, when they are called. What they come after in the serial program
 * is on their own stream, where CUDA waits for it; with lanes it is on others, and CUDA does not promise to
 * wait for what the stream only comes after (test/vgpu/copy.c).
 */
#include "runtime/call.h"
#include "runtime/region/allocation.h"
#include "runtime/region/region.h"

#include <stddef.h>

static bool is_by_host(int kind, const void *from) {
    return kind == cudaMemcpyHostToHost ||
           (kind == cudaMemcpyHostToDevice && kesco_allocation_is_managed(from));
}

/* The legacy default stream's work is before that of lanes beside it, but nothing that those wait for. */
static cudaStream_t all_before(const struct kesco_region_state *region, cudaStream_t stream) {
    return region->way.open && !region->way.serial && !region->lanes.forked ? cudaStreamLegacy : stream;
}

void __kesco1_host_copy(void *stream, int kind, const void *from) {
    if (!kesco_lanes_have_been() || !is_by_host(kind, from) || kesco_call_may_be_captured(stream))
        return;
    kesco_call_synchronize(all_before(&kesco_thread_region, stream), NULL);
}
