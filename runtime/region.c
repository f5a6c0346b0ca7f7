/* The ABI of kesco_abi.h over the pool of pool.h. */
#include "runtime/kesco_abi.h"

#include "runtime/allocation.h"
#include "runtime/environment.h"
#include "runtime/pool.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* More guarded objects than this in one region are not told apart. */
#define MOST_GUARDED 64

struct guarded {
    struct kesco_allocation allocation; /* where its pointer leads */
    const void *pointer;                /* the pointer that was looked up */
    uint32_t object;                    /* the plan's number */
    uint32_t flags;                     /* KESCO_GUARD_ */
};

struct kesco_region {
    struct kesco_pool *pool;              /* NULL: the region fell back to the default stream */
    bool serial;                          /* from here on all goes to the default stream */
    uint32_t guarded_count;               /* entries in guarded */
    struct guarded guarded[MOST_GUARDED]; /* what the guard was told so far */
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

/* Called with no error pending; what is left where it succeeds is none either. */
static cudaError_t open_pool(uint32_t lanes, uint32_t events, struct kesco_pool **pool) {
    cudaError_t error = kesco_pool_acquire(lanes, events, pool);

    if (error != cudaSuccess)
        return error;
    error = record_order(*pool);
    if (error != cudaErrorInvalidResourceHandle && error != cudaErrorContextIsDestroyed)
        return error;
    /* cudaDeviceReset has destroyed what the pool held. */
    cudaGetLastError();
    kesco_pool_forget(*pool);
    error = kesco_pool_acquire(lanes, events, pool);
    return error != cudaSuccess ? error : record_order(*pool);
}

EXPORT struct kesco_region *__kesco1_region_begin(uint32_t lanes, uint32_t events) {
    struct kesco_region *region = &thread_region;
    cudaError_t error;

    region->pool = NULL;
    region->serial = true;
    region->guarded_count = 0;
    if (kesco_environment()->disable) {
        kesco_log("region of %u lanes runs serially: KESCO_DISABLE=1", lanes);
        return region;
    }
    error = cudaPeekAtLastError();
    if (error != cudaSuccess) {
        /* A call of ours that fails would put another error in the place of the one that the program has not
         * seen. */
        kesco_log("region of %u lanes runs serially: %s is pending", lanes, cudaGetErrorName(error));
        return region;
    }
    error = open_pool(lanes, events, &region->pool);
    if (error == cudaSuccess) {
        region->serial = false;
        kesco_log("region begins: %u lanes, %u events", lanes, events);
        return region;
    }
    region->pool = NULL;
    cudaGetLastError();
    kesco_log("region of %u lanes runs serially: %s", lanes, cudaGetErrorName(error));
    return region;
}

EXPORT void *__kesco1_lane(struct kesco_region *region, uint32_t lane) {
    return region->serial ? NULL : region->pool->streams[lane];
}

EXPORT void __kesco1_record(struct kesco_region *region, uint32_t event, uint32_t lane) {
    const struct kesco_pool *pool = region->pool;
    cudaError_t before, error;

    if (region->serial)
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

    if (region->serial)
        return;
    before = cudaPeekAtLastError();
    error = cudaStreamWaitEvent(pool->streams[lane], pool->events[event], 0);
    if (error == cudaSuccess)
        return;
    cudaEventSynchronize(pool->events[event]);
    restore_last_error(before);
    kesco_log("the host waits for an event of lane %u: %s", lane, cudaGetErrorName(error));
}

static void order_all(const struct kesco_pool *pool) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = record_order(pool);

    if (error == cudaSuccess)
        return;
    cudaStreamSynchronize(cudaStreamLegacy);
    restore_last_error(before);
    kesco_log("the host waits for a region: %s", cudaGetErrorName(error));
}

static bool is_guarded(const struct kesco_region *region, uint32_t object, const void *pointer) {
    uint32_t i;

    for (i = 0; i < region->guarded_count; i++)
        if (region->guarded[i].object == object && region->guarded[i].pointer == pointer)
            return true;
    return false;
}

static bool may_conflict(const struct guarded *a, const struct guarded *b) {
    uint32_t either = a->flags | b->flags;

    return a->object != b->object && (either & KESCO_GUARD_CHECKED) != 0 &&
           (either & KESCO_GUARD_WRITTEN) != 0 && a->allocation.begin < b->allocation.end &&
           b->allocation.begin < a->allocation.end;
}

/* Adds to what is guarded. False where that cannot be told from what is. */
static bool add_guarded(struct kesco_region *region, uint32_t object, uint32_t flags, const void *pointer) {
    struct guarded *added = &region->guarded[region->guarded_count];
    cudaError_t before = cudaPeekAtLastError();
    uint32_t i;

    if (region->guarded_count == MOST_GUARDED)
        return false;
    added->object = object;
    added->flags = flags;
    added->pointer = pointer;
    if (!kesco_allocation_find(pointer, &added->allocation)) {
        restore_last_error(before);
        return false;
    }
    for (i = 0; i < region->guarded_count; i++)
        if (may_conflict(&region->guarded[i], added))
            return false;
    region->guarded_count++;
    return true;
}

EXPORT void __kesco1_guard(struct kesco_region *region, uint32_t object, uint32_t flags,
                           const void *pointer) {
    if (region->serial || pointer == NULL || is_guarded(region, object, pointer) ||
        add_guarded(region, object, flags, pointer))
        return;
    /* The launch that follows is already bound to its lane, a blocking stream; this orders it too. */
    order_all(region->pool);
    region->serial = true;
    kesco_log("the rest of a region runs serially: two pointers may share an allocation");
}

EXPORT void __kesco1_region_end(struct kesco_region *region) {
    if (region->pool != NULL)
        order_all(region->pool);
}
