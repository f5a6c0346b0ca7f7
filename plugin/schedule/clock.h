/*
 * Clock: what is ordered before what among the ops issued so far.
 *
 * Each op carries a vector clock: per lane, how many of the lane's ops are ordered before its end, itself
 * included, by lane order, DFG edges and the host's waiting for an op that blocks (Mattern, "Virtual Time and
 * Global States of Distributed Systems", 1989). One comparison then tells whether an edge is implied by
 * others. The distributor asks the clock which waits a lane would leave, the synchronisation generator which
 * waits are needed. Only ops that a later op can still refer to keep their clock, so the memory is lanes
 * times the ops in flight.
 */
#ifndef KESCO_SCHEDULE_CLOCK_H
#define KESCO_SCHEDULE_CLOCK_H

#include "plugin/schedule/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KESCO_LANE_NONE UINT32_MAX /* in place of a lane: none yet; in place of an op: none */

struct kesco_clock;

/* Stores a clock for the ops of a built graph on at most `lanes` lanes; the caller destroys it. -ENOMEM. */
int kesco_clock_create(const struct kesco_graph *graph, uint32_t lanes, struct kesco_clock **out);

/* Frees the clock. Accepts NULL. */
void kesco_clock_destroy(struct kesco_clock *clock);

/*
 * The ops that `op`, issued next on `lane`, would have to wait for: its direct predecessors on other lanes
 * that neither the host nor the lane nor another predecessor is ordered after. With KESCO_LANE_NONE no lane
 * helps. The array, of `count` entries in no particular order, belongs to the clock and lasts until the next
 * call.
 */
const uint32_t *kesco_clock_waits(struct kesco_clock *clock, uint32_t op, uint32_t lane, size_t *count);

/* Issues `op` on `lane`. All predecessors must have been issued, and `op` not yet. -ENOMEM. */
int kesco_clock_issue(struct kesco_clock *clock, uint32_t op, uint32_t lane);

/*
 * True if `op`, not issued yet, comes after `first`, which is issued, by its direct predecessors: it is one
 * of them, or comes before one.
 */
bool kesco_clock_is_past(const struct kesco_clock *clock, uint32_t first, uint32_t op);

/* True if the host has waited for all ops on the lane, which is used. */
bool kesco_clock_idle(const struct kesco_clock *clock, uint32_t lane);

/* The lane's last op, or KESCO_LANE_NONE for an unused lane. */
uint32_t kesco_clock_tail(const struct kesco_clock *clock, uint32_t lane);

/* The lane of an issued op. */
uint32_t kesco_clock_lane(const struct kesco_clock *clock, uint32_t op);

/* How many direct successors of `op` are still to be issued. */
size_t kesco_clock_pending(const struct kesco_clock *clock, uint32_t op);

#endif
