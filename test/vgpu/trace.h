/*
 * VGPU_TRACE=FILE: when each op ran in virtual time, in Chrome's trace format ("Trace Event Format", JSON
 * object form), for chrome://tracing and its kin. A process is a device, a thread a stream; nodes of graphs
 * have rows of their own. Ops that take no time are left out. Times are microseconds.
 */
#ifndef KESCO_TEST_VGPU_TRACE_H
#define KESCO_TEST_VGPU_TRACE_H

#include "test/vgpu/op.h"

/* An op ran from one time to the other. Does nothing if nobody asked. */
void trace_op(const struct op *op, double began_us, double ended_us);

/* Writes VGPU_TRACE's file, if there is one. */
void trace_write(void);

#endif
