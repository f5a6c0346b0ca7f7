/*
 * Why the ops of a region do not overlap, as a sentence with advice, if some works. Texts stand in the
 * caller's memory.
 */
#ifndef KESCO_MESSAGES_REGION_REASON_H
#define KESCO_MESSAGES_REGION_REASON_H

#include "plugin/plan/scheduled_region.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KESCO_PASSES_SHARE                                                                                   \
    "in a loop whose number of passes is no constant of at most 32, each op is one, on one lane"
#define KESCO_INNER_LOOP                                                                                     \
    "; make several passes one, by a loop inside of it with a constant number of passes, 32 at most"

struct kesco_region_reason {
    uint32_t op;      /* at which it is told */
    const char *text; /* NULL without memory */
};

/* Why the ops of a region with several of them, planned with at most `max_lanes` lanes, are on one. */
struct kesco_region_reason kesco_why_one_lane(const struct kesco_op_region *region,
                                              const struct kesco_scheduled_region *scheduled,
                                              unsigned max_lanes, struct kesco_arena *memory);

/* True if the region is one kernel in a loop. */
bool kesco_region_is_looped_kernel(const struct kesco_op_region *region);

/* Why the passes of the loop around a region's one op are on one lane. */
struct kesco_region_reason kesco_why_passes_share(const struct kesco_op_region *region,
                                                  struct kesco_arena *memory);

/* The first op that keeps its order to others as it may touch what they do; NULL for none. */
const struct kesco_region_op *kesco_region_aliasing(const struct kesco_op_region *region);

#ifdef __cplusplus
}
#endif

#endif
