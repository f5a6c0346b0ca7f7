/* The ABI of kesco_abi.h over the pool of pool.h. */
#include "runtime/kesco_abi.h"

#include "runtime/environment.h"
#include "runtime/pool.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

struct kesco_region {
    struct kesco_pool *pool; /* NULL: the region fell back to the default stream */
};

/* A region holds no call that could begin another one on the same thread, so one instance a thread is enough.
 */
static _Thread_local struct kesco_region thread_region;

/* Takes back the error that a call of ours left, unless the program had one pending that it has not seen yet.
 */
static void restore_last_error(cudaError_t before) {
    if (before == cudaSuccess)
        cudaGetLastError();
}

/*
 * Any action on the legacy default stream waits for all earlier work of blocking streams, and all their later
 * work waits for it (CUDA Runtime API, "Stream synchronization behavior"). A record is the cheapest such
 * action.
 */
static cudaError_t record_order(const struct kesco_pool *pool) {
    return cudaEventRecord(pool->order, cudaStreamLegacy);
}

/* `before` is the error that the program had pending. */
static cudaError_t open_pool(uint32_t lanes, uint32_t events, cudaError_t before, struct kesco_pool **pool) {
    cudaError_t error = kesco_pool_acquire(lanes, events, pool);

    if (error != cudaSuccess)
        return error;
    error = record_order(*pool);
    if (error != cudaErrorInvalidResourceHandle && error != cudaErrorContextIsDestroyed)
        return error;
    /* cudaDeviceReset has destroyed what the pool held. */
    restore_last_error(before);
    kesco_pool_forget(*pool);
    error = kesco_pool_acquire(lanes, events, pool);
    return error != cudaSuccess ? error : record_order(*pool);
}

EXPORT struct kesco_region *__kesco1_region_begin(uint32_t lanes, uint32_t events) {
    struct kesco_region *region = &thread_region;
    cudaError_t before, error;

    region->pool = NULL;
    if (kesco_environment()->disable) {
        kesco_log("region of %u lanes runs serially: KESCO_DISABLE=1", lanes);
        return region;
    }
    before = cudaPeekAtLastError();
    error = open_pool(lanes, events, before, &region->pool);
    if (error == cudaSuccess) {
        kesco_log("region begins: %u lanes, %u events", lanes, events);
        return region;
    }
    region->pool = NULL;
    restore_last_error(before);
    kesco_log("region of %u lanes runs serially: %s", lanes, cudaGetErrorName(error));
    return region;
}

EXPORT void *__kesco1_lane(struct kesco_region *region, uint32_t lane) {
    return region->pool == NULL ? NULL : region->pool->streams[lane];
}

EXPORT void __kesco1_record(struct kesco_region *region, uint32_t event, uint32_t lane) {
    const struct kesco_pool *pool = region->pool;
    cudaError_t before, error;

    if (pool == NULL)
        return;
    before = cudaPeekAtLastError();
    error = cudaEventRecord(pool->events[event], pool->streams[lane]);
    if (error == cudaSuccess)
        return;
    /* What the record would have covered is over when the host goes on, so no wait on it is missed. */
    cudaStreamSynchronize(pool->streams[lane]);
    restore_last_error(before);
    kesco_log("the host waits for lane %u: %s", lane, cudaGetErrorName(error));
}

EXPORT void __kesco1_wait(struct kesco_region *region, uint32_t event, uint32_t lane) {
    const struct kesco_pool *pool = region->pool;
    cudaError_t before, error;

    if (pool == NULL)
        return;
    before = cudaPeekAtLastError();
    error = cudaStreamWaitEvent(pool->streams[lane], pool->events[event], 0);
    if (error == cudaSuccess)
        return;
    cudaEventSynchronize(pool->events[event]);
    restore_last_error(before);
    kesco_log("the host waits for an event of lane %u: %s", lane, cudaGetErrorName(error));
}

EXPORT void __kesco1_region_end(struct kesco_region *region) {
    cudaError_t before, error;

    if (region->pool == NULL)
        return;
    before = cudaPeekAtLastError();
    error = record_order(region->pool);
    if (error == cudaSuccess)
        return;
    cudaStreamSynchronize(cudaStreamLegacy);
    restore_last_error(before);
    kesco_log("the host waits for the end of a region: %s", cudaGetErrorName(error));
}
