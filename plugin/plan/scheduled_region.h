/*
 * A region and its plan. Functions return 0 or a negative errno: -ENOMEM, or what the scheduler refuses
 * (plugin/schedule/plan.h).
 */
#ifndef KESCO_PLAN_SCHEDULED_REGION_H
#define KESCO_PLAN_SCHEDULED_REGION_H

#include "plugin/region/region.h"
#include "plugin/schedule/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_scheduled_region {
    struct kesco_graph *graph; /* its ops, and the parts of objects that they touch */
    struct kesco_plan *plan;
    bool too_large;        /* its control flow is beyond what is analysed, so the plan is serial */
    bool may_replay;       /* the runtime may replay it as graphs */
    uint32_t placed_lanes; /* as many the run has to place its ops on (placed.h), and the plan is then serial;
                              0: the plan says where they go */
    bool joins;            /* placed, and the ops of functions before and after this one may be part of it */
    bool only_joins;       /* by itself, it has nothing to overlap */
};

/*
 * Builds the data-flow graph of a region and plans it; what is stored, the caller clears. Where the costs of
 * all ops are known, the region gets several lanes only if they can pay.
 */
int kesco_schedule_region(const struct kesco_op_region *region, const struct kesco_plan_options *options,
                          struct kesco_scheduled_region *scheduled);

/* Lets the run place the ops: the plan becomes the program's order. */
int kesco_schedule_at_run(struct kesco_scheduled_region *scheduled, const struct kesco_plan_options *options);

/* Frees what `scheduled` has. Accepts a zeroed one. */
void kesco_scheduled_region_clear(struct kesco_scheduled_region *scheduled);

/* True if the plan, or the run, has several lanes for its ops. */
bool kesco_scheduled_has_lanes(const struct kesco_scheduled_region *scheduled);

/* True if its ops are on the program's own stream, and none but launches are changed. */
bool kesco_scheduled_is_one_lane(const struct kesco_scheduled_region *scheduled);

/* True if the runtime has to do with it, but for what fetches memory. */
bool kesco_scheduled_is_run(const struct kesco_scheduled_region *scheduled);

#ifdef __cplusplus
}
#endif

#endif
