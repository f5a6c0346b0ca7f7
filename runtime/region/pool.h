/*
 * The streams and events that regions use: made at first need, kept, and used again. A pool belongs to one
 * host thread and one device at a time, so no two threads ever share an event; when a thread ends, its pools
 * wait for the next thread that needs one.
 *
 * A stream that takes part in a capture belongs to it until the capture ends (CUDA Programming Guide,
 * "Stream Capture"). So regions under capture have pools of their own, one for each capture that a thread
 * takes part in, which serve the next capture when theirs has ended.
 */
#ifndef KESCO_RUNTIME_REGION_POOL_H
#define KESCO_RUNTIME_REGION_POOL_H

#include "runtime/kesco_abi.h"
#include "runtime/region/vector_clock.h"
#include "runtime/witness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether a region is captured. */
struct kesco_capture {
    bool active;
    unsigned long long id; /* which capture, for as long as the process lives; if active */
};

struct kesco_streams {
    cudaStream_t *handles;
    uint32_t count;
};

enum {
    KESCO_LEVELS_MOST = 8, /* levels beyond share the last one; devices have had 6 priorities at most */
    KESCO_SETS_FEW = 4,    /* sets that a pool has before one is taken over */
    KESCO_SETS_MOST = 16,  /* streams of the program whose lanes have work at the same time */
};

/*
 * Non-blocking lanes beside one stream of the program. Streams that shared lanes would wait for each other,
 * which the program may count on them not to: a host function in one may wait for what the host does after
 * the other. So another stream takes a set over only when all its lanes are idle.
 */
struct kesco_lane_set {
    bool taken;
    unsigned long long origin; /* a number that no other stream of the process ever has; if taken */
    struct kesco_streams levels[KESCO_LEVELS_MOST];
};

/* An event without timing. */
struct kesco_event {
    cudaEvent_t handle;
    uint64_t recorded;               /* the epoch that it was recorded in last; 0: none */
    uint32_t lane;                   /* the lane that it was recorded on */
    struct kesco_vector_clock clock; /* what that record comes after, itself included */
};

struct kesco_events {
    struct kesco_event *items;
    uint32_t count;
};

struct kesco_lane_sets {
    struct kesco_lane_set items[KESCO_SETS_MOST];
    uint32_t count;
};

/* What the device has of stream priorities. */
struct kesco_priorities {
    uint32_t levels; /* that they tell apart; 0: not asked yet */
    int least;       /* of level 0; if there are levels */
};

struct kesco_pool {
    struct kesco_pool *next;      /* in the thread's list, or in the list of pools that no thread holds */
    int device;                   /* that all of it lives on */
    struct kesco_capture capture; /* the capture that it belongs to, or did last */
    struct kesco_streams blocking[KESCO_LEVELS_MOST]; /* by level: lanes beside the legacy default stream */
    struct kesco_lane_sets sets;                      /* lanes beside other origins */
    struct kesco_events joins;  /* one for each of the most lanes that were in use at once */
    struct kesco_events events; /* the plan's */
    struct kesco_events point;  /* one: recorded on the origin, for what is ordered there */
    /* Of its region, from one ordering of all lanes to the next: what was recorded earlier needs no wait. */
    uint64_t epoch;
    struct kesco_vector_clock lanes[KESCO_LANES_CLOCKED]; /* by lane: what comes next on it comes after */
    struct kesco_witness witness;
    struct kesco_priorities priorities;
};

/* What a region asks of a pool. */
struct kesco_need {
    struct kesco_capture capture;
    bool forked;               /* the streams are non-blocking, and beside `origin` alone */
    unsigned long long origin; /* the stream's number; if forked */
    uint32_t streams;          /* how many; at most KESCO_LANES_MOST */
    uint32_t joins;            /* events for as many lanes */
    uint32_t events;           /* the plan's events */
    const uint8_t *levels;     /* of each stream; NULL: all are 0 */
};

/*
 * Gives in `*result` a pool of the calling thread for the current device and the need's capture, with at
 * least what it needs, and in `streams` the streams in the need's order. Streams of level 0 have the priority
 * of those that are made without one, which is the least (CUDA Runtime API, cudaStreamCreateWithPriority);
 * where priorities are not to be had, all are of level 0. What cudaDeviceReset has destroyed is made anew.
 * The runtime keeps the pool. Called with no error pending; returns cudaSuccess, or cudaErrorNotReady where
 * the lanes of KESCO_SETS_MOST other streams have work, or the error of the CUDA call that refused, which is
 * then pending. A pool half grown is kept and grown further the next time.
 */
cudaError_t kesco_pool_acquire(const struct kesco_need *need, struct kesco_pool **result,
                               cudaStream_t *streams);

/*
 * Forgets all handles of `pool` without giving them back to CUDA: for when cudaDeviceReset has already
 * destroyed them.
 */
void kesco_pool_forget(struct kesco_pool *pool);

/*
 * Pools of threads that end from here on are not given back: for when the runtime's code may be unloaded
 * before they end, with the shared library that it is part of.
 */
void kesco_pools_stay(void);

#endif
