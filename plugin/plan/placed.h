/*
 * Regions whose ops the run places.
 *
 * A loop that launches the same kernel on other memory in each pass: what its passes have in common, if
 * anything, no plan can say. The run can, by the bytes that each op accesses (runtime/region/placing.h). So
 * it can with launches of one kernel in a loop that are given which part of an array is theirs, or of several
 * long ones with a part each, and with a function that launches, and is called between others that do
 * (code/lending.h).
 */
#ifndef KESCO_PLAN_PLACED_H
#define KESCO_PLAN_PLACED_H

#include "plugin/region/region.h"
#include "plugin/schedule/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Stores whether the run should place the ops of the region: it can, and there is a loop whose passes may
 * turn out to be independent, or launches in one, while `plan` has them one after the other, or, where each
 * may go one of several ways, has no lanes but for a few passes that are copies of each other. `plan` NULL:
 * the region is too large to be planned, and the run does what it can, unless helpers have some of its ops.
 * -ENOMEM.
 */
int kesco_region_should_place(const struct kesco_op_region *region, const struct kesco_plan *plan,
                              bool *should_place);

/*
 * True if the run can place the ops of the region among those of other functions, whatever these are:
 * pointers lead to all that its ops touch, and the host waits for none but plain copies; `with_waits`: or it
 * may between them, where that can be put off.
 */
bool kesco_region_may_join(const struct kesco_op_region *region, bool with_waits);

/* True if an op is a copy between host and device that the host waits for, and that the runtime can make. */
bool kesco_region_has_plain_copies(const struct kesco_op_region *region);

#ifdef __cplusplus
}
#endif

#endif
