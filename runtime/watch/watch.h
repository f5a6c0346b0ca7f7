/*
 * Those who are told of a region and its ops as they are issued: the trace (trace.h) and tools (nvtx.h).
 */
#ifndef KESCO_RUNTIME_WATCH_WATCH_H
#define KESCO_RUNTIME_WATCH_WATCH_H

#include "runtime/kesco_abi.h"
#include "runtime/region/pool.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Who watches the calling thread's region. */
struct kesco_watch {
    bool traced;
    bool annotated;                        /* a tool is told */
    bool in_op;                            /* the tool has been told of the beginning of an op */
    cudaStream_t origin;                   /* as the program gave it */
    uint64_t named[KESCO_LANES_MOST / 64]; /* a bit for each lane that the tool knows the stream of */
};

/* The calling thread's region has opened on `origin`, as `region`; `serial` says why it runs serially; NULL:
 * it is concurrent. False: nobody watches, and no other function is called before the next opening. */
bool kesco_watch_open(struct kesco_watch *watch, cudaStream_t origin, const struct kesco_region *region,
                      const char *serial);

/* From here on it runs serially; `why` stays. */
void kesco_watch_collapse(const struct kesco_watch *watch, const char *why);

/* The op of `site` is next on `stream`, which is that of `lane` or the origin. */
void kesco_watch_begin(struct kesco_watch *watch, uint32_t lane, cudaStream_t stream,
                       const struct kesco_site *site);

/* The op begun last comes behind more than it did; or, if there is one, is on its stream now, or has failed.
 */
void kesco_watch_begin_again(const struct kesco_watch *watch);
void kesco_watch_end(struct kesco_watch *watch);

/* The plan's record of `event` behind what `lane` has, and the wait of `lane` for it; the op before it has
 * ended. */
void kesco_watch_record(struct kesco_watch *watch, uint32_t event, uint32_t lane);
void kesco_watch_wait(struct kesco_watch *watch, uint32_t event, uint32_t lane);

/* The region has closed, behind its last op's end. */
void kesco_watch_close(const struct kesco_watch *watch);

/* The process ends, outside of any region of the calling thread. */
void kesco_watch_end_process(void);

#endif
