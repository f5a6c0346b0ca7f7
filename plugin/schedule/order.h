/*
 * Order: the issue order of a region's ops (paper, "Kernel-level Scheduling": "Kernel with less predecessors
 * is scheduled first").
 */
#ifndef KESCO_SCHEDULE_ORDER_H
#define KESCO_SCHEDULE_ORDER_H

#include "plugin/schedule/graph.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Stores in `sequence` the ops of a built graph by segment, then rank (rank.h), then program order; with
 * `reorder` false in program order. Either is topological. -ENOMEM.
 */
int kesco_order_create(const struct kesco_graph *graph, bool reorder, uint32_t *sequence);

#endif
