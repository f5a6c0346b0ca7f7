/*
 * What the ops of a region touch, once it is known which objects there are: which of these conflict, what the
 * host may see of them, and which of them the run has to tell apart.
 */
#ifndef KESCO_REGION_TOUCHES_H
#define KESCO_REGION_TOUCHES_H

#include "plugin/region/region.h"

/* What an op does to an object. */
struct kesco_touch {
    uint32_t op;     /* index into the region's ops */
    uint32_t object; /* index into its objects, or KESCO_OBJECT_ANY */
    bool write;
    bool is_transfer; /* by a copy or memset, not by a kernel */
    bool also_reads;  /* beside writing */
};
KESCO_LIST(kesco_touches, struct kesco_touch);

/* What asks whether the program claims that two objects are distinct, which is then relied on: always true of
 * those that no two ops conflict on. */
struct kesco_claim_question {
    bool (*are_distinct)(void *context, uint32_t a, uint32_t b);
    void *context;
};

/*
 * Settles what the touches, whose memory is the region's, come to: fills in its objects but for their names
 * and kinds, the pairs that are checked, what the host sees of ops, and which alias all. `trap` is the object
 * that stands for the device's end, KESCO_OBJECT_ANY for none: what has to come after kernels that may trap
 * touches it, too. `claims` is NULL where there are none. -ENOMEM.
 */
int kesco_touches_settle(struct kesco_op_region *region, struct kesco_touches *touches, uint32_t trap,
                         const struct kesco_claim_question *claims);

#endif
