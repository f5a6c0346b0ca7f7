#include "plugin/schedule/plan.h"

#include "plugin/schedule/distribute.h"
#include "plugin/schedule/flow_sync.h"
#include "plugin/schedule/order.h"
#include "plugin/schedule/overlap.h"
#include "plugin/schedule/zone.h"

#include <errno.h>
#include <stdlib.h>

static int allocate(struct kesco_plan *plan, uint32_t op_count) {
    size_t ops = (size_t)op_count + 1;
    plan->op_count = op_count;
    plan->lane = calloc(ops, sizeof(*plan->lane));
    plan->order = calloc(ops, sizeof(*plan->order));
    plan->sequence = calloc(ops, sizeof(*plan->sequence));
    plan->zone = calloc(ops, sizeof(*plan->zone));
    return plan->lane && plan->order && plan->sequence && plan->zone ? 0 : -ENOMEM;
}

static int fill(const struct kesco_graph *graph, uint32_t max_lanes, bool reorder, struct kesco_plan *plan) {
    int err = kesco_order_create(graph, reorder, plan->sequence);
    if (err)
        return err;
    for (uint32_t i = 0; i < plan->op_count; i++)
        plan->order[plan->sequence[i]] = i;
    bool overlap;
    err = kesco_overlap_exists(graph, &overlap);
    if (err)
        return err;
    err = kesco_distribute(graph, plan->sequence, overlap ? max_lanes : 1, plan->lane, &plan->lane_count);
    if (err)
        return err;
    kesco_zone_find(graph, plan->zone, &plan->zone_count);

    struct kesco_sync sync;
    if (graph->flow)
        err = kesco_flow_sync_create(graph, plan->sequence, plan->lane, plan->lane_count, &sync);
    else
        err = kesco_sync_create(graph, plan->sequence, plan->lane, plan->lane_count, &sync);
    if (err)
        return err;
    plan->waits = sync.waits;
    plan->wait_count = sync.wait_count;
    plan->records = sync.records;
    plan->record_count = sync.record_count;
    return 0;
}

int kesco_plan_create(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                      struct kesco_plan **out) {
    if (!graph->built || options->policy != KESCO_POLICY_FEWEST_PREDECESSORS ||
        options->max_lanes > KESCO_PLAN_MAX_LANES)
        return -EINVAL;
    uint32_t max_lanes = options->max_lanes ? options->max_lanes : KESCO_PLAN_DEFAULT_LANES;
    struct kesco_plan *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    int err = allocate(plan, graph->op_count);
    if (!err)
        err = fill(graph, max_lanes, options->reorder, plan);
    if (err) {
        kesco_plan_destroy(plan);
        return err;
    }
    *out = plan;
    return 0;
}

void kesco_plan_destroy(struct kesco_plan *plan) {
    if (!plan)
        return;
    free(plan->lane);
    free(plan->order);
    free(plan->sequence);
    free(plan->zone);
    free(plan->waits);
    free(plan->records);
    free(plan);
}
