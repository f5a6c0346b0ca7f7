/*
 * Rank: how many transitive predecessors an op has; the key of the issue order.
 *
 * The exact count is a transitive closure: 64 predecessors a machine word, KESCO_RANK_BLOCK of them at a
 * time, so n ops and e edges cost about e * n / 2 / 64 word operations and n * KESCO_RANK_BLOCK / 8 bytes.
 * Beyond KESCO_RANK_EXACT_WORK that is no longer near-linear, and the rank is an estimate: each op keeps the
 * KESCO_RANK_SKETCH smallest hashes of its transitive predecessors, merged from its direct ones; the largest
 * of them tells the size of the set (Cohen, "Size-Estimation Framework with Applications to Transitive
 * Closure and Reachability", 1997). Sets below KESCO_RANK_SKETCH are still counted exactly; above, the
 * standard error is about 1 / sqrt(KESCO_RANK_SKETCH - 2). Merging can only lower the largest hash, so the
 * estimate never falls along an edge: either rank, with ties in program order, gives a topological order.
 */
#ifndef KESCO_SCHEDULE_RANK_H
#define KESCO_SCHEDULE_RANK_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

#define KESCO_RANK_BLOCK 512             /* predecessors counted in one sweep */
#define KESCO_RANK_SKETCH 32             /* hashes that an estimate rests on */
#define KESCO_RANK_EXACT_WORK (1u << 24) /* edges times blocks up to which the rank is exact */

/* Stores each op's number of transitive predecessors. The graph must be built. -ENOMEM. */
int kesco_rank_exact(const struct kesco_graph *graph, uint64_t *rank);

/*
 * Stores a rank that orders ops as the estimate of their number of transitive predecessors does: the number
 * itself below KESCO_RANK_SKETCH, a value without a unit from there on. Deterministic. -ENOMEM.
 */
int kesco_rank_estimate(const struct kesco_graph *graph, uint64_t *rank);

/* Either of the two, by the size of the graph. -ENOMEM. */
int kesco_rank(const struct kesco_graph *graph, uint64_t *rank);

#endif
