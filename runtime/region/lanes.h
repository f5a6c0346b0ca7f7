/*
 * The lanes of an open region as CUDA streams, and how they are ordered against the region's origin (CUDA
 * Runtime API, "Stream synchronization behavior").
 *
 * Beside the legacy default stream, lanes are blocking streams: any action on the default stream comes after
 * all that they have and before all that they get, so a record there is all that it takes, and where the
 * program acts there itself, nothing. The opening's record is put off until a lane is used: an op of the
 * region on the origin may come first, and then does as well. What needs the records is the work of other
 * blocking streams, the program's own and those of other threads, which the origin is ordered against and
 * lanes are not. Nothing is needed if a call of the program right before has acted on the origin, as for a
 * region that was opened before that call; and at the end, if the very next thing that the program does is
 * such a call. What two host threads issue to the default stream of a device never runs at once. So one of
 * them at a time has lanes there; what the others issue to the stream itself is ordered against those as it
 * has to be. Beside any other origin, lane 0 is the origin and the others are non-blocking streams: each
 * waits for the origin at its first use, and joins into it in the end.
 */
#ifndef KESCO_RUNTIME_REGION_LANES_H
#define KESCO_RUNTIME_REGION_LANES_H

#include "runtime/call.h"
#include "runtime/region/pool.h"

#include <stdatomic.h>
#include <stddef.h>

/* What a serial program's host would have waited for by now, and ours has not. */
struct kesco_unwaited {
    uint64_t after[KESCO_LANES_MOST / 64];  /* a bit for each lane that had something when the host waited for
                                                another one, as it would have for all on the origin */
    uint64_t marked[KESCO_LANES_MOST / 64]; /* those of them that have more by now: after their join event */
    uint64_t more[KESCO_LANES_MOST / 64];   /* where that is known: those of all lanes that may have more than
                                               their latest record, or the host's wait for them, is after */
    bool is_known;                          /* it is: the host has waited for a lane before */
    bool is_renewed;   /* the host waits for what comes next, before it looks at anything: no marks */
    bool passed;       /* beside the legacy default stream: that itself has something that the
                          host has not waited for, and all lanes come after */
    bool after_origin; /* that it had so when the host waited for another lane */
};

struct kesco_lanes {
    const struct kesco_region *region;
    struct kesco_pool *pool; /* the calling thread's; streams and events are its */
    cudaStream_t origin;     /* cudaStreamLegacy for the legacy default stream */
    bool forked;             /* the origin is another one, and lane 0 */
    bool unordered;          /* the lanes are not ordered after the origin yet; none is used */
    atomic_bool *claim;      /* what keeps other threads' lanes away until the lanes close; or NULL */
    uint32_t count;          /* lanes that there are so far */
    uint32_t clocked;        /* lanes that have a clock: the first ones */
    uint64_t used[KESCO_LANES_MOST / 64]; /* a bit for each lane that may have something not joined yet */
    struct kesco_unwaited unwaited;
    cudaStream_t ready[KESCO_LANES_MOST];   /* by lane: its stream once it is in use, until then NULL */
    cudaStream_t streams[KESCO_LANES_MOST]; /* by lane: its stream */
};

/* In place of a lane: the legacy default stream as the origin of lanes beside it. */
enum { KESCO_LANE_ORIGIN = KESCO_LANES_MOST };

/* Lanes that the region has at first; it gets the rest when the first of these becomes ready. */
uint32_t kesco_lanes_first(const struct kesco_region *region);

/* Events of the region's ops where it has `count` lanes. */
uint32_t kesco_lanes_events(const struct kesco_region *region, uint32_t count);

/*
 * Opens the lanes and events of `region` on `origin`, after all that it has so far; `ordered`: the program
 * has just acted on the origin, if that is the legacy default stream. Called with no error pending; returns
 * cudaSuccess or the error of the CUDA call that refused, which may then be pending; cudaErrorAlreadyAcquired
 * where another thread has lanes beside the same default stream.
 */
cudaError_t kesco_lanes_open(struct kesco_lanes *lanes, cudaStream_t origin,
                             const struct kesco_region *region, bool ordered);

/* True once any thread has opened lanes. */
bool kesco_lanes_have_been(void);

/* From here on, no lane is ready before it is used again. */
void kesco_lanes_unready(struct kesco_lanes *lanes, uint32_t count);

/* Makes the lane ready: the first use of it, after the opening. Returns as the next two do. */
__attribute__((cold)) cudaError_t kesco_lanes_ready(struct kesco_lanes *lanes, uint32_t lane);

/* A record or the host's wait is after all that `lane` has; it is to be made ready again for more. */
__attribute__((cold)) void kesco_lanes_note_end(struct kesco_lanes *lanes, uint32_t lane);

/*
 * Records `event` after what `lane` has so far, which is ready; `stream` is its. This and the next return
 * cudaSuccess or the error of the CUDA call that refused, and then the lanes are good for nothing but to be
 * joined; CUDA's last error stays as it is. They are what each op costs, so they are inlined, and take note
 * before the call, for nothing then has to be kept across it.
 */
static inline cudaError_t kesco_lanes_record(struct kesco_lanes *lanes, uint32_t event, uint32_t lane,
                                             cudaStream_t stream) {
    struct kesco_event *to = &lanes->pool->events.items[event];

    to->recorded = lanes->pool->epoch;
    to->lane = lane;
    if (lanes->unwaited.is_known)
        kesco_lanes_note_end(lanes, lane);
    if (lane < KESCO_LANES_CLOCKED)
        kesco_vector_clock_tick(&lanes->pool->lanes[lane], lane, &to->clock, lanes->clocked);
    return kesco_call_record(to->handle, stream);
}

/* True if `lane` does not come after the latest record of `event` since the opening, and there is one. */
static inline bool kesco_lanes_must_wait(const struct kesco_lanes *lanes, uint32_t event, uint32_t lane) {
    const struct kesco_event *on = &lanes->pool->events.items[event];

    return on->recorded == lanes->pool->epoch &&
           (lane >= KESCO_LANES_CLOCKED || on->lane >= KESCO_LANES_CLOCKED ||
            lanes->pool->lanes[lane].records[on->lane] < on->clock.records[on->lane]);
}

/*
 * Lets `lane`, which is ready, wait for the latest record of `event` since the opening, if there is one. What
 * the lane comes after already, directly or through others, costs no call: of the waits that a plan needs on
 * one way or another, those that this way needs are made.
 */
static inline cudaError_t kesco_lanes_wait(struct kesco_lanes *lanes, uint32_t event, uint32_t lane,
                                           cudaStream_t stream) {
    const struct kesco_event *on = &lanes->pool->events.items[event];

    if (!kesco_lanes_must_wait(lanes, event, lane))
        return cudaSuccess;
    if (lane < KESCO_LANES_CLOCKED && on->lane < KESCO_LANES_CLOCKED)
        kesco_vector_clock_join(&lanes->pool->lanes[lane], &on->clock, lanes->clocked);
    return kesco_call_wait(stream, on->handle);
}

/*
 * Takes note that the host has waited for all that `lane` has so far: whatever it issues from here on, on any
 * lane, comes after that.
 */
void kesco_lanes_note_finish(struct kesco_lanes *lanes, uint32_t lane);

/*
 * Takes note that a serial program's host would have waited by now for all that the lanes have, while ours
 * has for `lane` alone. What it does then may rely on that where no order of streams shows it, such as work
 * on a non-blocking stream. Where not even the wait for `lane` `is_sure`, what has to be waited for on that
 * lane stays so: it is in use, and so marked.
 */
void kesco_lanes_note_host(struct kesco_lanes *lanes, uint32_t lane, bool is_sure);

/* Lets the host wait for what it would have waited for, or for all that the device has, where that takes
 * fewer calls. Returns what the device has failed with. */
cudaError_t kesco_lanes_settle(struct kesco_lanes *lanes, bool may_wait_for_all);

/* The host has waited, or is about to, for all that it is to wait for. */
void kesco_lanes_forget_host(struct kesco_lanes *lanes);

/* True if any lane may have something that has not been joined. */
bool kesco_lanes_are_used(const struct kesco_lanes *lanes);

/* True if the region is being captured. */
bool kesco_lanes_are_captured(const struct kesco_lanes *lanes);

/* True if the host may touch nothing managed while any lane has something (managed.h). */
bool kesco_lanes_exclude_host(const struct kesco_lanes *lanes);

/*
 * Orders all that the lanes have so far before all that the origin gets from here on. Where CUDA refuses
 * that, the host waits for it. Under capture the host cannot wait: trying invalidates the capture, so the
 * program is told when it ends the capture.
 */
void kesco_lanes_join(struct kesco_lanes *lanes);

/* The same where the host waits for the origin next: what that only waits for needs no work after it. */
void kesco_lanes_gather(struct kesco_lanes *lanes);

/* Closes what was opened, after kesco_lanes_join or what makes that needless: other threads may open. */
void kesco_lanes_close(struct kesco_lanes *lanes);

/* Beside the legacy default stream: orders all that the lanes have so far before all that they get. */
void kesco_lanes_align(struct kesco_lanes *lanes);

/* Takes note that an action on the legacy default stream, the origin, has done that, or the host, by waiting
 * for all that they have. */
void kesco_lanes_note_action(struct kesco_lanes *lanes);

/* Orders what `lane` gets from here on, which is used, after all that has been joined. */
void kesco_lanes_follow(struct kesco_lanes *lanes, uint32_t lane);

#endif
