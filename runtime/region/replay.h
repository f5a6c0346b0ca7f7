/*
 * Launches that are replayed: those of a region that come again and again in the same order are not issued
 * one by one, but collected, and launched together as an executable graph, which costs the host a fraction.
 *
 * A pass ends where the region is closed or the host waits, before an op that is no launch, and in a loop,
 * once it is long enough, where the next op is one that the pass began with; across calls, as turn.h has it.
 * What a pass does is its path:
 * its sites, in order, and what each op comes after. A path is known once it has been taken; it gets an
 * executable graph when that would have saved, on this path, what it costs to make (as governor.h has it for
 * lanes). From then on launches are put off as long as they follow a known path that has one, to the end of
 * the pass. Where they leave it, what was put off is launched as the program would have, in its order.
 *
 * The program cannot tell: while a region is open, no code of it that could see the device runs, and a launch
 * that CUDA would refuse is not put off, as far as its shape says: it has the block and the shared memory of
 * one that CUDA took before.
 *
 * One thread at a time replays a region, on the device that its graphs were made for; others go without.
 */
#ifndef KESCO_RUNTIME_REGION_REPLAY_H
#define KESCO_RUNTIME_REGION_REPLAY_H

#include "runtime/kesco_abi.h"
#include "runtime/region/governor.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

struct kesco_replay;

/*
 * What replays the ops of `region` on `origin`, which is opened, or has its next op, and is not captured; the
 * caller gives it back with kesco_replay_close. `governor` is the region's: as a graph, a pass has to save
 * more than with the lanes that it counts. `is_shared`: other regions may be part of it. NULL: nothing does,
 * for now.
 */
struct kesco_replay *kesco_replay_open(const struct kesco_region *region, cudaStream_t origin,
                                       const struct kesco_governor *governor, bool is_shared);

/* Launches so far prove nothing of those from here on that look the same: a library of the program's goes, or
 * CUDA may refuse what it took. */
void kesco_replay_forget_all(void);

/* Ends the pass. Adds how many graphs were launched since it was opened, and the ops that were in them. */
void kesco_replay_close(struct kesco_replay *replay, uint64_t *graphs, uint64_t *ops);

/* The region is opened, with lanes: true if launches are to be put off wherever that can be done, because
 * some path has paid for it. */
bool kesco_replay_is_ready(struct kesco_replay *replay);

/* True if graphs have been launched since the region was opened, or this was asked last. */
bool kesco_replay_goes_on(struct kesco_replay *replay);

/* The op of `site` is next on `lane`. True: its launch is put off. */
bool kesco_replay_place(struct kesco_replay *replay, uint32_t lane, const struct kesco_site *site,
                        uint64_t amount);

/* The plan's record and wait, and what __kesco1_align says. */
void kesco_replay_record(struct kesco_replay *replay, uint32_t event, uint32_t lane);
void kesco_replay_wait(struct kesco_replay *replay, uint32_t event, uint32_t lane);
void kesco_replay_align(struct kesco_replay *replay);

/* True if what comes next is put off as far as is known. */
bool kesco_replay_defers(const struct kesco_replay *replay);

/* Memory that it has found to be the device's alone may be other memory by now. */
void kesco_replay_forget_memory(struct kesco_replay *replay);

/* The op placed last may not be put off, nor any more for long: its memory is not what the plan takes it for.
 */
void kesco_replay_refuse(struct kesco_replay *replay);

/* The launch of the op placed last, as cudaLaunchKernel has it. True: it is put off; else the caller
 * launches. */
bool kesco_replay_launch(struct kesco_replay *replay, const void *function, dim3 grid, dim3 block,
                         void **arguments, size_t shared);

/* The same for an op that is no launch. */
bool kesco_replay_transfer(struct kesco_replay *replay, const struct kesco_transfer *transfer);

/* The caller has launched; `failed`: CUDA refused. */
void kesco_replay_note_launch(struct kesco_replay *replay, bool failed);

/* Ends the pass: what was put off is launched. */
void kesco_replay_flush(struct kesco_replay *replay);

/* The host is about to wait for the pass, which ends; and, it has waited for all that there is, or would
 * have, but lanes put that off, as graphs do. */
void kesco_replay_expect_host(struct kesco_replay *replay);
void kesco_replay_note_host(struct kesco_replay *replay, bool is_put_off);

#endif
