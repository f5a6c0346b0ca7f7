/*
 * Cuts: where all that is issued before comes before all that is issued from there on, by dependences and
 * lanes alone. An action on the legacy default stream orders just that (CUDA Runtime API, "Stream
 * synchronization behavior"), so beside it a cut takes no waits, and no order is added that the plan does not
 * ask for:
 *   - an op that every other op comes before or after is such an action itself, if issued on that stream;
 *   - a place between two ops takes one record there, instead of records and waits for each pair of lanes.
 *
 * In a straight line, an op is a cut if all ops before it have a successor no later than it, and all ops
 * after it a predecessor no earlier (by induction they then come before or after the op itself). A place is
 * one if each op without a successor before it directly precedes each op without a predecessor after it.
 * Along a flow, ops are found by the past of each (flow_past.h), places are not looked for.
 */
#ifndef KESCO_SCHEDULE_CUT_H
#define KESCO_SCHEDULE_CUT_H

#include "plugin/schedule/graph.h"
#include "plugin/schedule/sync.h"

/* By op, each with an entry for every op of the graph. */
struct kesco_cut {
    bool *alone;     /* every other op comes before it or after it, and it is never empty */
    bool *aligned;   /* a record right before it saves something, and neither there is alone */
    uint32_t *epoch; /* ops of different epochs need no wait for one another once all cuts are made */
};

/*
 * Finds the cuts of a built graph that is issued in the order `sequence` on the lanes `lane`, with the waits
 * and records `sync`. Stores arrays that the caller frees with kesco_cut_free. -ENOMEM, with nothing stored.
 */
int kesco_cut_find(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                   const struct kesco_sync *sync, struct kesco_cut *cut);

/* Accepts one that is all zero. */
void kesco_cut_free(struct kesco_cut *cut);

#endif
