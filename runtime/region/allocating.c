/* The program's calls that allocate memory: what it has freed, and is kept, may be what they lack. */
#include "runtime/call.h"
#include "runtime/region/region.h"

#include <stddef.h>

/* The host waits for what ops of the region may still use. */
void __kesco1_give_back(void) {
    if (kesco_thread_region.host.freed.count > 0)
        __kesco1_leave_for("what needs all of the memory that is free");
}

/* CUDA's last error, where it may have to be taken back. */
static cudaError_t error_before(void) {
    return kesco_thread_region.host.freed.count > 0 ? cudaPeekAtLastError() : cudaSuccess;
}

/* True if the program's call failed with `error` as it may lack what is kept: then nobody is told of that.
 * `before` is what CUDA's last error was. */
static bool lacks_kept(cudaError_t error, cudaError_t before) {
    if (error != cudaErrorMemoryAllocation || kesco_thread_region.host.freed.count == 0)
        return false;
    kesco_call_take_back(before);
    return true;
}

/* True if there may be more memory now than as the program's call failed. */
static bool makes_room(cudaError_t error, cudaError_t before) {
    if (!lacks_kept(error, before))
        return false;
    __kesco1_give_back();
    return true;
}

int __kesco1_allocate(void **pointer, uint64_t bytes) {
    const cudaError_t before = error_before(), error = cudaMalloc(pointer, bytes);

    return (int)(makes_room(error, before) ? cudaMalloc(pointer, bytes) : error);
}

int __kesco1_allocate_managed(void **pointer, uint64_t bytes, uint32_t flags) {
    const cudaError_t before = error_before(), error = cudaMallocManaged(pointer, bytes, flags);

    return (int)(makes_room(error, before) ? cudaMallocManaged(pointer, bytes, flags) : error);
}

/* The same while an op of the region is about to be issued, on a stream of its: that stays open. */
static bool makes_room_within(cudaError_t error, cudaError_t before) {
    struct kesco_region_state *region = &kesco_thread_region;
    cudaError_t failed;

    if (!lacks_kept(error, before))
        return false;
    kesco_region_flush(region);
    if (!kesco_call_wait_for_device(&failed))
        return false;
    kesco_freed_give_back(&region->host.freed);
    kesco_region_forget_memory(region);
    return true;
}

int __kesco1_allocate_async(void **pointer, uint64_t bytes, void *stream) {
    const cudaError_t before = error_before(), error = cudaMallocAsync(pointer, bytes, stream);

    return (int)(makes_room_within(error, before) ? cudaMallocAsync(pointer, bytes, stream) : error);
}

int __kesco1_allocate_from_pool(void **pointer, uint64_t bytes, void *pool, void *stream) {
    const cudaError_t before = error_before(), error = cudaMallocFromPoolAsync(pointer, bytes, pool, stream);

    return (int)(makes_room_within(error, before) ? cudaMallocFromPoolAsync(pointer, bytes, pool, stream)
                                                  : error);
}
