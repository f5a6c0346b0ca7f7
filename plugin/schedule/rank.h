/*
 * Rank: how many transitive predecessors an op has; the key of the issue order. With ties in program order,
 * it gives a topological order.
 *
 * The count is a transitive closure: 64 predecessors a machine word, KESCO_RANK_BLOCK of them at a time, so n
 * ops and e edges cost about e * n / 2 / 64 word operations and n * KESCO_RANK_BLOCK / 8 bytes.
 */
#ifndef KESCO_SCHEDULE_RANK_H
#define KESCO_SCHEDULE_RANK_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

#define KESCO_RANK_BLOCK 512 /* predecessors counted in one sweep */

/* Stores each op's number of transitive predecessors. The graph must be built. -ENOMEM. */
int kesco_rank(const struct kesco_graph *graph, uint64_t *rank);

#endif
