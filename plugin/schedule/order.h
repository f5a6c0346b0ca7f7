/*
 * Order: the issue order of a region's ops.
 *
 * Within a segment, ops of higher levels (level.h) come first (paper, "Multiple Workload Scheduling":
 * "Demotes low-priority task"), and within a level the policy decides.
 */
#ifndef KESCO_SCHEDULE_ORDER_H
#define KESCO_SCHEDULE_ORDER_H

#include "plugin/schedule/graph.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kesco_policy {
    /* ops with fewer transitive predecessors are issued first (rank.h; paper, "Kernel-level Scheduling") */
    KESCO_POLICY_FEWEST_PREDECESSORS,
    /* ops that more work hangs on are issued first (critical_path.h), so it takes costs to tell */
    KESCO_POLICY_CRITICAL_PATH,
    /* the first, but by bands of eight predecessors: what an op has written, the next one of its chain then
     * still finds in the device's cache */
    KESCO_POLICY_PREDECESSOR_BANDS,
    KESCO_POLICIES
};

/* Their names in that order, as options have them, with a text between two. */
#define KESCO_POLICY_NAMES(between) "fewest-predecessors" between "critical-path" between "predecessor-bands"

/*
 * Stores in `sequence` the ops of a built graph by segment, then level, highest first, then policy, then
 * program order. That is topological, because an edge leads to no lower segment, and to the same level.
 * -ENOMEM.
 */
int kesco_order_create(const struct kesco_graph *graph, enum kesco_policy policy, const uint32_t *level,
                       uint32_t *sequence);

/* Stores the program order. */
void kesco_order_keep(const struct kesco_graph *graph, uint32_t *sequence);

#ifdef __cplusplus
}
#endif

#endif
