/*
 * Flow: in which order control may come to the ops of a region that is no straight line.
 *
 * A place is where an op stands in the program; places are numbered as the ops are. `next` tells which place
 * control may come to next, without another place or a barrier between. A region is a straight line if
 * control comes to all of its places one after the other, from the first on; then no flow is needed.
 */
#ifndef KESCO_SCHEDULE_FLOW_H
#define KESCO_SCHEDULE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_FLOW_MAX_PLACES 256 /* the analyses along a flow take time by the cube of its places */

struct kesco_flow {
    uint32_t place_count; /* places */
    size_t words;         /* machine words in a set of places */
    uint64_t *next;       /* by place: the set of places that may come next */
    uint64_t
        *later; /* once closed: by place, the set of places that may come later, itself included in a loop */
};

/* Stores a flow without ways, which the caller owns. -EOVERFLOW beyond KESCO_FLOW_MAX_PLACES, -ENOMEM. */
int kesco_flow_create(uint32_t place_count, struct kesco_flow **out);

/* Frees the flow. Accepts NULL. */
void kesco_flow_destroy(struct kesco_flow *flow);

/* Says that control may come from one place to another. */
void kesco_flow_add_next(struct kesco_flow *flow, uint32_t from, uint32_t to);

/* Fills `later`: call when all ways are added. */
void kesco_flow_close(struct kesco_flow *flow);

/* In a closed flow: true if an op at `from` may still be in flight when control comes to `to`. */
bool kesco_flow_in_flight(const struct kesco_flow *flow, uint32_t from, uint32_t to);

/* In a closed flow: true if control may come to both places in one run of the region. */
bool kesco_flow_both(const struct kesco_flow *flow, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
