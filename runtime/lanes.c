#include "runtime/lanes.h"

#include "runtime/call.h"
#include "runtime/environment.h"

#include <stddef.h>
#include <string.h>

/* An invalidated capture takes nothing in, so it needs no pool: the record on the origin fails. */
static cudaError_t find_capture(cudaStream_t origin, struct kesco_capture *capture) {
    enum cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamGetCaptureInfo(origin, &status, &capture->id, NULL, NULL, NULL, NULL);

    capture->active = error == cudaSuccess && status == cudaStreamCaptureStatusActive;
    return error;
}

static cudaError_t record_point(const struct kesco_lanes *lanes) {
    return kesco_call_record(lanes->pool->point.items[0].handle, lanes->origin);
}

/*
 * True if `error`, of a record on the origin, says that cudaDeviceReset has destroyed the pool's event. The
 * error is the same where the origin is another device's.
 */
static bool pool_is_dead(const struct kesco_lanes *lanes, cudaError_t error) {
    int device;

    if (error != cudaErrorInvalidResourceHandle && error != cudaErrorContextIsDestroyed)
        return false;
    return cudaStreamGetDevice(lanes->origin, &device) == cudaSuccess && device == lanes->pool->device;
}

static cudaError_t acquire(struct kesco_lanes *lanes, const struct kesco_need *need) {
    return kesco_pool_acquire(need, &lanes->pool, lanes->forked ? lanes->streams + 1 : lanes->streams);
}

static cudaError_t acquire_and_record(struct kesco_lanes *lanes, const struct kesco_need *need) {
    cudaError_t error = acquire(lanes, need);

    if (error != cudaSuccess)
        return error;
    error = record_point(lanes);
    if (!pool_is_dead(lanes, error))
        return error;
    kesco_log("the device was reset: streams and events are made anew");
    kesco_pool_forget(lanes->pool);
    error = acquire(lanes, need);
    return error == cudaSuccess ? record_point(lanes) : error;
}

void kesco_lanes_unready(struct kesco_lanes *lanes, uint32_t count) {
    memset(lanes->ready, 0, count * sizeof *lanes->ready);
}

cudaError_t kesco_lanes_open(struct kesco_lanes *lanes, cudaStream_t origin,
                             const struct kesco_lanes_need *need) {
    struct kesco_need of_pool = {.streams = need->lanes, .events = need->events, .levels = need->levels};
    cudaError_t error;

    lanes->origin = origin == NULL ? cudaStreamLegacy : origin;
    lanes->forked = lanes->origin != cudaStreamLegacy;
    kesco_lanes_unready(lanes, need->lanes);
    if (lanes->forked) {
        of_pool.forked = true;
        of_pool.streams--;
        of_pool.levels += need->levels != NULL;
        lanes->streams[0] = lanes->ready[0] = lanes->origin;
    }
    error = find_capture(lanes->origin, &of_pool.capture);
    if (error == cudaSuccess)
        error = acquire_and_record(lanes, &of_pool);
    if (error != cudaSuccess)
        return error;
    lanes->pool->openings++;
    lanes->clocked = need->lanes < KESCO_LANES_CLOCKED ? need->lanes : KESCO_LANES_CLOCKED;
    memset(lanes->pool->lanes, 0, lanes->clocked * sizeof *lanes->pool->lanes);
    return cudaSuccess;
}

static bool is_origin(const struct kesco_lanes *lanes, uint32_t lane) {
    return lanes->forked && lane == 0;
}

static void add(uint64_t *set, uint32_t lane) {
    set[lane / 64] |= (uint64_t)1 << lane % 64;
}

static cudaError_t fork_lane(const struct kesco_lanes *lanes, uint32_t lane) {
    return kesco_call_wait(lanes->streams[lane], lanes->pool->point.items[0].handle);
}

cudaError_t kesco_lanes_ready(struct kesco_lanes *lanes, uint32_t lane) {
    cudaError_t error = lanes->forked ? fork_lane(lanes, lane) : cudaSuccess;

    if (error == cudaSuccess) {
        add(lanes->used, lane);
        lanes->ready[lane] = lanes->streams[lane];
    }
    return error;
}

void kesco_lanes_note_finish(struct kesco_lanes *lanes, uint32_t lane) {
    uint32_t i;

    if (lane >= lanes->clocked)
        return;
    for (i = 0; i < lanes->clocked; i++)
        kesco_clock_join(&lanes->pool->lanes[i], &lanes->pool->lanes[lane], lanes->clocked);
}

bool kesco_lanes_are_captured(const struct kesco_lanes *lanes) {
    return lanes->pool->capture.active;
}

/* The origin waits for what the lane has. */
static cudaError_t join_lane(const struct kesco_lanes *lanes, uint32_t lane) {
    cudaEvent_t join = lanes->pool->joins.items[lane - 1].handle;
    cudaError_t error = kesco_call_record(join, lanes->streams[lane]);

    return error != cudaSuccess ? error : kesco_call_wait(lanes->origin, join);
}

/* `error` is what came of ordering all lanes at once, where that is possible. */
static void gather_lane(const struct kesco_lanes *lanes, uint32_t lane, cudaError_t error) {
    if (lanes->forked)
        error = join_lane(lanes, lane);
    if (error == cudaSuccess)
        return;
    kesco_call_synchronize(lanes->streams[lane]);
    kesco_log("the host waits for lane %u: %s", lane, cudaGetErrorName(error));
}

static bool is_any_used(const struct kesco_lanes *lanes) {
    uint64_t any = 0;
    uint32_t i;

    for (i = 0; i < KESCO_LANES_MOST / 64; i++)
        any |= lanes->used[i];
    return any != 0;
}

void kesco_lanes_gather(struct kesco_lanes *lanes) {
    cudaError_t error;
    uint64_t left;
    uint32_t i;

    if (!is_any_used(lanes))
        return;
    error = lanes->forked ? cudaSuccess : record_point(lanes);
    for (i = 0; i < KESCO_LANES_MOST / 64; i++)
        for (left = lanes->used[i]; left != 0; left &= left - 1)
            gather_lane(lanes, i * 64 + (uint32_t)__builtin_ctzll(left), error);
    memset(lanes->used, 0, sizeof lanes->used);
}

void kesco_lanes_follow(struct kesco_lanes *lanes, uint32_t lane) {
    cudaError_t error;

    if (is_origin(lanes, lane))
        return;
    add(lanes->used, lane);
    if (!lanes->forked)
        return;
    error = record_point(lanes);
    if (error == cudaSuccess)
        error = fork_lane(lanes, lane);
    if (error == cudaSuccess)
        return;
    kesco_call_synchronize(lanes->origin);
    kesco_log("the host waits for the origin: %s", cudaGetErrorName(error));
}
