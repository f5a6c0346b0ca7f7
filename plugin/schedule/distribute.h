/*
 * Distribution: ops to lanes (paper, "Kernel-level Scheduling": "Issue a kernel immediately after its
 * predecessor whenever feasible").
 *
 * An op goes right behind one of its direct predecessors whenever one is the tail of a lane: of those tails
 * the one that leaves the op the fewest waits, then the one with the fewest other successors still to come
 * (they can no longer follow it for free), then the lowest lane. Waits that the host's own waiting makes
 * needless do not count. Else it goes to the lowest idle lane: one all of whose ops the host has waited for.
 * Else it opens an unused lane. Else, all `max_lanes` being used, it goes to the least loaded lane (sum of
 * costs), the lowest one of equals.
 *
 * Along a flow (flow.h), an op that never runs in one run of the region with another is as if it were not
 * there to it: the tail of a lane is the last of the ops that do, and a lane without such ops is unused. No
 * lane is idle, for what is behind a place may come again.
 */
#ifndef KESCO_SCHEDULE_DISTRIBUTE_H
#define KESCO_SCHEDULE_DISTRIBUTE_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

/*
 * Stores the lane of each op of a built graph that is issued in the topological order `sequence`, and the
 * number of lanes used, at most `max_lanes`, which is positive. Lanes are numbered by first use. -ENOMEM.
 */
int kesco_distribute(const struct kesco_graph *graph, const uint32_t *sequence, uint32_t max_lanes,
                     uint32_t *lane, uint32_t *lane_count);

#endif
