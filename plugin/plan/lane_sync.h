/*
 * What the code of a planned region does to keep its lanes in order: the events that are recorded, what each
 * op waits for, and where an action on the legacy default stream does for both (plugin/schedule/cut.h).
 */
#ifndef KESCO_PLAN_LANE_SYNC_H
#define KESCO_PLAN_LANE_SYNC_H

#include "plugin/plan/scheduled_region.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_NO_EVENT UINT32_MAX

struct kesco_lane_sync {
    const struct kesco_op_region *region;
    const struct kesco_plan *plan;
    bool has_cuts;        /* none where the origin is another stream, and none where ops are placed */
    uint32_t *event;      /* by op, the event that is recorded after it; KESCO_NO_EVENT: none is waited for */
    uint32_t event_count; /* events in use */
};

/* Stores what the caller clears, and what points at the region and its plan. -ENOMEM. */
int kesco_lane_sync_find(const struct kesco_op_region *region, const struct kesco_plan *plan,
                         struct kesco_lane_sync *sync);

/* Accepts a zeroed one. */
void kesco_lane_sync_clear(struct kesco_lane_sync *sync);

/* True for an op that goes to the origin. */
bool kesco_lane_sync_is_cut(const struct kesco_lane_sync *sync, uint32_t op);

/* True for an op with a record on the origin right before it. */
bool kesco_lane_sync_is_aligned(const struct kesco_lane_sync *sync, uint32_t op);

/* True if only a cut can come after the op that is issued at `place`. */
bool kesco_lane_sync_is_cut_next(const struct kesco_lane_sync *sync, uint32_t place);

/*
 * Stores in `on`, which has room for all waits of the plan, the ops that `op` waits for, and returns how
 * many. The latest is first: that may cover the others, which then cost nothing. In a loop, ops with higher
 * numbers ran in the pass before.
 */
size_t kesco_lane_sync_waits(const struct kesco_lane_sync *sync, uint32_t op, uint32_t *on);

#ifdef __cplusplus
}
#endif

#endif
