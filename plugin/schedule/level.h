/*
 * Levels: the priorities of a region's tasks, counted from the lowest (paper, "Multiple Workload
 * Scheduling": "Schedules hierarchically, postpone low-priority tasks").
 *
 * A zone (zone.h) has the highest priority of its ops. Level 0 is the lowest such priority of the region, 1
 * the next distinct one, and so on. Beyond KESCO_LEVEL_MAX distinct priorities, the lowest share level 0.
 */
#ifndef KESCO_SCHEDULE_LEVEL_H
#define KESCO_SCHEDULE_LEVEL_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

#define KESCO_LEVEL_MAX 256 /* levels that are told apart: one fits a byte */

/*
 * Stores the level of each op, whose zones are `zone`, numbered below `zone_count`, and the number of levels:
 * 0 for an empty graph. -ENOMEM.
 */
int kesco_level_find(const struct kesco_graph *graph, const uint32_t *zone, uint32_t zone_count,
                     uint32_t *level, uint32_t *level_count);

#endif
