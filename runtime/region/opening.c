#include "runtime/region/region.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/region/attention.h"
#include "runtime/region/contest.h"
#include "runtime/region/fetch_ahead.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t first_once = PTHREAD_ONCE_INIT;

/*
 * A program that ends within a region, by exit, may have work to do at exit that comes after it. Where the
 * runtime is part of a shared library, this is done before that is unloaded. What is loaded for the first
 * region, such as CUPTI, ends after that: what is registered later is called earlier.
 */
static pthread_once_t open_once = PTHREAD_ONCE_INIT;

/* A library that ends earlier may have reset the device: then there is nothing left to order. */
static bool has_lost_lanes(const struct kesco_region_state *region) {
    bool gone;

    return region->way.open && !region->way.serial &&
           kesco_witness_ask_anywhere(&region->lanes.pool->witness, &gone) == cudaSuccess && gone;
}

static void end(void) {
    if (!has_lost_lanes(&kesco_thread_region))
        __kesco1_leave();
    kesco_pools_stay();
    kesco_watch_end_process();
}

static void begin_process(void) {
    kesco_attention_start();
    atexit(end);
}

/* True if what its mode does is the governor's to say. */
static bool is_governed(const struct kesco_region *asked) {
    const uint32_t mode = kesco_governor_mode(asked);

    return (mode == KESCO_MODE_AUTO || mode == KESCO_MODE_TURNS ||
            (mode == KESCO_MODE_GRAPH && !asked->replays)) &&
           asked->history != NULL;
}

static bool may_be_replayed(const struct kesco_region *asked) {
    return asked->replays != 0 || asked->lanes == 1;
}

/* For the sake of replay, that has been asked before; it is a call of CUDA in each opening. */
static bool is_captured(const struct kesco_region_state *region) {
    return may_be_replayed(region->opened.asked) ? region->replaying.captured
                                                 : kesco_call_origin_may_be_captured(region->opened.origin);
}

/*
 * A call of ours that fails would put another error in the place of one that the program has not seen. NULL:
 * there is none.
 */
static const char *find_pending_error(void) {
    const cudaError_t error = cudaPeekAtLastError();

    return error == cudaSuccess ? NULL : cudaGetErrorName(error);
}

/* Where estimates say that the device lags behind, it is asked. */
static void ask_for_idle(const struct kesco_region_opened *opened) {
    if (kesco_governor_asks_for_idle(opened->asked) && find_pending_error() == NULL &&
        !kesco_call_is_busy(opened->origin))
        kesco_governor_note_idle(opened->asked);
}

/* Why the region is not to be concurrent now, as far as the governor is asked. NULL: it is. */
static const char *ask_governor(struct kesco_region_state *region) {
    struct kesco_governor *governor = &region->governing.governor;
    const struct kesco_region *asked = region->opened.asked;
    const char *reason;

    if (is_governed(asked) && is_captured(region)) {
        reason = kesco_governor_open_captured(governor, asked);
    } else {
        ask_for_idle(&region->opened);
        reason = kesco_governor_open(governor, asked);
    }
    governor->way.forks = !kesco_call_is_legacy(region->opened.origin);
    region->way.undecided = reason != NULL && governor->counts;
    return reason;
}

/* Asked of CUDA only where it matters. */
static bool begins_idle(const struct kesco_region_state *region) {
    return region->fetching.asks && find_pending_error() == NULL &&
           !kesco_fetch_ahead_is_wanted(region->opened.origin);
}

/* Where the run places ops, most of the time it is to see first whether they gain by lanes. */
static bool replays_at_once(const struct kesco_region_state *region, bool chained) {
    const uint32_t mode = kesco_governor_mode(region->opened.asked);

    return !region->opened.asked->placed || chained || region->opened.is_own ||
           (kesco_region_is_shared(region) && (mode == KESCO_MODE_GRAPH || mode == KESCO_MODE_TURNS));
}

/* Why the region cannot be concurrent, whatever CUDA says of lanes. NULL: it can. */
static const char *reason_to_be_serial(struct kesco_region_state *region) {
    const char *reason = kesco_watch_look_up(&region->watch, region->opened.origin, region->opened.asked);
    bool chained;

    if (reason != NULL)
        return reason;
    chained = kesco_region_is_chained(region->opened.asked);
    region->replaying.captured =
        may_be_replayed(region->opened.asked) && kesco_call_origin_may_be_captured(region->opened.origin);
    region->replaying.may_replay = kesco_region_can_replay(region) && replays_at_once(region, chained);
    if (region->replaying.may_replay)
        region->replaying.replay =
            kesco_replay_open(region->opened.asked, region->opened.origin, &region->governing.governor,
                              kesco_region_is_shared(region));
    if (kesco_governor_mode(region->opened.asked) != KESCO_MODE_SERIAL) {
        region->host.soon_alone = (region->opened.asked->placed && !kesco_region_is_shared(region)) ||
                                  (region->opened.asked->lanes == 1 && region->replaying.may_replay);
        region->host.may_be_alone =
            region->opened.asked->lanes > 1 && !region->opened.asked->placed && !region->opened.asked->joins;
        region->host.lent.may_wait = kesco_region_is_shared(region);
        region->fetching.fetches =
            (region->opened.asked->lanes == 1 || region->opened.is_own) && !region->replaying.captured;
        region->fetching.began_idle = region->fetching.fetches && begins_idle(region);
    }
    if (region->opened.is_own)
        return "it is replayed by itself";
    if (chained)
        return "its ops have to wait for each other";
    if (region->opened.asked->lanes == 1)
        return "one lane is the origin";
    if (region->replaying.replay != NULL && kesco_replay_is_ready(region->replaying.replay)) {
        region->way.undecided = true;
        return "its launches are replayed";
    }
    reason = ask_governor(region);
    return reason != NULL ? reason : find_pending_error();
}

/*
 * Opens the lanes. Returns why they cannot be, or NULL. On devices without concurrent managed access, memory
 * may belong to the stream that is the origin, and to no other (cudaStreamAttachMemAsync); nobody can be
 * asked whether it does.
 */
static const char *open_lanes(struct kesco_region_state *region, bool ordered) {
    cudaError_t error;

    pthread_once(&first_once, kesco_call_prepare);
    error = kesco_lanes_open(&region->lanes, region->opened.origin, region->opened.asked, ordered);
    if (error == cudaSuccess && (!region->lanes.forked || !kesco_lanes_exclude_host(&region->lanes)))
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

/* After open_lanes, or in its place: the region has lanes, or for this reason it is serial. */
static void begin(struct kesco_region_state *region, const char *reason) {
    region->way.serial = reason != NULL;
    if (!region->way.serial)
        return;
    kesco_lanes_unready(&region->lanes, region->opened.asked->lanes);
    if (!region->way.undecided)
        region->governing.governor.counts = false;
}

void kesco_region_make_lanes(struct kesco_region_state *region) {
    const char *reason;

    if (find_pending_error() != NULL)
        return;
    if (region->host.may_be_alone && !region->governing.governor.part.guard.asks)
        kesco_guard_forget(&region->guard); /* what the origin has had is before all that lanes get */
    if (region->governing.governor.counts)
        kesco_governor_note_lanes(&region->governing.governor);
    reason = open_lanes(region, false);
    if (reason != NULL)
        kesco_governor_drop_timing(&region->governing.governor);
    region->way.undecided = false;
    begin(region, reason);
    if (!region->way.serial) {
        /* the host has waited for nothing of what the origin has had from the region, if that is anything */
        region->host.covered = kesco_region_note_first(region) ? KESCO_REACH_STREAM : 0;
        region->lanes.unwaited.passed = !region->lanes.forked;
    }
    kesco_watch_decide(&region->watch, reason);
}

static void open_region(struct kesco_region_state *region, struct kesco_region_opened opened, bool ordered) {
    const struct kesco_region *asked = opened.asked;
    void *origin = opened.origin;
    const char *reason;

    region->opened = opened;
    region->governing.expected_wait.history = NULL;
    region->op.lane = 0;
    region->host.covered = 0;
    region->way.stays = region->way.fenced = region->way.undecided = region->replaying.may_replay =
        region->host.alone = region->host.soon_alone = region->host.waits_for_all =
            region->host.may_be_alone = region->host.owed = region->host.quiet = false;
    region->host.lent = (struct kesco_lent_waits){0};
    region->placement.begun = region->replaying.captured = region->fetching.fetches =
        region->fetching.began_idle = false;
    region->fetching.first = KESCO_NO_LANE;
    region->way.open = true;
    if (asked->placed) {
        kesco_placing_clear(&region->placement.placing, asked->lanes);
        kesco_width_clear(&region->placement.width);
        region->placement.rest = (struct kesco_placed_rest){0};
        memset(region->placement.allocations, 0, sizeof region->placement.allocations);
        kesco_own_memory_clear(&region->placement.own);
    }
    kesco_guard_clear(&region->guard);
    region->claims.checks = kesco_environment()->check;
    kesco_prefetch_clear(&region->fetching.prefetch);
    reason = reason_to_be_serial(region);
    if (reason == NULL)
        reason = open_lanes(region, ordered);
    begin(region, reason);
    if (region->way.undecided || !region->way.serial)
        kesco_governor_begin_timing(&region->governing.governor, origin, !region->way.serial);
    region->way.watched = kesco_watch_open(&region->watch, reason);
    kesco_region_note_slow(region);
    pthread_once(&open_once, begin_process);
}

void __kesco1_enter_behind(void *origin, const struct kesco_region *asked, int error) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (region->way.open && region->opened.asked == asked && region->opened.origin == origin)
        return;
    __kesco1_leave_for(region->opened.origin == origin ? "a region of other ops" : "ops on another stream");
    open_region(region, (struct kesco_region_opened){origin, asked, false}, error == cudaSuccess);
}

void kesco_region_enter_own(void *origin, const struct kesco_region *asked) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (region->way.open && region->opened.asked != asked)
        __kesco1_leave_for("launches that are replayed as a graph");
    __kesco1_leave();
    open_region(region, (struct kesco_region_opened){origin, asked, true}, false);
}

void __kesco1_enter(void *origin, const struct kesco_region *asked) {
    __kesco1_enter_behind(origin, asked, cudaErrorUnknown);
}

/* Where the host has waited for all, nothing of ours is left on the origin, either: the program may ask. */
static void close_governor(struct kesco_region_state *region, bool is_idle) {
    struct kesco_contest *contest = region->governing.governor.contest;
    const bool ends_timing = is_idle && kesco_contest_is_being_timed(contest);

    kesco_governor_close(&region->governing.governor, region->opened.origin);
    if (ends_timing)
        kesco_span_await(&contest->timed.span);
}

void __kesco1_leave(void) {
    struct kesco_region_state *region = &kesco_thread_region;
    bool is_idle;

    if (!region->way.open)
        return;
    kesco_region_end_timed_op(region);
    if (region->way.watched)
        kesco_watch_end(&region->watch);
    kesco_region_end_replay(region);
    is_idle = region->way.serial ? region->host.owed || region->host.lent.idle : region->host.quiet;
    kesco_region_settle_alone(region);
    if (!region->way.serial)
        kesco_region_settle_lanes(region);
    if (!region->way.serial && region->host.quiet)
        kesco_lanes_note_action(&region->lanes); /* nothing is left that could come before anything */
    kesco_lanes_join(&region->lanes);
    close_governor(region, is_idle);
    kesco_lanes_close(&region->lanes);
    kesco_freed_give_back(&region->host.freed);
    if (region->opened.asked->placed)
        kesco_region_end_placing(region);
    if (region->way.watched)
        kesco_watch_close(&region->watch);
    if (region->claims.checks)
        kesco_claims_clear(&region->claims.claims);
    /* Should an op of the region come before it is opened again, then after all of it so far. */
    kesco_lanes_unready(&region->lanes, region->opened.asked->lanes);
    region->way.open = region->way.fenced = region->way.undecided = region->replaying.may_replay =
        region->host.alone = region->host.soon_alone = region->host.may_be_alone = region->fetching.fetches =
            false;
    region->way.watched = region->way.slow = false;
    region->way.serial = true;
    kesco_region_tell_lent(region);
}

void __kesco1_leave_own(void) {
    const struct kesco_region_state *region = &kesco_thread_region;

    if (region->way.open && !kesco_region_is_shared(region))
        __kesco1_leave();
}

void __kesco1_leave_for(const char *what) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (region->way.open && kesco_region_is_shared(region))
        kesco_watch_tell_end(&region->watch, what);
    __kesco1_leave();
}

void __kesco1_interrupt(void) {
    __kesco1_leave_for("a function that code calls which is not seen");
}

/* The program's next call lets the host wait. */
static void expect_wait(struct kesco_region_state *region) {
    kesco_governor_expect_wait(&region->governing.governor, &region->governing.expected_wait);
    if (region->replaying.replay != NULL)
        kesco_replay_expect_host(region->replaying.replay);
}

void __kesco1_leave_by_wait(void *stream) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (stream != region->opened.origin)
        region->governing.expected_wait.history = NULL;
    else if (region->way.open)
        expect_wait(region);
    else
        kesco_governor_expect_event(&region->governing.expected_wait, NULL);
    __kesco1_leave();
}

void __kesco1_leave_by_event(void *event) {
    __kesco1_leave();
    kesco_governor_expect_event(&kesco_thread_region.governing.expected_wait, event);
}

/* The next call orders what follows after the region's work itself, where the origin is the legacy default
 * stream. */
static void leave_before_action(struct kesco_region_state *region) {
    if (region->way.serial || region->lanes.forked)
        __kesco1_leave();
    else /* what is left on the origin behind a wait, the program could ask about */
        kesco_governor_end_timing(&region->governing.governor, region->opened.origin);
}

void __kesco1_leave_by_next(void) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (!region->way.open) {
        kesco_governor_expect_event(&region->governing.expected_wait, NULL);
        return;
    }
    expect_wait(region);
    leave_before_action(region);
}

void __kesco1_leave_by_record(void *stream, uint32_t acts) {
    struct kesco_region_state *region = &kesco_thread_region;

    region->governing.expected_wait.history = NULL;
    if (!region->way.open)
        return;
    if (acts || stream == region->opened.origin)
        kesco_governor_expect_wait(&region->governing.governor, &region->governing.expected_wait);
    if (acts)
        leave_before_action(region);
    else
        __kesco1_leave();
}

static void leave_behind(struct kesco_region_state *region, int error) {
    if (region->way.open && error == cudaSuccess)
        kesco_lanes_note_action(&region->lanes);
    __kesco1_leave();
}

void __kesco1_leave_behind(int error) {
    struct kesco_region_state *region = &kesco_thread_region;

    leave_behind(region, error);
    if (error == cudaSuccess)
        kesco_governor_end_wait(&region->governing.expected_wait);
}

void __kesco1_leave_behind_record(void *event, int error) {
    struct kesco_region_state *region = &kesco_thread_region;

    leave_behind(region, error);
    kesco_governor_note_record(&region->governing.expected_wait, error == cudaSuccess ? event : NULL);
}
