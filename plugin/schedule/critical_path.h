/*
 * Critical path: how long the work takes that hangs on an op, when nothing but dependences hold it up.
 */
#ifndef KESCO_SCHEDULE_CRITICAL_PATH_H
#define KESCO_SCHEDULE_CRITICAL_PATH_H

#include "plugin/schedule/graph.h"

/*
 * Stores for each op of a built graph the largest sum of costs, in microseconds, along a path of edges from
 * the op to the end of its zone, its own cost included. What loops carry does not count. It never rises along
 * an edge.
 */
void kesco_critical_path_find(const struct kesco_graph *graph, double *length);

#endif
