/*
 * Past along a flow (flow.h): what comes before each op whatever the lanes, by dependences and by the host's
 * waiting for ops that block.
 *
 * A must-analysis: an op is in the past of another if on all ways every run of it that is still in flight
 * when control comes to the other ends before that starts. What is never in flight there is in the past, too.
 * The runs of one op count as ordered, for they are on one lane.
 */
#ifndef KESCO_SCHEDULE_FLOW_PAST_H
#define KESCO_SCHEDULE_FLOW_PAST_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

/*
 * Stores by op the set of ops in its past, each of kesco_bits_words(op_count) words, of a built graph with a
 * flow whose ops are issued in program order. -ENOMEM.
 */
int kesco_flow_past(const struct kesco_graph *graph, uint64_t *past);

#endif
