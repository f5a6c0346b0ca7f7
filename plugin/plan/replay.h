/*
 * Which regions may be replayed as graphs.
 *
 * The runtime replays what comes again and again (runtime/region/replay.h). That may pay where a region has a
 * loop, or enough launches to be worth while when its function is called again. Where such a region has one
 * lane, calls that let the host wait may be put off as elsewhere, so one with two of them is written for that
 * alone.
 */
#ifndef KESCO_PLAN_REPLAY_H
#define KESCO_PLAN_REPLAY_H

#include "plugin/region/region.h"
#include "plugin/schedule/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * True if the op can be collected: a launch whose arguments are seen, or a memset or copy in device memory
 * for which no host waits. Which memory it is, the run asks.
 */
bool kesco_op_can_collect(const struct kesco_region_op *op);

/* True if the region has as many launches as graphs pay for, or a loop of some. */
bool kesco_region_has_many_launches(const struct kesco_op_region *region);

/* Stores whether the ops of the region may be replayed, planned as in `plan`. -ENOMEM. */
int kesco_region_may_replay(const struct kesco_op_region *region, const struct kesco_plan *plan,
                            bool *may_replay);

#ifdef __cplusplus
}
#endif

#endif
