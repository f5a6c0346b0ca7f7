/*
 * Those who are told of a region and its ops as they are issued: the log, the statistics (statistics.h), the
 * profile (timing.h), the trace (trace.h), and tools (nvtx.h). What runs knows them through this header
 * alone.
 */
#ifndef KESCO_RUNTIME_WATCH_WATCH_H
#define KESCO_RUNTIME_WATCH_WATCH_H

#include "runtime/kesco_abi.h"
#include "runtime/watch/statistics.h"
#include "runtime/watch/timing.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* What a tool knows of the region. */
struct kesco_watch_tool {
    bool listens;                          /* else nothing below counts */
    bool in_op;                            /* it has been told of the beginning of an op */
    uint64_t named[KESCO_LANES_MOST / 64]; /* a bit for each lane that it knows the stream of */
};

/* Who watches the calling thread's region. */
struct kesco_watch {
    const struct kesco_region *region;
    cudaStream_t origin; /* as the program gave it */
    bool timed;          /* its ops are, for the profile; only where it is serial from its start */
    bool traced;
    bool pushed; /* what it issues is told apart from what else runs (activity.h) */
    struct kesco_watch_tool tool;
    struct kesco_statistics *counted;   /* where the run is; NULL: nowhere */
    struct kesco_run run;               /* as far as it has come */
    uint64_t ops[KESCO_LANES_MOST + 1]; /* of the run, by lane, the origin last; only where it is counted */
    struct kesco_timings timings;
};

/*
 * The calling thread's region is about to open on `origin`, as `region`. Returns why the environment has it
 * run serially; NULL: it may be concurrent.
 */
const char *kesco_watch_look_up(struct kesco_watch *watch, cudaStream_t origin,
                                const struct kesco_region *region);

/*
 * It has opened; `serial` says why it runs serially, and stays; NULL: it is concurrent. False: nobody watches
 * its ops, and none of the next functions is to be called for it but kesco_watch_collapse, kesco_watch_fence,
 * kesco_watch_decide, kesco_watch_guard_failed and kesco_watch_tell_end.
 */
bool kesco_watch_open(struct kesco_watch *watch, const char *serial);

/* From here on it runs serially; `why` stays. */
void kesco_watch_collapse(struct kesco_watch *watch, const char *why);

/* The same, but it may have lanes again after the next op. */
void kesco_watch_fence(struct kesco_watch *watch, const char *why);

/* It was serial, and now it has lanes, or for the reason `serial` it has not. */
void kesco_watch_decide(struct kesco_watch *watch, const char *serial);

/* It has, because of a guard of the op begun last, which comes after more than it did. */

void kesco_watch_guard_failed(struct kesco_watch *watch);

/* The op of `site` is next on `stream`, which is that of `lane` or the origin. */
void kesco_watch_begin(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream,
                       const struct kesco_site *site);

/* The op begun last comes after more than it did; or, if there is one, is on its stream now, or has failed.
 */
void kesco_watch_begin_again(const struct kesco_watch *watch);
void kesco_watch_end(struct kesco_watch *watch);

/* The plan's record of `event` after what `lane` has, and the wait of `lane` for it; the op before it has
 * ended. */
void kesco_watch_record(struct kesco_watch *watch, uint32_t event, uint32_t lane);
void kesco_watch_wait(struct kesco_watch *watch, uint32_t event, uint32_t lane);

/* The region, which goes through calls, is about to close before `what`, in words, which stays. */
void kesco_watch_tell_end(struct kesco_watch *watch, const char *what);

/* The region has closed, after its last op's end. */
void kesco_watch_close(struct kesco_watch *watch);

/* The process ends, outside of any region of the calling thread. */
void kesco_watch_end_process(void);

#endif
