/*
 * As much of CUPTI's activity API as tells when ops ran in virtual time, and who issued them: records of
 * kernels, copies and memsets, and external correlation (CUPTI, "Activity Record Types"). A prefetch counts
 * as a copy, while pages move. Without virtual time nothing can be enabled. Records are kept until they are
 * flushed; those of ops that have not ended are not delivered. Ops that were asked for before their kind was
 * enabled have none.
 */
#ifndef KESCO_TEST_VGPU_CUPTI_H
#define KESCO_TEST_VGPU_CUPTI_H

#include "test/vgpu/op.h"

/* The calling thread asks for an op, from which on it may have a record. */
void cupti_issue(struct op *op);

/* An op ran from one time to the other, in microseconds. Does nothing if nobody asked. Under the engine's
 * lock. */
void cupti_op(const struct op *op, double began_us, double ended_us);

#endif
