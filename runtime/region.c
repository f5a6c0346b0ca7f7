/* The ABI of kesco_abi.h: the calling thread's region, over its lanes and its guard. */
#include "runtime/kesco_abi.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/guard.h"
#include "runtime/lanes.h"
#include "runtime/prefetch.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

struct region {
    void *origin;             /* as the program gave it */
    uint32_t lane_count;      /* lanes that it was opened with */
    uint32_t event_count;     /* events that it was opened with */
    uint32_t lane;            /* the last one given out: the next launch is bound to it */
    void *stream;             /* what was given for it */
    bool open;                /* else nothing but the storage of the lanes and below counts */
    bool serial;              /* from here on all goes to the origin */
    struct kesco_lanes lanes; /* what the origin must come behind, also where the region is serial */
    struct kesco_guard guard;
    struct kesco_prefetch prefetch;
};

static _Thread_local struct region thread_region;

/* A program that ends within a region, by exit, may have work to do at exit that comes behind it. */
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void leave_at_exit(void) {
    atexit(__kesco1_leave);
}

/* Why a region cannot be concurrent from its start. NULL: it can. */
static const char *reason_to_be_serial(uint32_t lanes) {
    cudaError_t error;

    if (kesco_environment()->disable)
        return "KESCO_DISABLE=1";
    if (lanes == 1)
        return "one lane is the origin";
    /* A call of ours that fails would put another error in the place of one that the program has not seen. */
    error = cudaPeekAtLastError();
    return error == cudaSuccess ? NULL : cudaGetErrorName(error);
}

static void open_region(struct region *region, void *origin, uint32_t lanes, uint32_t events) {
    const char *reason = reason_to_be_serial(lanes);
    cudaError_t error;

    pthread_once(&exit_once, leave_at_exit);
    region->origin = origin;
    region->lane_count = lanes;
    region->event_count = events;
    region->lane = 0;
    region->open = true;
    kesco_guard_clear(&region->guard);
    kesco_prefetch_clear(&region->prefetch);
    if (reason == NULL) {
        error = kesco_lanes_open(&region->lanes, origin, lanes, events);
        if (error != cudaSuccess) {
            cudaGetLastError();
            reason = cudaGetErrorName(error);
        }
    }
    region->serial = reason != NULL;
    if (region->serial)
        kesco_log("region of %u lanes runs serially: %s", lanes, reason);
    else
        kesco_log("region begins: %u lanes, %u events", lanes, events);
}

/* Everything of the region so far comes before all that follows; that goes to the origin. */
static void collapse(struct region *region, const char *reason) {
    kesco_lanes_gather(&region->lanes);
    region->serial = true;
    kesco_log("the rest of a region runs serially: %s", reason);
}

EXPORT void __kesco1_enter(void *origin, uint32_t lanes, uint32_t events) {
    struct region *region = &thread_region;

    if (region->open && region->origin == origin && region->lane_count >= lanes &&
        region->event_count >= events)
        return;
    __kesco1_leave();
    open_region(region, origin, lanes, events);
}

static void *find_stream(struct region *region, uint32_t lane) {
    cudaStream_t stream;
    cudaError_t error;

    if (!region->serial) {
        error = kesco_lanes_use(&region->lanes, lane, &stream);
        if (error == cudaSuccess)
            return stream;
        collapse(region, cudaGetErrorName(error));
    }
    kesco_lanes_gather(&region->lanes);
    return region->origin;
}

EXPORT void *__kesco1_lane(uint32_t lane) {
    struct region *region = &thread_region;

    region->lane = lane;
    region->stream = find_stream(region, lane);
    return region->stream;
}

EXPORT void __kesco1_record(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;
    cudaError_t error;

    if (region->serial)
        return;
    error = kesco_lanes_record(&region->lanes, event, lane);
    if (error != cudaSuccess)
        collapse(region, cudaGetErrorName(error));
}

EXPORT void __kesco1_wait(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;
    cudaError_t error;

    if (region->serial)
        return;
    error = kesco_lanes_wait(&region->lanes, event, lane);
    if (error != cudaSuccess)
        collapse(region, cudaGetErrorName(error));
}

static bool host_waits(const struct region *region, uint32_t when) {
    return when == KESCO_FINISH_ALWAYS || region->serial || kesco_lanes_are_captured(&region->lanes);
}

/* The stream is not the origin where a guard failed for this very call. */
EXPORT int __kesco1_finish(uint32_t lane, uint32_t when, int error) {
    struct region *region = &thread_region;

    if (error != cudaSuccess || !host_waits(region, when))
        return error;
    error = (int)kesco_call_wait_for(region->stream);
    if (error == cudaSuccess && !region->serial)
        kesco_lanes_note_finish(&region->lanes, lane);
    return error;
}

/* The call that the lane was given for comes behind all of the region so far, and the rest behind it. */
static void collapse_here(struct region *region) {
    collapse(region, region->guard.refusal);
    kesco_lanes_follow(&region->lanes, region->lane);
}

EXPORT void __kesco1_guard(uint32_t object, uint32_t flags, const void *pointer) {
    struct region *region = &thread_region;

    if (!region->serial && !kesco_guard_admits(&region->guard, object, flags, pointer))
        collapse_here(region);
}

EXPORT void __kesco1_guard_range(uint32_t object, uint32_t flags, const void *pointer, uint64_t size) {
    struct region *region = &thread_region;

    if (!region->serial && !kesco_guard_admits_range(&region->guard, object, flags, pointer, size))
        collapse_here(region);
}

EXPORT void __kesco1_prefetch(uint32_t lane, const void *pointer) {
    struct region *region = &thread_region;

    (void)lane;
    if (!region->serial && !kesco_lanes_are_captured(&region->lanes))
        kesco_prefetch_to_device(&region->prefetch, pointer, region->lanes.pool->device, region->stream);
}

EXPORT void __kesco1_prefetch_device(void *origin, const void *pointer) {
    if (!kesco_environment()->disable)
        kesco_prefetch_on(origin, pointer, cudaMemLocationTypeDevice);
}

EXPORT void __kesco1_prefetch_host(void *origin, const void *pointer) {
    if (!kesco_environment()->disable)
        kesco_prefetch_on(origin, pointer, cudaMemLocationTypeHost);
}

EXPORT void __kesco1_leave(void) {
    struct region *region = &thread_region;

    if (!region->open)
        return;
    kesco_lanes_gather(&region->lanes);
    region->open = false;
}
