#include "plugin/plan/plan_region.h"

#include "plugin/plan/placed.h"
#include "plugin/plan/replay.h"

#include <stddef.h>

/* Leaves the ops of a region to the run where that may find them lanes. */
static int place_ops(const struct kesco_op_region *region, enum kesco_joining joining,
                     const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled) {
    bool is_worth, joins, may_replay = false;
    if (options->max_lanes == 1)
        return 0;
    int status = kesco_region_should_place(region, scheduled->too_large ? NULL : scheduled->plan, &is_worth);
    if (status)
        return status;
    joins =
        joining != KESCO_JOINS_NOT && kesco_region_may_join(region, joining == KESCO_JOINS_ALL && !is_worth);
    if (joins && !is_worth) {
        status = kesco_region_may_replay(region, scheduled->plan, &may_replay);
        may_replay = may_replay && kesco_region_has_many_launches(region);
        joins = !may_replay && (joining == KESCO_JOINS_ALL || scheduled->plan->lane_count == 1);
    }
    scheduled->joins = joins;
    scheduled->only_joins = joins && !is_worth && scheduled->plan->lane_count == 1 && region->put_off == 0;
    if (status == 0 && (is_worth || scheduled->joins))
        status = kesco_schedule_at_run(scheduled, options);
    return status;
}

int kesco_plan_region(const struct kesco_op_region *region, enum kesco_joining joining,
                      const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled) {
    int status = kesco_schedule_region(region, options, scheduled);
    if (status)
        return status;
    status = place_ops(region, joining, options, scheduled);
    if (status == 0 && (!scheduled->too_large || scheduled->placed_lanes > 0) && !scheduled->joins)
        status = kesco_region_may_replay(region, scheduled->plan, &scheduled->may_replay);
    if (status)
        kesco_scheduled_region_clear(scheduled);
    return status;
}
