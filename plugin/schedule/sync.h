/*
 * Synchronisation: which ops wait for which (paper, "KeSCo Overview": synchronization generator).
 *
 * Over the graph of lane order plus DFG edges plus the host's order, the waits are exactly the cross-lane
 * edges of the DFG in the transitive reduction. A lane runs its ops in issue order, so edges within a lane
 * need nothing; nor do edges from an op that blocks the host to those that it issues later.
 */
#ifndef KESCO_SCHEDULE_SYNC_H
#define KESCO_SCHEDULE_SYNC_H

#include "plugin/schedule/graph.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kesco_wait {
    uint32_t op; /* its lane waits before it */
    uint32_t on; /* op whose end is waited for; a record stands right after it */
};

struct kesco_sync {
    struct kesco_wait *waits; /* by issue order of op, then by id of on */
    size_t wait_count;        /* entries in waits */
    uint32_t *records;        /* ops that some wait names in `on`, ascending */
    size_t record_count;      /* entries in records */
};

/* Fills in the records that the waits ask for, of a region of `op_count` ops. -ENOMEM. */
int kesco_sync_find_records(uint32_t op_count, struct kesco_sync *sync);

/*
 * Computes the waits and records of a built graph whose ops are issued in the order `sequence` on the lanes
 * `lane` (one per op, below `lane_count`). `sequence` must be topological. The caller frees the two arrays
 * with free(). -ENOMEM.
 */
int kesco_sync_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                      uint32_t lane_count, struct kesco_sync *sync);

#ifdef __cplusplus
}
#endif

#endif
