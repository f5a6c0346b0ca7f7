/*
 * Zones: the independent tasks of a region, which are the weakly connected components of its DFG (paper,
 * "Multiple Workload Scheduling").
 */
#ifndef KESCO_SCHEDULE_ZONE_H
#define KESCO_SCHEDULE_ZONE_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

/* Stores the zone of each op of a built graph, numbered by first op in program order, and the number of
 * zones. */
void kesco_zone_find(const struct kesco_graph *graph, uint32_t *zone, uint32_t *zone_count);

#endif
