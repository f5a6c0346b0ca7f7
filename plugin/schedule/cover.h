/*
 * Cover: how few lanes the ops of a straight line can do with when none comes after another on a lane that
 * it does not come after anyway, by dependences or by the host's waiting.
 *
 * Such lanes are chains of the order of the ops, and the fewest chains that hold all of them are as many as
 * the widest set of ops that may all run at once (Dilworth, "A Decomposition Theorem for Partially Ordered
 * Sets", 1950). They are found as a largest matching of each op with the next one on its lane (Fulkerson,
 * "Note on Dilworth's Decomposition Theorem for Partially Ordered Sets", 1956), by augmenting paths.
 *
 * A cover is then filled in: op for op in issue order, it tells whether an op may take a lane such that the
 * fewest still do for those that follow.
 */
#ifndef KESCO_SCHEDULE_COVER_H
#define KESCO_SCHEDULE_COVER_H

#include "plugin/schedule/graph.h"

#include <stdbool.h>
#include <stdint.h>

#define KESCO_COVER_NONE UINT32_MAX /* in place of an op: none */
#define KESCO_COVER_MAX_OPS 2048    /* a cover takes memory by the square of the ops, time by the cube */

struct kesco_cover;

/*
 * Stores a cover of the `count` ops in `sequence`, which are in issue order and have edges to no others of
 * the built graph, which is a straight line; `lane` tells by op where to begin the search, and counts as far
 * as those lanes are chains. The caller destroys it. -EOVERFLOW beyond KESCO_COVER_MAX_OPS, -ENOMEM.
 */
int kesco_cover_create(const struct kesco_graph *graph, const uint32_t *sequence, uint32_t count,
                       const uint32_t *lane, struct kesco_cover **out);

/* Frees the cover. Accepts NULL. */
void kesco_cover_destroy(struct kesco_cover *cover);

/* The fewest lanes that do. */
uint32_t kesco_cover_lanes(const struct kesco_cover *cover);

/*
 * Puts `op`, the next in issue order, after `tail`, the last op so far of its lane, or with KESCO_COVER_NONE
 * on a lane of its own; false, and nothing is changed, if then the fewest lanes would not do for all.
 */
bool kesco_cover_take(struct kesco_cover *cover, uint32_t tail, uint32_t op);

#endif
