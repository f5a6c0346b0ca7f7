/*
 * Distribution: ops to lanes (paper, "Kernel-level Scheduling": "Issue a kernel immediately after its
 * predecessor whenever feasible").
 *
 * An op goes right after one of its predecessors, direct or not, whenever one is the tail of a lane: of
 * those tails the one that leaves the op the fewest waits, then the one with the fewest other successors
 * still to come (they can no longer follow it for free), then the lowest lane. Waits that the host's own
 * waiting makes needless do not count. Else it goes to the lowest idle lane: one all of whose ops the host
 * has waited for. Else it opens an unused lane. Else, all `max_lanes` being used, it goes to the least loaded
 * lane (sum of costs), the lowest one of equals; or, by KESCO_FULL_EARLIEST, to the one where it could start
 * first were the device unlimited, then the one that leaves the fewest waits, then the lowest.
 *
 * That takes no more lanes than there are ops in the widest set that could all run at once (cover.h): an op
 * leaves a tail to the others that may follow it if else they would come to take one lane more. Ops take what
 * they like best all the same where even so few lanes are more than `max_lanes`, and beyond
 * KESCO_COVER_MAX_OPS ops.
 *
 * Where there are several levels (level.h), each is distributed as if it were alone, on lanes that no other
 * level uses, as long as all of that takes no more than `max_lanes`. Else the levels get fewer lanes of their
 * own and share some, by the rule of band.h: among the lanes that its band opened, an op goes where the rule
 * above says; only where that rule finds no tail, no idle lane and none to open does it look among all lanes
 * that it may use, again for an idle one first. So a lane is shared only once all are used or promised to
 * others, and an op comes after one of a lower level only if there are fewer lanes than levels.
 *
 * Along a flow (flow.h), an op that never runs in one run of the region with another is as if it were not
 * there to it: the tail of a lane is the last of the ops that do, and a lane without such ops is unused. No
 * lane is idle, for what is after a place may come again. An op also goes after a tail that is no direct
 * predecessor if it comes before or after every run of all that is on the lane anyway (flow_past.h), and of
 * tails that leave it as many waits it takes one on such a lane first. Ops take what they like best: how few
 * lanes would do is not looked for. What loops carry does not count for when an op could start.
 */
#ifndef KESCO_SCHEDULE_DISTRIBUTE_H
#define KESCO_SCHEDULE_DISTRIBUTE_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

/* Which lane takes an op that finds all of them used. */
enum kesco_full {
    KESCO_FULL_LEAST_LOADED,
    KESCO_FULL_EARLIEST, /* the one where it could start first, by the costs */
};

struct kesco_distribution {
    const uint32_t *sequence; /* the ops in issue order, which is topological */
    const uint32_t *level;    /* by op: its level, below level_count; unread where there is one */
    uint32_t level_count;     /* levels; at least 1 unless there are no ops */
    uint32_t max_lanes;       /* lanes to use at most, at least 1 */
    enum kesco_full full;     /* what to do when they are used */
};

/*
 * Stores the lane of each op of a built graph and the number of lanes used. Lanes are numbered by first use.
 * -ENOMEM.
 */
int kesco_distribute(const struct kesco_graph *graph, const struct kesco_distribution *how, uint32_t *lane,
                     uint32_t *lane_count);

#endif
