#include "runtime/region/lanes.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/region/managed.h"
#include "runtime/region/placing.h"

#include <stddef.h>
#include <string.h>

enum { CLAIMS = 64 };

/* By device, as far as there are so many: some thread has lanes beside its legacy default stream. */
static atomic_bool claims[CLAIMS];

static atomic_bool have_been; /* some lanes were opened */

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

void kesco_lanes_unready(struct kesco_lanes *lanes, uint32_t count) {
    memset(lanes->ready, 0, count * sizeof *lanes->ready);
}

/* Nothing has been recorded yet, and nothing comes after anything. */
static void begin(struct kesco_lanes *lanes) {
    lanes->pool->epoch++;
    memset(lanes->pool->lanes, 0, lanes->clocked * sizeof *lanes->pool->lanes);
    memset(lanes->unwaited.more, 0, sizeof lanes->unwaited.more);
}

uint32_t kesco_lanes_events(const struct kesco_region *region, uint32_t count) {
    return region->placed ? count : region->events;
}

/*
 * A number that no other stream has. To ask for that of a stream under capture spoils the capture (driver 580
 * on an H200 says cudaErrorStreamCaptureUnsupported); a capture has lanes of its own, for which the handle
 * does.
 */
static cudaError_t find_number(cudaStream_t origin, bool is_captured, unsigned long long *number) {
    if (!is_captured)
        return cudaStreamGetId(origin, number);
    *number = (uintptr_t)origin;
    return cudaSuccess;
}

/* What lanes beside another origin than the legacy default stream need: lane 0 is that. */
static cudaError_t need_forked(const struct kesco_lanes *lanes, struct kesco_need *of_pool) {
    cudaError_t error = find_capture(lanes->origin, &of_pool->capture);

    of_pool->forked = true;
    of_pool->streams--;
    if (of_pool->levels != NULL)
        of_pool->levels++;
    return error == cudaSuccess ? find_number(lanes->origin, of_pool->capture.active, &of_pool->origin)
                                : error;
}

static cudaError_t take_lanes(struct kesco_lanes *lanes, uint32_t count) {
    const struct kesco_region *region = lanes->region;
    struct kesco_need of_pool = {.streams = count,
                                 .joins = count,
                                 .events = kesco_lanes_events(region, count),
                                 .levels = region->levels};
    cudaError_t error = lanes->forked ? need_forked(lanes, &of_pool) : cudaSuccess;

    lanes->count = count;
    return error == cudaSuccess
               ? kesco_pool_acquire(&of_pool, &lanes->pool, lanes->streams + (lanes->forked ? 1 : 0))
               : error;
}

static cudaError_t open_forked(struct kesco_lanes *lanes) {
    lanes->unordered = false;
    lanes->streams[0] = lanes->ready[0] = lanes->origin;
    return record_point(lanes);
}

static cudaError_t open_beside_legacy(struct kesco_lanes *lanes, bool ordered) {
    atomic_bool *claim = &claims[lanes->pool->device % CLAIMS];

    lanes->unordered = !ordered;
    if (atomic_exchange_explicit(claim, true, memory_order_acquire))
        return cudaErrorAlreadyAcquired;
    lanes->claim = claim;
    return cudaSuccess;
}

uint32_t kesco_lanes_first(const struct kesco_region *region) {
    return region->placed && region->lanes > KESCO_PLACED_FIRST ? (uint32_t)KESCO_PLACED_FIRST
                                                                : region->lanes;
}

cudaError_t kesco_lanes_open(struct kesco_lanes *lanes, cudaStream_t origin,
                             const struct kesco_region *region, bool ordered) {
    cudaError_t error;

    lanes->region = region;
    lanes->origin = origin == NULL ? cudaStreamLegacy : origin;
    lanes->forked = lanes->origin != cudaStreamLegacy;
    lanes->claim = NULL;
    lanes->unwaited.is_renewed = lanes->unwaited.is_known = false;
    kesco_lanes_forget_host(lanes);
    lanes->clocked = region->lanes < KESCO_LANES_CLOCKED ? region->lanes : KESCO_LANES_CLOCKED;
    kesco_lanes_unready(lanes, region->lanes);
    error = take_lanes(lanes, kesco_lanes_first(region));
    if (error == cudaSuccess)
        error = lanes->forked ? open_forked(lanes) : open_beside_legacy(lanes, ordered);
    if (error != cudaSuccess)
        return error;
    begin(lanes);
    if (!kesco_lanes_have_been())
        atomic_store_explicit(&have_been, true, memory_order_relaxed);
    return cudaSuccess;
}

bool kesco_lanes_have_been(void) {
    return atomic_load_explicit(&have_been, memory_order_relaxed);
}

static bool is_origin(const struct kesco_lanes *lanes, uint32_t lane) {
    return lane == KESCO_LANE_ORIGIN || (lanes->forked && lane == 0);
}

static void add(uint64_t *set, uint32_t lane) {
    set[lane / 64] |= (uint64_t)1 << lane % 64;
}

static void take(uint64_t *set, uint32_t lane) {
    set[lane / 64] &= ~((uint64_t)1 << lane % 64);
}

static bool has(const uint64_t *set, uint32_t lane) {
    return (set[lane / 64] >> lane % 64 & 1) != 0;
}

static cudaEvent_t join_of(const struct kesco_lanes *lanes, uint32_t lane) {
    return lanes->pool->joins.items[lane].handle;
}

static cudaError_t fork_lane(const struct kesco_lanes *lanes, uint32_t lane) {
    return kesco_call_wait(lanes->streams[lane], lanes->pool->point.items[0].handle);
}

/* A record that the default stream refuses would invalidate the capture that it refuses it for, so ask first.
 */
static cudaError_t order_after_origin(struct kesco_lanes *lanes) {
    struct kesco_capture unused;
    cudaError_t before, error;

    if (!lanes->unordered)
        return cudaSuccess;
    before = cudaPeekAtLastError();
    error = find_capture(lanes->origin, &unused);
    if (error == cudaSuccess)
        error = record_point(lanes);
    else
        kesco_call_take_back(before);
    lanes->unordered = error != cudaSuccess;
    return error;
}

/* What the lane gets from here on is nothing that the host is to wait for. */
static cudaError_t mark(struct kesco_lanes *lanes, uint32_t lane) {
    cudaError_t error;

    if (lanes->unwaited.is_renewed || !has(lanes->unwaited.after, lane) || has(lanes->unwaited.marked, lane))
        return cudaSuccess;
    error = kesco_call_record(join_of(lanes, lane), lanes->streams[lane]);
    if (error == cudaSuccess)
        add(lanes->unwaited.marked, lane);
    return error;
}

static cudaError_t use(struct kesco_lanes *lanes, uint32_t lane) {
    cudaError_t error = lanes->forked ? fork_lane(lanes, lane) : order_after_origin(lanes);

    if (error == cudaSuccess)
        add(lanes->used, lane);
    return error;
}

/* The lanes are the same as before, and more. */
static cudaError_t widen(struct kesco_lanes *lanes) {
    const struct kesco_pool *pool = lanes->pool;
    const cudaError_t before = cudaPeekAtLastError(), error = take_lanes(lanes, lanes->region->lanes);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error == cudaSuccess && lanes->pool != pool ? cudaErrorUnknown : error;
}

cudaError_t kesco_lanes_ready(struct kesco_lanes *lanes, uint32_t lane) {
    const bool is_more = lane >= lanes->count && !is_origin(lanes, lane);
    cudaError_t error = is_more ? widen(lanes) : cudaSuccess;

    if (error == cudaSuccess)
        error = mark(lanes, lane);
    if (error == cudaSuccess && !is_origin(lanes, lane) && !has(lanes->used, lane))
        error = use(lanes, lane);
    if (error != cudaSuccess)
        return error;
    add(lanes->unwaited.more, lane);
    lanes->ready[lane] = lanes->streams[lane];
    return cudaSuccess;
}

void kesco_lanes_note_end(struct kesco_lanes *lanes, uint32_t lane) {
    take(lanes->unwaited.more, lane);
    lanes->ready[lane] = NULL;
}

void kesco_lanes_note_host(struct kesco_lanes *lanes, uint32_t lane, bool is_sure) {
    const bool stays = !is_sure && has(lanes->unwaited.after, lane);
    uint32_t i;

    memcpy(lanes->unwaited.after, lanes->used, sizeof lanes->unwaited.after);
    memset(lanes->unwaited.marked, 0, sizeof lanes->unwaited.marked);
    if (lanes->forked)
        add(lanes->unwaited.after, 0);
    if (lane < KESCO_LANES_MOST)
        take(lanes->unwaited.after, lane);
    if (lane < KESCO_LANES_MOST && is_sure)
        lanes->unwaited.passed = false; /* the lane's op came after that */
    lanes->unwaited.after_origin = lanes->unwaited.passed;
    if (stays) {
        add(lanes->unwaited.after, lane);
        add(lanes->unwaited.marked, lane);
    }
    for (i = 0; i < lanes->count; i++)
        if (has(lanes->unwaited.after, i))
            lanes->ready[i] = NULL;
}

/* From here on it is known what lanes have more. */
static void know_more(struct kesco_lanes *lanes) {
    if (!lanes->unwaited.is_known)
        memset(lanes->unwaited.more, 0xff, sizeof lanes->unwaited.more);
    lanes->unwaited.is_known = true;
}

/* The host has waited for all that `lane`, which has a clock, has: whatever comes next comes after that. */
static void note_done(struct kesco_lanes *lanes, uint32_t lane) {
    uint32_t i;

    for (i = 0; i < lanes->clocked; i++)
        kesco_vector_clock_join(&lanes->pool->lanes[i], &lanes->pool->lanes[lane], lanes->clocked);
    know_more(lanes);
    if (!is_origin(lanes, lane))
        kesco_lanes_note_end(lanes, lane);
}

static cudaError_t settle_lane(struct kesco_lanes *lanes, uint32_t lane) {
    const bool has_more = has(lanes->unwaited.marked, lane);
    const cudaError_t error =
        kesco_call_synchronize(lanes->streams[lane], has_more ? join_of(lanes, lane) : NULL);

    if (!has_more && lane < lanes->clocked)
        note_done(lanes, lane);
    return error;
}

static cudaError_t first_of(cudaError_t first, cudaError_t second) {
    return first != cudaSuccess ? first : second;
}

/* True if there are several to be waited for, with all that they have. */
static bool are_several(const struct kesco_lanes *lanes) {
    uint32_t i, several = 0;

    for (i = 0; i < lanes->count; i++)
        if (has(lanes->unwaited.after, i)) {
            if (has(lanes->unwaited.marked, i))
                return false;
            several++;
        }
    return several > 1;
}

/* With one call. False: that is to be done one by one. */
static bool settle_all(struct kesco_lanes *lanes, cudaError_t *error) {
    uint32_t i;

    if (!are_several(lanes) || !kesco_call_wait_for_device(error))
        return false;
    for (i = 0; i < lanes->count && i < lanes->clocked; i++)
        if (has(lanes->unwaited.after, i))
            note_done(lanes, i);
    kesco_lanes_forget_host(lanes);
    return true;
}

cudaError_t kesco_lanes_settle(struct kesco_lanes *lanes, bool may_wait_for_all) {
    cudaError_t error = cudaSuccess;
    uint32_t i;

    if (may_wait_for_all && settle_all(lanes, &error))
        return error;
    for (i = 0; i < lanes->count; i++)
        if (has(lanes->unwaited.after, i))
            error = first_of(error, settle_lane(lanes, i));
    memset(lanes->unwaited.after, 0, sizeof lanes->unwaited.after);
    if (!lanes->unwaited.after_origin)
        return error;
    lanes->unwaited.passed = lanes->unwaited.after_origin = false;
    return first_of(error, kesco_call_synchronize(lanes->origin, NULL));
}

void kesco_lanes_forget_host(struct kesco_lanes *lanes) {
    memset(lanes->unwaited.after, 0, sizeof lanes->unwaited.after);
    lanes->unwaited.passed = lanes->unwaited.after_origin = false;
}

/* All that `other` has is before what the host has waited for on `lane`. */
static bool is_finished_too(const struct kesco_lanes *lanes, uint32_t lane, uint32_t other) {
    const struct kesco_vector_clock *clocks = lanes->pool->lanes;

    return !is_origin(lanes, other) && !has(lanes->unwaited.more, other) &&
           clocks[lane].records[other] == clocks[other].records[other];
}

void kesco_lanes_note_finish(struct kesco_lanes *lanes, uint32_t lane) {
    uint32_t i;

    kesco_lanes_note_host(lanes, lane, true);
    if (lane >= lanes->clocked)
        return;
    for (i = 0; i < lanes->clocked && lanes->unwaited.is_known; i++)
        if (is_finished_too(lanes, lane, i))
            take(lanes->unwaited.after, i);
    note_done(lanes, lane);
}

bool kesco_lanes_are_captured(const struct kesco_lanes *lanes) {
    return lanes->pool->capture.active;
}

bool kesco_lanes_exclude_host(const struct kesco_lanes *lanes) {
    return !kesco_managed_is_concurrent(lanes->pool->device);
}

/* The origin waits for what the lane has. */
static cudaError_t let_origin_wait(const struct kesco_lanes *lanes, uint32_t lane) {
    cudaEvent_t join = join_of(lanes, lane);
    cudaError_t error = kesco_call_record(join, lanes->streams[lane]);

    return error != cudaSuccess ? error : kesco_call_wait(lanes->origin, join);
}

/* `error` is what came of ordering all lanes at once, where that is possible. */
static void join_lane(const struct kesco_lanes *lanes, uint32_t lane, cudaError_t error) {
    if (lanes->forked)
        error = let_origin_wait(lanes, lane);
    if (error == cudaSuccess)
        return;
    kesco_call_synchronize(lanes->streams[lane], NULL);
    kesco_log("the host waits for lane %u: %s", lane, cudaGetErrorName(error));
}

bool kesco_lanes_are_used(const struct kesco_lanes *lanes) {
    uint64_t any = 0;
    uint32_t i;

    for (i = 0; i < KESCO_LANES_MOST / 64; i++)
        any |= lanes->used[i];
    return any != 0;
}

/* In place of a call that was refused. */
static void wait_for_origin(const struct kesco_lanes *lanes, cudaError_t refused) {
    kesco_call_synchronize(lanes->origin, NULL);
    kesco_log("the host waits for the origin: %s", cudaGetErrorName(refused));
}

/*
 * What a stream only waits for need not be work of it to CUDA, until something comes after it: an H200
 * (driver 580.159) once let an action on the legacy default stream overtake that, where this one is blocking.
 * A record is taken for such work.
 */
static void end_join(const struct kesco_lanes *lanes) {
    cudaError_t error;

    if (!lanes->forked || kesco_lanes_are_captured(lanes))
        return;
    error = record_point(lanes);
    if (error != cudaSuccess)
        wait_for_origin(lanes, error);
}

void kesco_lanes_gather(struct kesco_lanes *lanes) {
    cudaError_t error;
    uint64_t left;
    uint32_t i;

    if (!kesco_lanes_are_used(lanes))
        return;
    error = lanes->forked ? cudaSuccess : record_point(lanes);
    for (i = 0; i < KESCO_LANES_MOST / 64; i++)
        for (left = lanes->used[i]; left != 0; left &= left - 1)
            join_lane(lanes, i * 64 + (uint32_t)__builtin_ctzll(left), error);
    memset(lanes->used, 0, sizeof lanes->used);
}

void kesco_lanes_join(struct kesco_lanes *lanes) {
    const bool are_used = kesco_lanes_are_used(lanes);

    kesco_lanes_gather(lanes);
    if (are_used)
        end_join(lanes);
}

void kesco_lanes_close(struct kesco_lanes *lanes) {
    if (lanes->claim != NULL)
        atomic_store_explicit(lanes->claim, false, memory_order_release);
    lanes->claim = NULL;
}

void kesco_lanes_note_action(struct kesco_lanes *lanes) {
    memset(lanes->used, 0, sizeof lanes->used);
    lanes->unordered = false;
    lanes->unwaited.passed = !lanes->forked;
    kesco_lanes_unready(lanes, lanes->count);
    begin(lanes);
}

void kesco_lanes_align(struct kesco_lanes *lanes) {
    if (!kesco_lanes_are_used(lanes))
        return;
    kesco_lanes_join(lanes);
    kesco_lanes_note_action(lanes);
}

void kesco_lanes_follow(struct kesco_lanes *lanes, uint32_t lane) {
    cudaError_t error;

    if (is_origin(lanes, lane))
        return;
    add(lanes->used, lane);
    add(lanes->unwaited.more, lane);
    if (!lanes->forked)
        return;
    error = record_point(lanes);
    if (error == cudaSuccess)
        error = fork_lane(lanes, lane);
    if (error != cudaSuccess)
        wait_for_origin(lanes, error);
}
