/* The ABI of kesco_abi.def: the calling thread's region, over its lanes and its guard. */
#include "runtime/kesco_abi.h"

#include "runtime/allocation.h"
#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/guard.h"
#include "runtime/lanes.h"
#include "runtime/managed.h"
#include "runtime/pool.h"
#include "runtime/prefetch.h"
#include "runtime/profile.h"
#include "runtime/statistics.h"
#include "runtime/timing.h"
#include "runtime/watch.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Kept out of what each op goes through. */
#define RARE __attribute__((noinline, cold))

struct region {
    void *origin;                       /* as the program gave it */
    const struct kesco_region *asked;   /* what it was opened as */
    uint32_t lane_count;                /* lanes that it was opened with */
    uint32_t lane;                      /* the last one given out: the next launch is bound to it */
    void *stream;                       /* what was given for it */
    bool open;                          /* else nothing but the storage of the lanes and below counts */
    bool serial;                        /* from here on all goes to the origin */
    bool timed;                         /* its ops are timed; only where it is serial from its start */
    bool watched;                       /* somebody is told of each op */
    bool observed;                      /* it is watched or counted */
    bool guard_failed;                  /* so it is serial */
    const char *reason;                 /* why it is serial; NULL: it is not */
    struct kesco_statistics *counted;   /* where it is; NULL: nowhere */
    uint64_t ops[KESCO_LANES_MOST + 1]; /* by lane, the origin last, how many it was given out for; only where
                                           that is counted */
    struct kesco_lanes lanes; /* what the origin must come behind, also where the region is serial */
    struct kesco_guard guard;
    struct kesco_prefetch prefetch;
    struct kesco_timings timings;
    struct kesco_watch watch;
};

static _Thread_local struct region thread_region;

static pthread_once_t first_once = PTHREAD_ONCE_INIT;

/*
 * A program that ends within a region, by exit, may have work to do at exit that comes behind it. Where the
 * runtime is part of a shared library, this is done before that is unloaded. What is loaded for the first
 * region, such as CUPTI, ends behind that: what is registered later is called earlier.
 */
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void complain_of_names_not_found(const struct kesco_function_list *list) {
    uint32_t i;

    for (i = 0; i < list->count; i++)
        if (!list->names[i].found)
            fprintf(stderr, "kesco: KESCO_ONLY names '%s', but no region of such a function was entered\n",
                    list->names[i].text);
}

static void end(void) {
    const struct kesco_environment *environment = kesco_environment();

    __kesco1_leave();
    kesco_pools_stay();
    if (environment->profile != NULL) {
        kesco_timings_read_late();
        kesco_profile_write(environment->profile);
    }
    if (environment->statistics)
        kesco_statistics_print(stderr);
    if (environment->only != NULL && (environment->statistics || environment->log))
        complain_of_names_not_found(environment->only);
    kesco_watch_end_process();
}

static void end_at_exit(void) {
    atexit(end);
}

/* Before the first region. */
static void prepare(void) {
    if (!kesco_environment()->disable)
        kesco_call_prepare();
}

/* Looks up what is kept of the region, and counts from here on if asked to. True: KESCO_ONLY leaves it out.
 */
RARE static bool look_up(struct region *region, const struct kesco_environment *environment) {
    struct kesco_statistics *found = kesco_statistics_find(region->asked);

    if (environment->statistics) {
        region->counted = found;
        memset(region->ops, 0, sizeof region->ops);
    }
    return found != NULL ? found->excluded : environment->only != NULL;
}

/* Why the region cannot be concurrent from its start. NULL: it can. */
static const char *reason_to_be_serial(struct region *region) {
    const struct kesco_environment *environment = kesco_environment();
    const bool excluded = environment->tells_regions_apart && look_up(region, environment);
    cudaError_t error;

    region->timed = environment->profile != NULL && kesco_timings_open(&region->timings, region->origin);
    if (region->timed)
        return "KESCO_PROFILE is set";
    if (environment->disable)
        return "KESCO_DISABLE=1";
    if (excluded)
        return "KESCO_ONLY does not name the function";
    if (region->lane_count == 1)
        return "one lane is the origin";
    /* A call of ours that fails would put another error in the place of one that the program has not seen. */
    error = cudaPeekAtLastError();
    return error == cudaSuccess ? NULL : cudaGetErrorName(error);
}

/* True if the host may touch nothing managed while any lane has something. */
static bool needs_idle_lanes(const struct region *region) {
    return !kesco_managed_is_concurrent(region->lanes.pool->device);
}

/*
 * Opens the lanes. Returns why they cannot be, or NULL. On devices without concurrent managed access, memory
 * may belong to the stream that is the origin, and to no other (cudaStreamAttachMemAsync); nobody can be
 * asked whether it does.
 */
static const char *open_lanes(struct region *region, bool ordered) {
    const struct kesco_lanes_need need = {.lanes = region->asked->lanes,
                                          .events = region->asked->events,
                                          .levels = region->asked->levels,
                                          .ordered = ordered};
    cudaError_t error = kesco_lanes_open(&region->lanes, region->origin, &need);

    if (error == cudaSuccess && (!region->lanes.forked || !needs_idle_lanes(region)))
        return NULL;
    if (error == cudaSuccess)
        return "managed memory may be attached to the stream alone";
    if (error == cudaErrorAlreadyAcquired)
        return "another host thread has a region on the same default stream";
    if (error == cudaErrorNotReady)
        return "the lanes of many other streams have work";
    cudaGetLastError();
    return cudaGetErrorName(error);
}

static void log_opening(const struct region *region) {
    const char *function = kesco_statistics_function(region->asked);
    const char *file = kesco_statistics_file(region->asked);

    if (region->serial)
        kesco_log("region of %u lanes runs serially: %s (%s, %s:%u)", region->lane_count, region->reason,
                  function, file, region->asked->line);
    else
        kesco_log("region begins: %u lanes, %u events (%s, %s:%u)", region->lane_count, region->asked->events,
                  function, file, region->asked->line);
}

static void open_region(struct region *region, void *origin, const struct kesco_region *asked, bool ordered) {
    pthread_once(&first_once, prepare);
    region->origin = origin;
    region->asked = asked;
    region->lane_count = asked->lanes;
    region->lane = 0;
    region->open = true;
    region->guard_failed = false;
    region->counted = NULL;
    kesco_guard_clear(&region->guard);
    kesco_prefetch_clear(&region->prefetch);
    region->reason = reason_to_be_serial(region);
    if (region->reason == NULL)
        region->reason = open_lanes(region, ordered);
    region->serial = region->reason != NULL;
    if (region->serial)
        kesco_lanes_unready(&region->lanes, region->lane_count);
    region->watched = kesco_watch_open(&region->watch, origin, asked, region->reason);
    region->observed = region->watched || region->counted != NULL;
    pthread_once(&exit_once, end_at_exit);
    if (kesco_environment()->log)
        log_opening(region);
}

/* Everything of the region so far comes before all that follows; that goes to the origin. */
RARE static void collapse(struct region *region, const char *reason) {
    kesco_lanes_settle(&region->lanes);
    kesco_lanes_gather(&region->lanes);
    kesco_lanes_unready(&region->lanes, region->lane_count);
    region->serial = true;
    region->reason = reason;
    if (region->watched)
        kesco_watch_collapse(&region->watch, reason);
    kesco_log("the rest of a region runs serially: %s (%s, %s:%u)", reason,
              kesco_statistics_function(region->asked), kesco_statistics_file(region->asked),
              region->asked->line);
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

/* The op before this call of ours is on its stream. */
RARE static void end_op(struct region *region) {
    if (region->timed)
        kesco_timings_end(&region->timings);
    if (region->watched)
        kesco_watch_end(&region->watch);
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

    region->ops[lane]++;
    if (region->watched)
        kesco_watch_end(&region->watch);
    if (lane == KESCO_LANE_ORIGIN && !region->serial)
        region->stream = region->origin;
    else if (lane == KESCO_LANE_ORIGIN || region->lanes.ready[lane] == NULL)
        region->stream = find_stream(region, lane, site);
    else
        region->stream = region->lanes.ready[lane];
    if (region->watched)
        kesco_watch_begin(&region->watch, lane, region->stream, site);
    return region->stream;
}

EXPORT void *__kesco1_lane(uint32_t lane, const struct kesco_site *site) {
    struct region *region = &thread_region;
    void *stream = region->lanes.ready[lane];

    region->lane = lane;
    if (stream == NULL || region->observed)
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

    if (region->lanes.ready[lane] != NULL)
        return true;
    error = kesco_lanes_ready(&region->lanes, lane);
    if (error != cudaSuccess)
        collapse_because(region, error);
    return error == cudaSuccess;
}

static inline void record_on(struct kesco_lanes *lanes, uint32_t event, uint32_t lane, cudaStream_t stream) {
    cudaError_t error = kesco_lanes_record(lanes, event, lane, stream);

    if (error != cudaSuccess)
        fail(error);
}

RARE static void record_late(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;

    if (region->serial) {
        end_op(region);
        return;
    }
    if (region->watched)
        kesco_watch_record(&region->watch, event, lane);
    if (make_ready(region, lane))
        record_on(&region->lanes, event, lane, region->lanes.ready[lane]);
}

EXPORT void __kesco1_record(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;
    cudaStream_t stream = region->lanes.ready[lane];

    if (stream == NULL || region->observed)
        record_late(event, lane);
    else
        record_on(&region->lanes, event, lane, stream);
}

static inline void wait_on(struct kesco_lanes *lanes, uint32_t event, uint32_t lane, cudaStream_t stream) {
    cudaError_t error = kesco_lanes_wait(lanes, event, lane, stream);

    if (error != cudaSuccess)
        fail(error);
}

RARE static void wait_late(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;

    if (region->serial) {
        end_op(region);
        return;
    }
    if (region->watched)
        kesco_watch_wait(&region->watch, event, lane);
    if (kesco_lanes_must_wait(&region->lanes, event, lane) && make_ready(region, lane))
        wait_on(&region->lanes, event, lane, region->lanes.ready[lane]);
}

EXPORT void __kesco1_wait(uint32_t event, uint32_t lane) {
    struct region *region = &thread_region;
    cudaStream_t stream = region->lanes.ready[lane];

    if (stream == NULL || region->observed)
        wait_late(event, lane);
    else
        wait_on(&region->lanes, event, lane, stream);
}

EXPORT void *__kesco1_origin(const struct kesco_site *site) {
    struct region *region = &thread_region;

    region->lane = KESCO_LANE_ORIGIN;
    if (region->serial || region->observed)
        return choose_late(KESCO_LANE_ORIGIN, site);
    region->stream = region->origin;
    return region->stream;
}

EXPORT void __kesco1_passed(int error) {
    struct region *region = &thread_region;

    end_op(region);
    if (region->serial)
        return;
    if (error == cudaSuccess && cudaPeekAtLastError() == cudaSuccess)
        kesco_lanes_note_action(&region->lanes);
    else
        kesco_lanes_align(&region->lanes);
}

EXPORT void __kesco1_align(void) {
    struct region *region = &thread_region;

    if (!region->serial)
        kesco_lanes_align(&region->lanes);
}

EXPORT void __kesco1_copied(const void *pointer) {
    struct region *region = &thread_region;

    if (!region->serial && !region->lanes.forked &&
        kesco_allocation_is_elsewhere(pointer, region->lanes.pool->device))
        collapse(region, "a copy of another device's memory");
}

static bool host_waits(const struct region *region, uint32_t when) {
    if (when == KESCO_FINISH_CALL)
        return false;
    return when == KESCO_FINISH_ALWAYS || region->serial || kesco_lanes_are_captured(&region->lanes);
}

/* The call was one that waits for all that its stream has so far, but on a lane. */
static void note_call(struct region *region, uint32_t lane, bool is_sure) {
    if (needs_idle_lanes(region)) {
        kesco_lanes_note_host(&region->lanes, lane, is_sure);
        kesco_lanes_settle(&region->lanes);
    } else if (!is_sure) {
        kesco_lanes_note_host(&region->lanes, lane, false);
    }
}

/*
 * Lets the host wait for the op that was issued last, on `lane`. The stream is not the origin where a guard
 * failed for this very call.
 */
static cudaError_t wait_for_op(struct region *region, uint32_t lane) {
    cudaError_t error = kesco_call_wait_for(region->stream);

    if (error != cudaSuccess || region->serial)
        return error;
    if (needs_idle_lanes(region))
        kesco_lanes_note_action(&region->lanes);
    else
        kesco_lanes_note_finish(&region->lanes, lane);
    return cudaSuccess;
}

EXPORT int __kesco1_finish(uint32_t lane, uint32_t when, int error) {
    struct region *region = &thread_region;
    const bool concurrent = !region->serial && !kesco_lanes_are_captured(&region->lanes);

    end_op(region);
    if (error == cudaSuccess && when != KESCO_FINISH_SERIAL && concurrent)
        note_call(region, lane, when == KESCO_FINISH_ALWAYS);
    if (error == cudaSuccess && host_waits(region, when))
        error = (int)wait_for_op(region, lane);
    /* For what comes behind that wait, the plan has no other. */
    if (error != cudaSuccess && when == KESCO_FINISH_ALWAYS && concurrent)
        collapse_because(region, (cudaError_t)error);
    return error;
}

/* The call that the lane was given for comes behind all of the region so far, and the rest behind it. */
static void collapse_here(struct region *region) {
    collapse(region, region->guard.refusal);
    region->guard_failed = true;
    kesco_lanes_follow(&region->lanes, region->lane);
    if (region->watched)
        kesco_watch_begin_again(&region->watch);
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
    if (region->serial || kesco_lanes_are_captured(&region->lanes))
        return;
    kesco_prefetch_to_device(&region->prefetch, pointer, region->lanes.pool->device, region->stream);
    if (region->watched)
        kesco_watch_begin_again(&region->watch);
}

EXPORT void __kesco1_prefetch_device(void *origin, const void *pointer) {
    if (!kesco_environment()->disable)
        kesco_prefetch_on(origin, pointer, cudaMemLocationTypeDevice);
}

EXPORT void __kesco1_prefetch_host(void *origin, const void *pointer) {
    if (!kesco_environment()->disable)
        kesco_prefetch_on(origin, pointer, cudaMemLocationTypeHost);
}

RARE static void count_run(const struct region *region) {
    const struct kesco_run run = {.lanes = region->lane_count,
                                  .ops = region->ops,
                                  .origin_ops = region->ops[KESCO_LANE_ORIGIN],
                                  .serial = region->reason,
                                  .guard_failed = region->guard_failed};

    kesco_statistics_add(region->counted, &run);
}

EXPORT void __kesco1_leave(void) {
    struct region *region = &thread_region;

    if (!region->open)
        return;
    end_op(region);
    if (region->timed)
        kesco_timings_close(&region->timings);
    if (!region->serial)
        kesco_lanes_settle(&region->lanes);
    kesco_lanes_gather(&region->lanes);
    kesco_lanes_close(&region->lanes);
    if (region->watched)
        kesco_watch_close(&region->watch);
    region->open = false;
    if (region->counted != NULL)
        count_run(region);
    /* Should an op of the region come before it is opened again, then behind all of it so far. */
    kesco_lanes_unready(&region->lanes, region->lane_count);
    region->serial = true;
}

EXPORT void __kesco1_interrupt(void) {
    __kesco1_leave();
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
