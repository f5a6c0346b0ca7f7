/*
 * What becomes of a region: its plan, or lanes that the run chooses, or graphs.
 */
#ifndef KESCO_PLAN_PLAN_REGION_H
#define KESCO_PLAN_PLAN_REGION_H

#include "plugin/plan/scheduled_region.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Schedules the region and decides what the runtime does with it. `joins`: the function's ops may overlap
 * with those of others. What is stored, the caller clears. Returns as kesco_schedule_region.
 */
int kesco_plan_region(const struct kesco_op_region *region, bool joins,
                      const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled);

#ifdef __cplusplus
}
#endif

#endif
