/*
 * Dependences along a flow (flow.h): an edge for every pair of ops that conflict where the first may still be
 * in flight when control comes to the second. Unlike in a straight line (dependence.h) no edge is left out
 * for what others imply, because what lies between may not run.
 */
#ifndef KESCO_SCHEDULE_FLOW_DEPENDENCE_H
#define KESCO_SCHEDULE_FLOW_DEPENDENCE_H

#include "plugin/schedule/graph.h"

/*
 * Stores the edges of `graph`, whose accesses are sorted and merged and which has a flow: in `edges` those
 * from a lower op to a higher one, by (to, from, object); in `carried` the others, which loops carry, in the
 * same order. An op's edge to itself is left out: it is always on one lane. The caller frees both arrays.
 * -ENOMEM.
 */
int kesco_flow_dependence_edges(const struct kesco_graph *graph, struct kesco_edge **edges,
                                size_t *edge_count, struct kesco_edge **carried, size_t *carried_count);

#endif
