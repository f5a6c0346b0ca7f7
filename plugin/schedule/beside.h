/*
 * What may run beside each op: the ops that neither lanes nor waits order with it. What the compiler knows of
 * how much they have to do tells the run whether lanes may pay before the op is issued
 * (runtime/region/governor.h).
 */
#ifndef KESCO_SCHEDULE_BESIDE_H
#define KESCO_SCHEDULE_BESIDE_H

#include "plugin/schedule/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most ops of a plan that is looked at. */
#define KESCO_BESIDE_MOST 2048

/*
 * Stores for each op of the plan the sum of `work`, by op, of those that may run beside it, in one pass of a
 * loop; no more than UINT32_MAX, which is also stored for all ops of a larger plan. -ENOMEM.
 */
int kesco_beside_find(const struct kesco_plan *plan, const uint32_t *work, uint32_t *beside);

#ifdef __cplusplus
}
#endif

#endif
