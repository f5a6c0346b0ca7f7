/*
 * Synchronisation along a flow (flow.h): where control branches and loops, a wait is needed where on some way
 * there the op waited for may be in flight and its end is not yet known to come first.
 *
 * A must-analysis tells what each lane knows: an op is known to a lane if on all ways every run of it that is
 * still in flight ends before what the lane runs next. What the lane of an op that blocks knows, all lanes
 * know after it. Every dependence is met so, and no wait could go as
 * far as that analysis can tell: in flows beyond KESCO_FLOW_SYNC_WORK, waits that only several others
 * together imply may stay.
 */
#ifndef KESCO_SCHEDULE_FLOW_SYNC_H
#define KESCO_SCHEDULE_FLOW_SYNC_H

#include "plugin/schedule/sync.h"

#define KESCO_FLOW_SYNC_WORK (1u << 25) /* waits times ops times machine words in a state */

/* As kesco_sync_create, for a graph with a flow. -ENOMEM. */
int kesco_flow_sync_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                           uint32_t lane_count, struct kesco_sync *sync);

#endif
