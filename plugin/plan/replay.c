#include "plugin/plan/replay.h"

#include "runtime/kesco_abi.h"

#include <errno.h>

/* Fewer launches than these are not worth a graph, where their function alone may repeat them. */
#define FEW_LAUNCHES 4

bool kesco_op_can_collect(const struct kesco_region_op *op) {
    return op->call.can_be_node && (op->call.is_launch || op->host.wait == KESCO_HOST_WAIT_NONE);
}

static uint32_t count_collected(const struct kesco_op_region *region) {
    uint32_t count = 0;
    for (uint32_t op = 0; op < region->ops.count; op++)
        count += kesco_op_can_collect(&region->ops.items[op]);
    return count;
}

static bool leads_to_collected(const struct kesco_op_region *region, const struct kesco_reached *reached,
                               uint32_t from) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (kesco_reached_has(reached, from, op) && kesco_op_can_collect(&region->ops.items[op]))
            return true;
    return false;
}

/* Nothing is put off any more where the host waits for a copy. */
static bool ends_pass(const struct kesco_region_op *op) {
    return op->call.is_plain_copy && op->host.wait == KESCO_HOST_WAIT_DONE;
}

/*
 * Stores whether ops that cannot be collected, and that the host does not wait for, are no part of the
 * region's loops, or nothing that can comes after them. Else they would have to overlap with what is put off.
 * Without loops they have to be the last ones.
 */
static int are_others_apart(const struct kesco_op_region *region, bool *are_apart) {
    bool are_in_loops = !kesco_region_has_loop(region), are_last = true;
    struct kesco_reached reached;
    if (kesco_region_reach(region, &reached))
        return -ENOMEM;
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (!kesco_op_can_collect(&region->ops.items[op]) && !ends_pass(&region->ops.items[op])) {
            are_in_loops |= kesco_reached_has(&reached, op, op);
            are_last &= !leads_to_collected(region, &reached, op);
        }
    kesco_reached_clear(&reached);
    *are_apart = !are_in_loops || are_last;
    return 0;
}

static bool are_many(const struct kesco_op_region *region, uint32_t launches) {
    return launches >= FEW_LAUNCHES || (launches > 0 && kesco_region_has_loop(region));
}

bool kesco_region_has_many_launches(const struct kesco_op_region *region) {
    return are_many(region, count_collected(region));
}

/* Of few launches, what waits between them would take is worth it. */
static bool is_worth(const struct kesco_op_region *region, uint32_t launches) {
    return are_many(region, launches) || (launches > 0 && region->put_off > 1);
}

int kesco_region_may_replay(const struct kesco_op_region *region, const struct kesco_plan *plan,
                            bool *may_replay) {
    uint32_t launches = count_collected(region);
    bool are_apart = true;
    *may_replay = false;
    if (plan->lane_count > 1 && plan->sync.record_count > KESCO_REPLAYED_EVENTS)
        return 0;
    if (plan->lane_count == 1 && region->must_fetch)
        return 0;
    if (plan->lane_count > 1 && launches < region->ops.count && are_others_apart(region, &are_apart))
        return -ENOMEM;
    *may_replay = are_apart && is_worth(region, launches);
    return 0;
}
