/*
 * The order that ops run in: any that CUDA's rules allow, as VGPU_SEED asks.
 *   0  issue order, each op as soon as it is issued;
 *   1  as late as a sync allows: nothing runs before the host waits for it, and then only what it needs, the
 *      last issued first;
 *   2  newest first: when the host waits, the last issued op runs as soon as what it needs has, then the one
 *      before it, and so on, until the host has what it waits for;
 *   3 and up: a pseudo-random mixture, the same for the same seed and program.
 * At most ORDER_PENDING_LIMIT ops wait: behind that, issuing an op runs another, as a full launch queue does.
 */
#ifndef KESCO_TEST_VGPU_ORDER_H
#define KESCO_TEST_VGPU_ORDER_H

#include "test/vgpu/op.h"

enum { ORDER_PENDING_LIMIT = 4096 };

/* Takes note of an op whose dependencies are set. */
void order_add(struct op *op);

/* Runs what the chosen order wants run now that ops were added. */
void order_advance(void);

/* `op`, which was issued, has no more undone dependencies. */
void order_ready(struct op *op);

/* Runs ops until the targets are done, and tells the host's clock. */
void order_wait(const struct op_list *targets);

/* Runs ops until the targets are done; does not tell the host's clock. */
void order_reach(const struct op_list *targets);

/* The ops of a device that are not done. */
struct op_list order_pending_on(int device);

/* Runs all ops; does not tell the host's clock. */
void order_drain(void);

/* True if the targets are done, and then tells the host's clock; else runs one op that they need. What is
 * done before its time has come (timeline.h) is not yet for who asks for the first time. */
bool order_poll(const struct op_list *targets);

/* Number of host functions that were issued and are not done; needs no lock. */
size_t order_host_functions(void);

/* Runs the host functions that are issued, and what they need. Does not tell the host's clock. */
void order_run_host_functions(void);

/* Number of issued ops that are not done. */
size_t order_pending(void);

#endif
