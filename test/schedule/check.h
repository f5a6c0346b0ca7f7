/*
 * Check: whether a plan is what contract 2 says, by brute force over a model (model.h), without the core's
 * code.
 *
 * Each function returns NULL where all is well, or what is wrong.
 */
#ifndef KESCO_TEST_SCHEDULE_CHECK_H
#define KESCO_TEST_SCHEDULE_CHECK_H

#include "test/schedule/model.h"

/* The graph's edges order what conflicts and nothing else; without any-accesses they are the very ones
 * expected. */
const char *check_edges(const struct model *model, const struct kesco_graph *graph);

/* The issue order is by segment, level, policy, program order; or the program order. No op is issued across
 * one that blocks. */
const char *check_order(const struct model *model, enum kesco_policy policy, const struct kesco_plan *plan);

/* Whether some two ops could overlap, and which ops block in vain (overlap.h). */
const char *check_overlap(const struct model *model, const struct kesco_graph *graph);

/* There are as many lanes as the widest set of ops of each level that could all run at once, as far as the
 * options let there be so many; fewer only where none could overlap. */
const char *check_width(const struct model *model, const struct kesco_plan *plan);

/* No more lanes than that, by trying all sets. For small models of one level. */
const char *check_widest_set(const struct model *model, const struct kesco_plan *plan);

/* Each op is on the lane that the rule of distribute.h gives, seen from the graph's edges; all are on one
 * where none could overlap. For models of one level. */
const char *check_lanes(const struct model *model, const struct kesco_graph *graph,
                        const struct kesco_plan *plan);

/* Zones are the components of the conflicts. */
const char *check_zones(const struct model *model, const struct kesco_plan *plan);

/* Lane levels are right; no zone waits for another; none of the highest max_lanes - 1 levels comes behind a
 * lower one on a lane, and none at all does if there are as many lanes as levels. */
const char *check_levels(const struct model *model, const struct kesco_plan *plan);

/* If the lanes suffice, each level has the lanes that it has alone and shares none of them; else all lanes
 * are used. For plans by KESCO_POLICY_FEWEST_PREDECESSORS. */
const char *check_levels_alone(const struct model *model, const struct kesco_plan *plan);

/* Waits and records are legal, enough, and none too many: taking any one wait away loses an order. */
const char *check_waits(const struct model *model, const struct kesco_plan *plan);

/* Cuts are where all that is issued before comes before all that is issued from there on (cut.h). */
const char *check_cuts(const struct model *model, const struct kesco_plan *plan);

/* No smaller set of waits that adds no order would do. Tries all, so for small models only. */
const char *check_fewest_waits(const struct model *model, const struct kesco_plan *plan);

#endif
