/*
 * The program in virtual time, for VGPU_STATS, VGPU_TIME and cudaEventElapsedTime: when would what it asks
 * for have happened on a machine such as hardware.h's? That does not depend on the order in which ops run
 * here (order.h), nor on what is checked, nor on how long anything takes here.
 *
 * What the host does is written down as it happens: each op when it is issued, each wait, the time that each
 * call costs, each page of managed memory that host code touches. What an op costs is known once it has run,
 * so what is written down is replayed (replay.h), in order, as far as ops have run; what is replayed is
 * forgotten.
 *
 * The host has one clock. Host threads share it: a wait of one of them is a wait of all, and how their calls
 * interleave is what it happens to be. A query that finds work undone costs nothing. One that finds it done
 * where its time has not come yet says so once; the next one waits for it, so that polling is waiting. Host
 * functions take no time, and what they touch moves no pages. Kernels of streams of a higher priority go
 * first (clock.h). Access advice makes no difference.
 */
#ifndef KESCO_TEST_VGPU_TIMELINE_H
#define KESCO_TEST_VGPU_TIMELINE_H

#include "test/vgpu/op.h"

/* False: nobody asks for virtual time, and all else here does nothing. */
bool timeline_is_kept(void);

/* The host calls an API function, or works itself. */
void timeline_call(enum api_id id);
void timeline_work(double us);

/* Managed memory is allocated: its pages, of which the caller has the reference. NULL: nobody follows them.
 */
struct residence *timeline_follow(size_t size);

/* An op is issued, behind those that op_after named; an op, issued earlier, has run. */
void timeline_issue(struct op *op);
void timeline_ran(void);

/* The host itself moves what a copy, issued earlier, brought to pageable memory. What it moves before one is
 * issued is known from the copy. */
void timeline_stage(struct op *op);

/* The host waits. */
void timeline_wait(const struct op_list *ops);
void timeline_wait_device(int device);

/* Whether ops that have run have ended by now, on the host's clock; true where no time is kept. */
bool timeline_has_come(const struct op_list *ops);

/* Host code, in no host function, touches a range. Takes the engine's lock if the range may be managed
 * memory. */
void timeline_touch(const void *address, size_t size);

/*
 * How long after the op `from` did the op `to` end, in microseconds? Both have run. As a query that finds
 * them done, it waits for them. May run other ops, and give the engine's lock away for that.
 */
double timeline_between(struct op *from, struct op *to);

/* The host's own time, in microseconds, on the scale of ops' times; waits for ops that have not run yet do
 * not count so far. And: what has run is told of (replay.h) as far as it ends before that. */
double timeline_host(void);
void timeline_catch_up(void);

/*
 * What the host's monotonic clock shows, in microseconds. Waits for ops that have not run yet do not count so
 * far; it never goes back. A thread sleeps: that is seen on the clock, but it is no work.
 */
double timeline_now(void);
void timeline_sleep(double us);

/* All ops have run, and the host has ended: when is all work done? In microseconds. */
double timeline_end(void);

#endif
