#include "plugin/plan/plan_region.h"

#include "plugin/plan/placed.h"
#include "plugin/plan/replay.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* Kernels that wait for each other are these parts of those that come one after the other, at least, where
 * lanes of the region's own gain little. */
enum { CHAINED_OF = 5, CHAINED = 4 };

/* So many kernels come up to an op, itself included: at most, */
struct kernels_before {
    uint32_t *issued;  /* of those that are issued one after the other, */
    uint32_t *chained; /* and that wait for each other */
};

static void raise_to(uint32_t *count, uint32_t other) {
    if (other > *count)
        *count = other;
}

/* True if most kernels wait for each other. `before` has room for each op, and has zeros. */
static bool are_chained(const struct kesco_op_region *region, const struct kesco_graph *graph,
                        struct kernels_before before) {
    uint32_t issued = 0, chained = 0;
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_region_op *it = &region->ops.items[op];
        size_t count;
        const uint32_t *earlier = kesco_graph_predecessors(graph, op, &count);
        for (size_t i = 0; i < count; i++)
            if (earlier[i] < op)
                raise_to(&before.chained[op], before.chained[earlier[i]]);
        before.chained[op] += it->op.kind == KESCO_OP_KERNEL;
        before.issued[op] += it->op.kind == KESCO_OP_KERNEL;
        for (uint32_t i = 0; i < it->way.next.count; i++)
            if (it->way.next.items[i] > op)
                raise_to(&before.issued[it->way.next.items[i]], before.issued[op]);
        raise_to(&issued, before.issued[op]);
        raise_to(&chained, before.chained[op]);
    }
    return CHAINED_OF * chained >= CHAINED * issued;
}

/* Stores whether what lanes gain for the region is beside others, for the most part. */
static int is_almost_chain(const struct kesco_op_region *region, const struct kesco_graph *graph,
                           bool *is_chain) {
    uint32_t *counts = calloc(2 * (size_t)region->ops.count, sizeof *counts);
    if (counts == NULL)
        return -ENOMEM;
    *is_chain = are_chained(region, graph, (struct kernels_before){counts, counts + region->ops.count});
    free(counts);
    return 0;
}

/* Leaves the ops of a region to the run where that may find them lanes. */
static int place_ops(const struct kesco_op_region *region, enum kesco_joining joining,
                     const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled) {
    const bool has_copies = kesco_region_has_plain_copies(region);
    bool is_worth, joins, is_alone, may_replay = false, is_chain = false;
    if (options->max_lanes == 1)
        return 0;
    /* What the guard has to know one by one, the run tells apart beside what other calls do, too. */
    is_alone = scheduled->plan->lane_count == 1 ||
               (kesco_region_has_ranges(region) && !kesco_region_has_loop(region));
    int status = kesco_region_should_place(region, scheduled->too_large ? NULL : scheduled->plan, &is_worth);
    if (status)
        return status;
    joins =
        joining != KESCO_JOINS_NOT && kesco_region_may_join(region, joining == KESCO_JOINS_ALL && !is_worth);
    joins = joins && !(is_worth && has_copies);
    if (joins && !is_worth) {
        status = kesco_region_may_replay(region, scheduled->plan, &may_replay);
        may_replay = may_replay && kesco_region_has_many_launches(region);
        if (status == 0 && may_replay)
            status = is_almost_chain(region, scheduled->graph, &is_chain);
        joins = (joining == KESCO_JOINS_ALL && (!may_replay || is_chain)) || is_alone;
        /* Where the region has lanes or graphs of its own, the host's waits are best planned with them. */
        if (has_copies)
            joins = is_alone && !may_replay;
    }
    scheduled->joins = joins;
    scheduled->may_replay = joins && may_replay;
    scheduled->only_joins =
        joins && !is_worth && (may_replay || (scheduled->plan->lane_count == 1 && region->put_off == 0));
    if (status == 0 && (is_worth || scheduled->joins))
        status = kesco_schedule_at_run(scheduled, options);
    return status;
}

/* Instructions of a thread of a kernel that fills memory, at most. */
enum { FILLS = 256 };

/* True if the op is short on a device that it does not fill: little is gained beside it. */
static bool prepares(const struct kesco_region_op *op) {
    return op->op.kind != KESCO_OP_KERNEL || (op->work > 0 && op->work <= FILLS);
}

/* True if the loops' ops are all on one lane, kernels among them, and those outside of loops prepare memory,
 * once. */
static bool is_prepared_chain(const struct kesco_op_region *region, const struct kesco_plan *plan,
                              const struct kesco_reached *reached) {
    uint32_t lane = plan->lane_count;
    bool has_kernels = false;
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_region_op *it = &region->ops.items[op];
        if (!kesco_reached_has(reached, op, op)) {
            if (!prepares(it))
                return false;
            continue;
        }
        if (lane < plan->lane_count && plan->lane[op] != lane)
            return false;
        lane = plan->lane[op];
        has_kernels |= it->op.kind == KESCO_OP_KERNEL;
    }
    return has_kernels;
}

/* Replayed, such a chain gains more than what prepares its memory does beside itself: where it cannot be with
 * lanes, it has one. */
static int prefer_chain(const struct kesco_op_region *region, const struct kesco_plan_options *options,
                        struct kesco_scheduled_region *scheduled) {
    struct kesco_plan_options one = *options;
    struct kesco_scheduled_region chain = {0};
    struct kesco_reached reached;
    bool is_better;
    if (scheduled->too_large || scheduled->plan->lane_count == 1 || scheduled->placed_lanes > 0 ||
        scheduled->may_replay)
        return 0;
    if (kesco_region_reach(region, &reached))
        return -ENOMEM;
    is_better = is_prepared_chain(region, scheduled->plan, &reached);
    kesco_reached_clear(&reached);
    if (!is_better)
        return 0;
    one.max_lanes = 1;
    int status = kesco_schedule_region(region, &one, &chain);
    if (status)
        return status;
    status = kesco_region_may_replay(region, chain.plan, &chain.may_replay);
    if (status == 0 && chain.may_replay) {
        struct kesco_scheduled_region former = *scheduled;
        *scheduled = chain;
        chain = former;
    }
    kesco_scheduled_region_clear(&chain);
    return status;
}

int kesco_plan_region(const struct kesco_op_region *region, enum kesco_joining joining,
                      const struct kesco_plan_options *options, struct kesco_scheduled_region *scheduled) {
    int status = kesco_schedule_region(region, options, scheduled);
    if (status)
        return status;
    status = place_ops(region, joining, options, scheduled);
    if (status == 0 && (!scheduled->too_large || scheduled->placed_lanes > 0) && !scheduled->joins)
        status = kesco_region_may_replay(region, scheduled->plan, &scheduled->may_replay);
    if (status == 0 && !scheduled->joins)
        status = prefer_chain(region, options, scheduled);
    if (status)
        kesco_scheduled_region_clear(scheduled);
    return status;
}
