/*
 * The calling thread's region, over its lanes, its guard and those who watch it: what the calls of
 * kesco_abi.def act on. opening.c opens and closes it and makes its lanes, region.c has its ops, records and
 * waits, guarded.c what the guard is asked, placed.c those ops that the run places, lent.c what functions
 * have of those that call them, host_wait.c what the host waits for, allocating.c the program's memory.
 */
#ifndef KESCO_RUNTIME_REGION_REGION_H
#define KESCO_RUNTIME_REGION_REGION_H

#include "runtime/kesco_abi.h"
#include "runtime/region/claims.h"
#include "runtime/region/freed.h"
#include "runtime/region/governor.h"
#include "runtime/region/guard.h"
#include "runtime/region/lanes.h"
#include "runtime/region/own_memory.h"
#include "runtime/region/placing.h"
#include "runtime/region/prefetch.h"
#include "runtime/region/replay.h"
#include "runtime/region/width.h"
#include "runtime/watch/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KESCO_PLACED_ALLOCATIONS = 8,
    KESCO_TO_FETCH = 8, /* of one op that is placed */
};

/* When ops are not placed. */
struct kesco_placed_rest {
    uint32_t lost;    /* ops that were placed when the region last lost its lanes, */
    uint32_t ops;     /* and that are not, as they take too short; 0: they are */
    uint32_t times;   /* how often that has been so */
    uint64_t longest; /* by estimates, of those that were placed last */
};

/* The ops of a region that the run places. */
struct kesco_placed_ops {
    bool begun;                    /* an op has begun, and is not issued yet */
    bool places;                   /* it gets a lane by what it accesses; else, as it comes, the origin */
    const struct kesco_site *site; /* then: of that op, */
    uint64_t amount;               /* how much it is, */
    uint32_t to_fetch_count;       /* and what memory is fetched before it */
    struct kesco_use to_fetch[KESCO_TO_FETCH];
    struct kesco_placing placing;
    struct kesco_placed_rest rest;
    struct kesco_width width;
    struct kesco_allocation allocations[KESCO_PLACED_ALLOCATIONS]; /* that ops led into */
    uint32_t next_allocation;                                      /* what the next one takes the place of */
    struct kesco_own_memory own; /* that such transfers have used since the region was opened */
};

struct kesco_region_opened {
    void *origin;                     /* as the program gave it */
    const struct kesco_region *asked; /* what it was opened as */
    bool is_own;                      /* no others join, though it is one that they may join */
};

/* The op that is next. */
struct kesco_region_op {
    void *stream;  /* that it is on */
    uint32_t lane; /* that it was given for; KESCO_LANE_ORIGIN: the origin */
};

/* How ops are issued. */
struct kesco_region_way {
    bool open;      /* else all goes to the origin, if any region was open before */
    bool lent;      /* to the function that is called next */
    bool serial;    /* from here on all goes to the origin */
    bool undecided; /* it is serial, but may get lanes before any op */
    bool fenced;    /* it is serial, and may be as if just opened before any op */
    bool stays;     /* either, but not before the next one */
    bool watched;   /* somebody is told of each op */
    bool slow;      /* the same, or ops are placed on the governor's time lines */
};

struct kesco_region_replaying {
    bool may_replay;             /* launches may be put off, */
    bool put_off;                /* and the last one is, if something replays them */
    bool captured;               /* what it issues is part of a graph of the program's */
    struct kesco_replay *replay; /* what puts launches off, or learns what they are; NULL: nothing */
};

/* Waits of functions that the region is lent to (__kesco1_wait_lent). */
struct kesco_lent_waits {
    bool may_wait; /* they may be put off, */
    uint32_t made; /* so many have come, up to a few */
    bool notes;    /* then, or with lanes: of ops from here on, the guard knows what memory they work on */
    uint32_t seen; /* so many of the last were made, as the host may touch it: what is fetched comes back */
    uint32_t rest; /* so many more are made, and nobody asks what memory ops work on */
    bool idle;     /* no ops have come since the host waited last for all, */
    bool first;    /* or the one that is being issued alone */
    bool in_vain;  /* one was put off that the host made right behind, where ops are on the origin */
    bool unasked;  /* what a wait has been put off for that the program does not look at */
    cudaError_t error;  /* that such a wait would have returned, */
    const void *failed; /* and what is to be told of it, */
    uint32_t ends;      /* its number, above KESCO_ENDS_SEVERAL */
};

/* What the host has waited for, and what not. */
struct kesco_region_host {
    bool alone;             /* its ops are all on the origin, and the host may run ahead of that */
    bool soon_alone;        /* it comes to that with the first wait, which is never put off */
    bool may_be_alone;      /* it is planned for lanes, and comes to that after some waits */
    bool owed;              /* then: the host has not waited for all that it was to wait for */
    bool waits_for_all;     /* the program itself waits for the device */
    bool untold;            /* a wait was put off that __kesco1_tell is to tell of */
    bool quiet;             /* it has lanes, and no op has come since the host waited for one, or was to */
    cudaError_t late_error; /* what it failed with */
    uint32_t covered;       /* KESCO_REACH_ of the host's waits since it was opened; 0: none */
    struct kesco_freed freed;
    struct kesco_lent_waits lent;
};

struct kesco_region_governing {
    struct kesco_governor governor;
    struct kesco_expected_wait expected_wait; /* by the call that the region was closed before */
};

/* The program's claims, where it checks them. */
struct kesco_region_claims {
    bool checks;
    struct kesco_claims claims;
};

struct kesco_region_fetching {
    bool fetches;    /* it has one lane, the origin, and its memory may be fetched */
    bool began_idle; /* then: the origin has nothing but ops of its own, as far as is known */
    bool asks;       /* one lane had ops when large memory was to be fetched: it is asked for before */
    bool has_beside; /* regions with one lane have a stream to fetch on beside it by now */
    uint32_t first;  /* the lane that was made ready last: its next op may be the first one there */
    struct kesco_prefetch prefetch;
};

struct kesco_region_state {
    struct kesco_region_opened opened;
    struct kesco_region_op op;
    struct kesco_region_way way;
    struct kesco_region_replaying replaying;
    struct kesco_region_host host;
    struct kesco_lanes lanes; /* what the origin must come after, also where the region is serial */
    struct kesco_placed_ops placement;
    struct kesco_region_governing governing;
    struct kesco_guard guard;
    struct kesco_region_claims claims;
    struct kesco_region_fetching fetching;
    struct kesco_watch watch;
};

/* Somebody is told of ops from here on, or nobody is. */
static inline void kesco_region_note_slow(struct kesco_region_state *region) {
    region->way.slow = region->way.watched || region->governing.governor.counts;
}

/* The host has waited for what waits of functions that it is lent to have put off: of an error, the program
 * is told as that was of its own. May not come back. */
void kesco_region_tell_lent(struct kesco_region_state *region);

/* What waits have put off is told of as they tell, before what would end the program as `ends` says,
 * KESCO_ENDS_: nobody knows afterwards which ops have failed. May not come back. */
void kesco_region_settle_for(struct kesco_region_state *region, uint32_t ends);

/* A copy between host and device that the program's host waits for. */
struct kesco_lent_copy {
    void *to;
    const void *from;
    uint64_t bytes;
    enum cudaMemcpyKind kind;
    cudaStream_t stream; /* that its op was placed on */
};

/* As the program has it. */
cudaError_t kesco_lent_copy_make(const struct kesco_lent_copy *copy);

/* Makes it, as the op that the open region, which joins, had last. The host waits for it, and for other lanes
 * later, where it cannot tell. */
cudaError_t kesco_region_copy(struct kesco_region_state *region, const struct kesco_lent_copy *copy);

/* What is known of memory by where it lies may be untrue of what lies there next. */
void kesco_region_forget_memory(struct kesco_region_state *region);

/* True if the host has waited for all of the region but the op that is being placed; then the guard knows,
 * too, what memory that and those after it work on. */
bool kesco_region_note_first(struct kesco_region_state *region);

/* The host has waited for what was issued. */
static inline void kesco_region_note_waited(struct kesco_region_state *region) {
    kesco_governor_note_waited(&region->governing.governor);
    kesco_region_note_slow(region);
}

/* True if ops of other such regions may be part of the one that is open. */
static inline bool kesco_region_is_shared(const struct kesco_region_state *region) {
    return region->opened.asked->joins && !region->opened.is_own;
}

/* True if launches of the region may be replayed, should nothing be better. */
static inline bool kesco_region_can_replay(const struct kesco_region_state *region) {
    return (region->opened.asked->replays != 0 || kesco_region_is_shared(region)) &&
           !region->replaying.captured;
}

/* Opens a region by itself that may be joined, but may be replayed, too. */
void kesco_region_enter_own(void *origin, const struct kesco_region *asked);

/* Launches what was put off. */
static inline void kesco_region_flush(struct kesco_region_state *region) {
    if (region->replaying.replay != NULL)
        kesco_replay_flush(region->replaying.replay);
}

/* Nothing is put off from here on, or learnt. */
static inline void kesco_region_end_replay(struct kesco_region_state *region) {
    if (region->replaying.replay == NULL)
        return;
    kesco_replay_close(region->replaying.replay, &region->watch.run.graphs, &region->watch.run.graph_ops);
    region->replaying.replay = NULL;
}

/* The host waits for the op issued last, on `lane`; KESCO_NO_LANE: for all, on the origin. */
void kesco_region_note_host(struct kesco_region_state *region, uint32_t lane);

/* Where it is alone: the host waits for what it would have waited for, all of which is on the origin by now.
 * Returns what that returned. */
cudaError_t kesco_region_settle_alone(struct kesco_region_state *region);

/* The same where it has lanes. */
void kesco_region_settle_lanes(struct kesco_region_state *region);

/* So many bytes past `address`, which ends where memory does. */
static inline uintptr_t kesco_region_offset(uintptr_t address, int64_t bytes) {
    const uintptr_t result = address + (uintptr_t)bytes;

    if (bytes >= 0)
        return result < address ? UINTPTR_MAX : result;
    return result > address ? 0 : result;
}

/* The op that has begun accesses all of what `pointer` leads into. */
void kesco_region_tell_all(struct kesco_region_state *region, uint32_t flags, const void *pointer);

/*
 * The op that has begun, if one has, accesses `bytes` through `pointer`, which NULL has none of;
 * KESCO_GUARD_ALL: all of its allocation, or, where that is not known, all memory.
 */
static inline void kesco_region_tell(struct kesco_region_state *region, uint32_t flags, const void *pointer,
                                     struct kesco_pieces bytes) {
    const uintptr_t address = (uintptr_t)pointer;
    struct kesco_access access = {.writes = (flags & KESCO_GUARD_WRITES) != 0};

    if (!region->placement.places || pointer == NULL)
        return;
    if (bytes.begin == KESCO_GUARD_ALL) {
        kesco_region_tell_all(region, flags, pointer);
        return;
    }
    access.begin = kesco_region_offset(address, bytes.begin);
    access.end = kesco_region_offset(address, bytes.end);
    if (bytes.distance != 0 && bytes.distance <= UINT32_MAX &&
        access.begin == address + (uintptr_t)bytes.begin) {
        access.distance = (uint32_t)bytes.distance;
        access.length = (uint32_t)bytes.length;
        access.planes = kesco_access_planes_of(&bytes);
    }
    kesco_placing_add(&region->placement.placing, access);
}

/* The op has been placed: the memory that is to be fetched before it is, on its stream. */
void kesco_region_fetch_for_placed(struct kesco_region_state *region);

/* The op that was issued last is timed with its fetch, if it is, until here. */
void kesco_region_end_timed_op(struct kesco_region_state *region);

/* What the region's ops so far access is no matter for those that follow: all of them are done, or on the
 * origin. */
void kesco_region_forget_placed(struct kesco_region_state *region);

/* The region, should it have no lanes yet, gets none for some ops, which may be replayed. */
void kesco_region_rest(struct kesco_region_state *region, const char *reason);

/* True if the region is one whose ops the run places, and that is known to be of no use. */
bool kesco_region_is_chained(const struct kesco_region *asked);

/* The region, whose ops are placed, is closed. */
void kesco_region_end_placing(struct kesco_region_state *region);

/* The region has no lanes from here on, and gets none before it is opened again. */
void kesco_region_stay_serial(struct kesco_region_state *region, const char *reason);

/* Everything of the region so far comes before all that follows; that goes to the origin. */
void kesco_region_collapse(struct kesco_region_state *region, const char *reason);

/* The region, which is fenced, is as if just opened: all that follows comes after all that it has. */
void kesco_region_begin_anew(struct kesco_region_state *region);

/* Makes lanes for a region that is undecided, if that can be done now. */
void kesco_region_make_lanes(struct kesco_region_state *region);

extern _Thread_local struct kesco_region_state kesco_thread_region __attribute__((visibility("hidden")));

#endif
