#include "runtime/region/region.h"

#include "runtime/call.h"
#include "runtime/region/allocation.h"
#include "runtime/region/attention.h"
#include "runtime/region/cost.h"

#include <stddef.h>
#include <string.h>

/* Kept out of what each op goes through. */
#define RARE __attribute__((noinline, cold))

_Thread_local struct kesco_region_state kesco_thread_region;

RARE void kesco_region_collapse(struct kesco_region_state *region, const char *reason) {
    if (!region->way.fenced)
        kesco_governor_drop_timing(&region->governing.governor);
    kesco_region_settle_lanes(region);
    kesco_lanes_join(&region->lanes);
    kesco_lanes_unready(&region->lanes, region->opened.asked->lanes);
    region->way.serial = true;
    if (region->way.fenced)
        kesco_watch_fence(&region->watch, reason);
    else
        kesco_watch_collapse(&region->watch, reason);
}

RARE static void collapse_because(struct kesco_region_state *region, cudaError_t error) {
    kesco_region_collapse(region, cudaGetErrorName(error));
}

RARE void kesco_region_end_timed_op(struct kesco_region_state *region) {
    if (!kesco_fetch_clock_runs(&region->fetching.prefetch.fetched.clock))
        return;
    kesco_prefetch_end_op(&region->fetching.prefetch);
    kesco_region_note_slow(region);
}

/* The op before this call of ours is on its stream. */
RARE static void end_op(struct kesco_region_state *region) {
    kesco_region_end_timed_op(region);
    if (region->way.watched)
        kesco_watch_end(&region->watch);
}

/* The stream of a lane, or the origin, that is not ready. */
RARE static void *find_stream(struct kesco_region_state *region, uint32_t lane) {
    cudaError_t error;

    if (!region->way.serial) {
        error = kesco_lanes_ready(&region->lanes, lane);
        region->fetching.first = lane;
        if (error == cudaSuccess)
            return region->lanes.streams[lane];
        collapse_because(region, error);
    }
    kesco_lanes_join(&region->lanes);
    return region->opened.origin;
}

/*
 * Every op comes through the next ones. A lane that is ready says all that they need to know: the region is
 * open and not serial. What they do else has functions of its own, which find the region again, so that a
 * lane that is ready costs no more than it must.
 */

/* The region has lanes no more, but may get some again, unless it is captured. */
static void give_up_lanes(struct kesco_region_state *region, const char *reason) {
    kesco_region_collapse(region, reason);
    region->placement.rest.lost = region->placement.placing.placed;
    region->way.undecided = !kesco_lanes_are_captured(&region->lanes);
    kesco_lanes_close(&region->lanes);
}

RARE static void govern(struct kesco_region_state *region, uint32_t lane, const struct kesco_site *site,
                        uint64_t amount) {
    kesco_governor_place(&region->governing.governor, lane, site, amount);
    if (region->way.undecided) {
        if (!region->way.stays && kesco_governor_pays(&region->governing.governor, region->opened.origin))
            kesco_region_make_lanes(region);
    } else if (kesco_governor_gives_up(&region->governing.governor)) {
        give_up_lanes(region, region->governing.governor.way.doubts ? "what lanes save is measured"
                                                                    : "lanes cost more than they save");
    }
    kesco_region_note_slow(region);
    if (!region->way.serial && !region->way.slow)
        kesco_region_end_replay(region); /* it would not be told of all ops */
}

/* True if the launch of the op is put off. */
static bool is_put_off(struct kesco_region_state *region, uint32_t lane, const struct kesco_site *site,
                       uint64_t amount) {
    if (region->replaying.replay == NULL && region->replaying.may_replay &&
        (region->way.serial || region->governing.governor.counts))
        region->replaying.replay =
            kesco_replay_open(region->opened.asked, region->opened.origin, &region->governing.governor,
                              kesco_region_is_shared(region));
    if (region->replaying.replay == NULL)
        return false;
    if (!kesco_replay_place(region->replaying.replay, lane, site, amount))
        return false;
    kesco_governor_drop_timing(&region->governing.governor);
    if (!region->way.serial)
        give_up_lanes(region, "its launches are replayed");
    return true;
}

RARE static void *choose_late(uint32_t lane, const struct kesco_site *site, uint64_t amount) {
    struct kesco_region_state *region = &kesco_thread_region;

    end_op(region);
    if (region->way.fenced && !region->way.stays)
        kesco_region_begin_anew(region);
    region->replaying.put_off = is_put_off(region, lane, site, amount);
    if (!region->replaying.put_off && region->governing.governor.counts)
        govern(region, lane, site, amount);
    region->way.stays = false;
    if (lane == KESCO_LANE_ORIGIN && !region->way.serial)
        region->op.stream = region->opened.origin;
    else if (lane == KESCO_LANE_ORIGIN || region->lanes.ready[lane] == NULL)
        region->op.stream = find_stream(region, lane);
    else
        region->op.stream = region->lanes.ready[lane];
    if (region->way.watched)
        kesco_watch_begin(&region->watch, lane, region->op.stream, site);
    return region->op.stream;
}

void *__kesco1_lane(uint32_t lane, const struct kesco_site *site, uint64_t amount) {
    struct kesco_region_state *region = &kesco_thread_region;
    void *stream = region->lanes.ready[lane];

    region->op.lane = lane;
    region->host.lent.idle = region->host.quiet = false;
    if (stream == NULL || region->way.slow)
        return choose_late(lane, site, amount);
    region->op.stream = stream;
    return stream;
}

RARE static void fail(cudaError_t error) {
    collapse_because(&kesco_thread_region, error);
}

/* Makes a lane ready that is recorded on or waits before it is launched on. False: the region is serial. */
static bool make_ready(struct kesco_region_state *region, uint32_t lane) {
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
    struct kesco_region_state *region = &kesco_thread_region;
    uint64_t began;

    kesco_region_end_timed_op(region);
    kesco_governor_record(&region->governing.governor, event, lane);
    if (region->replaying.replay != NULL)
        kesco_replay_record(region->replaying.replay, event, lane);
    if (region->way.serial) {
        end_op(region);
        return;
    }
    if (region->way.watched)
        kesco_watch_record(&region->watch, event, lane);
    if (!make_ready(region, lane))
        return;
    began = region->governing.governor.contest != NULL ? kesco_attention_now() : 0;
    record_on(&region->lanes, event, lane, region->lanes.ready[lane]);
    if (began != 0)
        kesco_cost_note(KESCO_COST_MARK, kesco_attention_now() - began);
}

void __kesco1_record(uint32_t event, uint32_t lane) {
    struct kesco_region_state *region = &kesco_thread_region;
    cudaStream_t stream = region->lanes.ready[lane];

    if (stream == NULL || region->way.slow)
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
    struct kesco_region_state *region = &kesco_thread_region;

    kesco_region_end_timed_op(region);
    kesco_governor_wait(&region->governing.governor, event, lane);
    if (region->replaying.replay != NULL)
        kesco_replay_wait(region->replaying.replay, event, lane);
    if (region->way.serial) {
        end_op(region);
        return;
    }
    if (region->way.watched)
        kesco_watch_wait(&region->watch, event, lane);
    if (kesco_lanes_must_wait(&region->lanes, event, lane) && make_ready(region, lane))
        wait_on(&region->lanes, event, lane, region->lanes.ready[lane]);
}

void __kesco1_wait(uint32_t event, uint32_t lane) {
    struct kesco_region_state *region = &kesco_thread_region;
    cudaStream_t stream = region->lanes.ready[lane];

    if (stream == NULL || region->way.slow)
        wait_late(event, lane);
    else
        wait_on(&region->lanes, event, lane, stream);
}

void __kesco1_awaited(uint32_t is_awaited) {
    kesco_thread_region.lanes.unwaited.is_renewed = is_awaited != 0;
}

void *__kesco1_origin(const struct kesco_site *site, uint64_t amount) {
    struct kesco_region_state *region = &kesco_thread_region;

    region->op.lane = KESCO_LANE_ORIGIN;
    region->host.lent.idle = region->host.quiet = false;
    if (region->way.serial || region->way.slow)
        return choose_late(KESCO_LANE_ORIGIN, site, amount);
    region->op.stream = region->opened.origin;
    return region->op.stream;
}

void __kesco1_passed(int error) {
    struct kesco_region_state *region = &kesco_thread_region;

    end_op(region);
    if (region->way.serial)
        return;
    if (error == cudaSuccess && cudaPeekAtLastError() == cudaSuccess)
        kesco_lanes_note_action(&region->lanes);
    else
        kesco_lanes_align(&region->lanes);
}

void __kesco1_align(void) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (region->replaying.replay != NULL)
        kesco_replay_align(region->replaying.replay);
    if (!region->way.serial)
        kesco_lanes_align(&region->lanes);
}

void __kesco1_copied(const void *pointer) {
    struct kesco_region_state *region = &kesco_thread_region;

    region->way.stays = region->way.undecided || region->way.fenced;
    if (!region->way.serial && !region->lanes.forked &&
        kesco_allocation_is_elsewhere(pointer, region->lanes.pool->device))
        kesco_region_collapse(region, "a copy of another device's memory");
}

int __kesco1_launch(const void *function, const void *grid, const void *block, void **arguments,
                    uint64_t shared, void *stream) {
    struct kesco_replay *replay;
    cudaError_t error;
    dim3 blocks, threads;

    memcpy(&blocks, grid, sizeof blocks);
    memcpy(&threads, block, sizeof threads);
    if (kesco_thread_region.placement.begun)
        stream = __kesco1_place();
    replay = kesco_thread_region.replaying.replay;
    if (replay != NULL && kesco_replay_launch(replay, function, blocks, threads, arguments, shared))
        return cudaSuccess;
    error = cudaLaunchKernel(function, blocks, threads, arguments, shared, stream);
    if (replay != NULL)
        kesco_replay_note_launch(replay, error != cudaSuccess);
    return (int)error;
}

/* True if the op is put off. */
static bool is_transfer_put_off(const struct kesco_transfer *transfer) {
    struct kesco_replay *replay = kesco_thread_region.replaying.replay;

    return replay != NULL && kesco_replay_transfer(replay, transfer);
}

static int note_transfer(cudaError_t error) {
    if (kesco_thread_region.replaying.replay != NULL)
        kesco_replay_note_launch(kesco_thread_region.replaying.replay, error != cudaSuccess);
    return (int)error;
}

int __kesco1_set(void *to, int value, uint64_t bytes, void *stream, int is_asynchronous) {
    const struct kesco_transfer transfer = {to, NULL, bytes, (unsigned char)value};

    if (is_transfer_put_off(&transfer))
        return cudaSuccess;
    return note_transfer(is_asynchronous ? cudaMemsetAsync(to, value, bytes, stream)
                                         : cudaMemset(to, value, bytes));
}

int __kesco1_copy(void *to, const void *from, uint64_t bytes, void *stream, int is_asynchronous) {
    const struct kesco_transfer transfer = {to, from, bytes, 0};

    if (from != NULL && is_transfer_put_off(&transfer))
        return cudaSuccess;
    return note_transfer(is_asynchronous ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)
                                         : cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
}

int __kesco1_serial(void) {
    return kesco_thread_region.way.serial;
}

static bool host_waits(const struct kesco_region_state *region, uint32_t when) {
    if (when == KESCO_FINISH_CALL || when == KESCO_FINISH_DONE)
        return false;
    return when == KESCO_FINISH_ALWAYS || region->way.serial || kesco_lanes_are_captured(&region->lanes);
}

/* The call was one that waits for all that its stream has so far, but on a lane. */
static void note_call(struct kesco_region_state *region, uint32_t lane, bool is_sure) {
    if (kesco_lanes_exclude_host(&region->lanes)) {
        kesco_lanes_note_host(&region->lanes, lane, is_sure);
        kesco_region_settle_lanes(region);
    } else if (!is_sure) {
        kesco_lanes_note_host(&region->lanes, lane, false);
    }
}

/*
 * Lets the host wait for the op that was issued last, on `lane`. The stream is not the origin where a guard
 * failed for this very call.
 */
static cudaError_t wait_for_op(struct kesco_region_state *region, uint32_t lane) {
    cudaError_t error = kesco_call_wait_for(region->op.stream);

    if (error != cudaSuccess || region->way.serial)
        return error;
    if (kesco_lanes_exclude_host(&region->lanes))
        kesco_lanes_note_action(&region->lanes);
    else
        kesco_lanes_note_finish(&region->lanes, lane);
    region->host.quiet = true;
    return cudaSuccess;
}

/* The host has waited by an op, unless that was refused: then what was put off before is told of first. */
static int note_awaited(struct kesco_region_state *region, int error) {
    cudaError_t before = cudaSuccess;

    if (error == cudaSuccess)
        region->host.owed = false;
    else
        before = kesco_region_settle_alone(region);
    return before != cudaSuccess ? (int)before : error;
}

int __kesco1_finish(uint32_t lane, uint32_t when, int error) {
    struct kesco_region_state *region = &kesco_thread_region;
    const bool concurrent = !region->way.serial && !kesco_lanes_are_captured(&region->lanes);

    if (lane == KESCO_LANE_PLACED)
        lane = region->op.lane;
    end_op(region);
    if (when == KESCO_FINISH_CALL)
        kesco_governor_note_call(&region->governing.governor);
    if (when == KESCO_FINISH_ALWAYS || when == KESCO_FINISH_DONE) {
        error = note_awaited(region, error);
        kesco_region_note_host(region, lane);
    }
    if (error == cudaSuccess && when != KESCO_FINISH_SERIAL && concurrent)
        note_call(region, lane, when == KESCO_FINISH_ALWAYS);
    if (error == cudaSuccess && host_waits(region, when))
        error = (int)wait_for_op(region, lane);
    /* What other functions have put on other lanes, the host has not waited for. */
    if ((when == KESCO_FINISH_ALWAYS || when == KESCO_FINISH_DONE) &&
        !(concurrent && kesco_region_is_shared(region)))
        kesco_region_note_waited(region);
    /* For what comes after that wait, the plan has no other. */
    if (error != cudaSuccess && when == KESCO_FINISH_ALWAYS && concurrent)
        collapse_because(region, (cudaError_t)error);
    return error;
}
