/*
 * What becomes of a region: its plan, or lanes that the run chooses, or graphs.
 */
#ifndef KESCO_PLAN_PLAN_REGION_H
#define KESCO_PLAN_PLAN_REGION_H

#include "plugin/plan/scheduled_region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the ops of a function may overlap with those of others, which the run finds out. */
enum kesco_joining {
    KESCO_JOINS_NOT,
    KESCO_JOINS_ALONE, /* where they have no lanes of their own */
    KESCO_JOINS_ALL,   /* in place of a plan's lanes, too, and with waits between that may be put off */
};

/*
 * Schedules the region and decides what the runtime does with it. What is stored, the caller clears. Returns
 * as kesco_schedule_region.
 */
int kesco_plan_region(const struct kesco_op_region *region, enum kesco_joining joining,
                      const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled);

#ifdef __cplusplus
}
#endif

#endif
