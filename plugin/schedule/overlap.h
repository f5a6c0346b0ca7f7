/*
 * Overlap: whether ops could run at once at all, whatever the lanes. An op comes after its transitive
 * predecessors in the DFG, and after every earlier op that blocks the host together with all that that one
 * comes after. Two ops that neither way orders can overlap if they keep different things of the device busy,
 * or both its multiprocessors: copies of one direction run one after another anyway, and what takes no time
 * overlaps with nothing (enum kesco_engine). Nor do memsets with copies or one another: they go at the speed
 * of the device's memory, so what they could save is less than what a lane costs.
 *
 * Ops that block must be alone in their segment (graph.h), so that program order tells what comes after
 * them.
 */
#ifndef KESCO_SCHEDULE_OVERLAP_H
#define KESCO_SCHEDULE_OVERLAP_H

#include "plugin/schedule/graph.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most ops in a row without one for the multiprocessors that all before it come before. */
#define KESCO_OVERLAP_WINDOW 4096

/*
 * Stores whether some two ops of a built graph could overlap. An op and itself in the next pass of a loop do
 * not count: they are on one lane. Errs towards true: in a straight line beyond KESCO_OVERLAP_WINDOW, along a
 * flow where ways that meet are no longer told apart. -ENOMEM.
 */
int kesco_overlap_exists(const struct kesco_graph *graph, bool *exists);

/*
 * Stores for each op of a built graph whether the host waits in vain there: it blocks, though it comes after
 * all that may be in flight when control comes to it, so making all lanes wait for one another right there
 * would cost no overlap. Errs towards false along a flow, as above. -ENOMEM.
 */
int kesco_overlap_find_useless_blocks(const struct kesco_graph *graph, bool *useless);

#ifdef __cplusplus
}
#endif

#endif
