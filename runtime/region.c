/* The ABI of kesco_abi.h: the calling thread's region, over its lanes and its guard. */
#include "runtime/kesco_abi.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/guard.h"
#include "runtime/lanes.h"
#include "runtime/prefetch.h"
#include "runtime/profile.h"
#include "runtime/timing.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* Kept out of what each op goes through. */
#define RARE __attribute__((noinline, cold))

struct region {
    void *origin;                     /* as the program gave it */
    const struct kesco_region *asked; /* what it was opened as */
    uint32_t lane;                    /* the last one given out: the next launch is bound to it */
    void *stream;                     /* what was given for it */
    bool open;                        /* else nothing but the storage of the lanes and below counts */
    bool serial;                      /* from here on all goes to the origin */
    bool timed;                       /* its ops are timed; only where it is serial from its start */
    struct kesco_lanes lanes;         /* what the origin must come behind, also where the region is serial */
    struct kesco_guard guard;
    struct kesco_prefetch prefetch;
    struct kesco_timings timings;
};

static _Thread_local struct region thread_region;

/*
 * Where the thread's region is, once it has been opened: what each op goes through finds it by this, which
 * takes one instruction wherever the runtime is linked to. The region itself is too large for such storage
 * where the program loads the runtime late.
 */
static _Thread_local struct region *entered __attribute__((tls_model("initial-exec")));

/* A program that ends within a region, by exit, may have work to do at exit that comes behind it. */
static pthread_once_t first_once = PTHREAD_ONCE_INIT;

static void end(void) {
    const char *profile = kesco_environment()->profile;

    __kesco1_leave();
    if (profile == NULL)
        return;
    kesco_timings_read_late();
    kesco_profile_write(profile);
}

/* Before the first region. */
static void prepare(void) {
    atexit(end);
    if (!kesco_environment()->disable)
        kesco_call_prepare();
}

/* Why a region cannot be concurrent from its start. NULL: it can. */
static const char *reason_to_be_serial(const struct region *region) {
    cudaError_t error;

    if (region->timed)
        return "KESCO_PROFILE is set";
    if (kesco_environment()->disable)
        return "KESCO_DISABLE=1";
    if (region->asked->lanes == 1)
        return "one lane is the origin";
    /* A call of ours that fails would put another error in the place of one that the program has not seen. */
    error = cudaPeekAtLastError();
    return error == cudaSuccess ? NULL : cudaGetErrorName(error);
}

static void open_region(struct region *region, void *origin, const struct kesco_region *asked, bool ordered) {
    const struct kesco_lanes_need need = {
        .lanes = asked->lanes, .events = asked->events, .levels = asked->levels, .ordered = ordered};
    const char *reason;
    cudaError_t error;

    pthread_once(&first_once, prepare);
    entered = region;
    region->origin = origin;
    region->asked = asked;
    region->lane = 0;
    region->open = true;
    kesco_guard_clear(&region->guard);
    kesco_prefetch_clear(&region->prefetch);
    region->timed = kesco_environment()->profile != NULL && kesco_timings_open(&region->timings, origin);
    reason = reason_to_be_serial(region);
    if (reason == NULL) {
        error = kesco_lanes_open(&region->lanes, origin, &need);
        if (error != cudaSuccess) {
            cudaGetLastError();
            reason = cudaGetErrorName(error);
        }
    }
    region->serial = reason != NULL;
    if (!region->serial) {
        kesco_log("region begins: %u lanes, %u events", need.lanes, need.events);
        return;
    }
    kesco_lanes_unready(&region->lanes, need.lanes);
    kesco_log("region of %u lanes runs serially: %s", need.lanes, reason);
}

/* Everything of the region so far comes before all that follows; that goes to the origin. */
RARE static void collapse(struct region *region, const char *reason) {
    kesco_lanes_gather(&region->lanes);
    kesco_lanes_unready(&region->lanes, region->asked->lanes);
    region->serial = true;
    kesco_log("the rest of a region runs serially: %s", reason);
}

RARE static void collapse_because(struct region *region, cudaError_t error) {
    collapse(region, cudaGetErrorName(error));
}

EXPORT void __kesco1_enter_behind(void *origin, const struct kesco_region *asked, int error) {
    struct region *region = &thread_region;

    if (region->open && region->asked == asked && region->origin == origin)
        return;
    __kesco1_leave();
    open_region(region, origin, asked, error == cudaSuccess);
}

EXPORT void __kesco1_enter(void *origin, const struct kesco_region *asked) {
    __kesco1_enter_behind(origin, asked, cudaErrorUnknown);
}

/* The op before this call of ours is on the origin. */
RARE static void end_op(struct region *region) {
    if (region->timed)
        kesco_timings_end(&region->timings);
}

/* The stream of a lane, or the origin, that is not ready. */
RARE static void *find_stream(struct region *region, uint32_t lane, const struct kesco_site *site) {
    cudaError_t error;

    if (!region->serial) {
        error = kesco_lanes_ready(&region->lanes, lane);
        if (error == cudaSuccess)
            return region->lanes.streams[lane];
        collapse_because(region, error);
    }
    kesco_lanes_gather(&region->lanes);
    if (region->timed)
        kesco_timings_begin(&region->timings, site);
    return region->origin;
}

/*
 * Every op comes through the next ones. A lane that is ready says all that they need to know: the region is
 * open and not serial. What they do else has functions of its own, which find the region again, so that a
 * lane that is ready costs no more than it must.
 */

RARE static void *choose_late(uint32_t lane, const struct kesco_site *site) {
    struct region *region = &thread_region;

    region->stream = find_stream(region, lane, site);
    return region->stream;
}

EXPORT void *__kesco1_lane(uint32_t lane, const struct kesco_site *site) {
    struct region *region = entered;
    void *stream = region->lanes.ready[lane];

    region->lane = lane;
    if (stream == NULL)
        return choose_late(lane, site);
    region->stream = stream;
    return stream;
}

RARE static void fail(cudaError_t error) {
    collapse_because(&thread_region, error);
}

/* Makes a lane ready that is recorded on or waits before it is launched on. False: the region is serial. */
static bool make_ready(struct region *region, uint32_t lane) {
    cudaError_t error;

    if (region->serial) {
        end_op(region);
        return false;
    }
    error = kesco_lanes_ready(&region->lanes, lane);
    if (error != cudaSuccess)
        collapse_because(region, error);
    return error == cudaSuccess;
}

RARE static void record_late(uint32_t event, uint32_t lane) {
    if (make_ready(&thread_region, lane))
        __kesco1_record(event, lane);
}

EXPORT void __kesco1_record(uint32_t event, uint32_t lane) {
    struct kesco_lanes *lanes = &entered->lanes;
    cudaStream_t stream = lanes->ready[lane];
    cudaError_t error;

    if (stream == NULL) {
        record_late(event, lane);
        return;
    }
    error = kesco_lanes_record(lanes, event, lane, stream);
    if (error != cudaSuccess)
        fail(error);
}

RARE static void wait_late(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;

    if (!region->serial && !kesco_lanes_must_wait(&region->lanes, event, lane))
        return;
    if (make_ready(region, lane))
        __kesco1_wait(event, lane);
}

EXPORT void __kesco1_wait(uint32_t event, uint32_t lane) {
    struct kesco_lanes *lanes = &entered->lanes;
    cudaStream_t stream = lanes->ready[lane];
    cudaError_t error;

    if (stream == NULL) {
        wait_late(event, lane);
        return;
    }
    error = kesco_lanes_wait(lanes, event, lane, stream);
    if (error != cudaSuccess)
        fail(error);
}

EXPORT void *__kesco1_origin(const struct kesco_site *site) {
    struct region *region = &thread_region;

    region->lane = KESCO_LANE_ORIGIN;
    region->stream = region->serial ? find_stream(region, KESCO_LANE_ORIGIN, site) : region->origin;
    return region->stream;
}

EXPORT void __kesco1_passed(int error) {
    struct region *region = &thread_region;

    if (region->serial)
        end_op(region);
    else if (error == cudaSuccess && cudaPeekAtLastError() == cudaSuccess)
        kesco_lanes_note_action(&region->lanes);
    else
        kesco_lanes_align(&region->lanes);
}

EXPORT void __kesco1_align(void) {
    struct region *region = &thread_region;

    if (!region->serial)
        kesco_lanes_align(&region->lanes);
}

static bool host_waits(const struct region *region, uint32_t when) {
    return when == KESCO_FINISH_ALWAYS || region->serial || kesco_lanes_are_captured(&region->lanes);
}

/* The stream is not the origin where a guard failed for this very call. */
EXPORT int __kesco1_finish(uint32_t lane, uint32_t when, int error) {
    struct region *region = &thread_region;

    end_op(region);
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
    if (region->timed)
        kesco_timings_close(&region->timings);
    kesco_lanes_gather(&region->lanes);
    region->open = false;
}

EXPORT void __kesco1_leave_by_next(void) {
    const struct region *region = &thread_region;

    if (region->open && (region->serial || region->lanes.forked))
        __kesco1_leave();
}

EXPORT void __kesco1_leave_behind(int error) {
    struct region *region = &thread_region;

    if (region->open && error == cudaSuccess)
        kesco_lanes_note_action(&region->lanes);
    __kesco1_leave();
}
