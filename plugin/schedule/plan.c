#include "plugin/schedule/plan.h"

#include "plugin/schedule/distribute.h"
#include "plugin/schedule/flow_sync.h"
#include "plugin/schedule/level.h"
#include "plugin/schedule/overlap.h"
#include "plugin/schedule/zone.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int allocate(struct kesco_plan *plan, uint32_t op_count) {
    size_t ops = (size_t)op_count + 1;
    plan->op_count = op_count;
    plan->lane = calloc(ops, sizeof(*plan->lane));
    plan->order = calloc(ops, sizeof(*plan->order));
    plan->sequence = calloc(ops, sizeof(*plan->sequence));
    plan->zone = calloc(ops, sizeof(*plan->zone));
    return plan->lane && plan->order && plan->sequence && plan->zone ? 0 : -ENOMEM;
}

static int find_order(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                      const uint32_t *level, struct kesco_plan *plan) {
    int err = 0;
    if (options->reorder)
        err = kesco_order_create(graph, options->policy, level, plan->sequence);
    else
        kesco_order_keep(graph, plan->sequence);
    for (uint32_t i = 0; i < plan->op_count && !err; i++)
        plan->order[plan->sequence[i]] = i;
    return err;
}

static int find_lanes(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                      const uint32_t *level, struct kesco_plan *plan) {
    struct kesco_distribution how = {
        .sequence = plan->sequence,
        .level = level,
        .level_count = plan->level_count,
        .max_lanes = options->max_lanes ? options->max_lanes : KESCO_PLAN_DEFAULT_LANES,
    };
    how.full = options->policy == KESCO_POLICY_CRITICAL_PATH ? KESCO_FULL_EARLIEST : KESCO_FULL_LEAST_LOADED;
    bool overlap;
    int err = kesco_overlap_exists(graph, &overlap);
    if (err)
        return err;
    if (!overlap) {
        how.max_lanes = 1;
        plan->worth.serial = KESCO_SERIAL_NO_OVERLAP;
    }
    return kesco_distribute(graph, &how, plan->lane, &plan->lane_count);
}

static int find_lane_levels(const uint32_t *level, struct kesco_plan *plan) {
    plan->lane_level = calloc((size_t)plan->lane_count + 1, sizeof(*plan->lane_level));
    if (!plan->lane_level)
        return -ENOMEM;
    for (uint32_t op = 0; op < plan->op_count; op++)
        if (level[op] > plan->lane_level[plan->lane[op]])
            plan->lane_level[plan->lane[op]] = (uint8_t)level[op];
    return 0;
}

static int find_sync(const struct kesco_graph *graph, struct kesco_plan *plan) {
    struct kesco_sync sync;
    int err;
    if (graph->flow)
        err = kesco_flow_sync_create(graph, plan->sequence, plan->lane, plan->lane_count, &sync);
    else
        err = kesco_sync_create(graph, plan->sequence, plan->lane, plan->lane_count, &sync);
    if (err)
        return err;
    plan->sync.waits = sync.waits;
    plan->sync.wait_count = sync.wait_count;
    plan->sync.records = sync.records;
    plan->sync.record_count = sync.record_count;
    return 0;
}

/* Takes the lanes back where they cannot pay. */
static int judge(const struct kesco_graph *graph, const struct kesco_machine *machine,
                 struct kesco_plan *plan) {
    const struct kesco_sync sync = {plan->sync.waits, plan->sync.wait_count, plan->sync.records,
                                    plan->sync.record_count};
    const struct kesco_issue issue = {plan->sequence, plan->lane, plan->lane_count, &sync};
    bool pays;
    int err = kesco_estimate_pays(graph, machine, &issue, &pays);
    if (err || pays)
        return err;
    memset(plan->lane, 0, plan->op_count * sizeof(*plan->lane));
    plan->lane_count = 1;
    plan->sync.wait_count = plan->sync.record_count = 0;
    plan->worth.serial = KESCO_SERIAL_NO_GAIN;
    return 0;
}

static int find_cuts(const struct kesco_graph *graph, struct kesco_plan *plan) {
    const struct kesco_sync sync = {plan->sync.waits, plan->sync.wait_count, plan->sync.records,
                                    plan->sync.record_count};
    return kesco_cut_find(graph, plan->sequence, plan->lane, &sync, &plan->cut);
}

static int find_bounds(const struct kesco_graph *graph, struct kesco_plan *plan) {
    struct kesco_bounds bounds;
    int err = kesco_estimate_bounds(graph, &bounds);
    if (err)
        return err;
    plan->worth.costs_known = bounds.known;
    plan->worth.serial_us = bounds.serial_us;
    plan->worth.bound_us = fmax(bounds.critical_path_us, bounds.capacity_us);
    return 0;
}

/* Fills in the plan; `level` has room for the level of each op. */
static int fill(const struct kesco_graph *graph, const struct kesco_plan_options *options, uint32_t *level,
                struct kesco_plan *plan) {
    kesco_zone_find(graph, plan->zone, &plan->zone_count);
    int err = kesco_level_find(graph, plan->zone, plan->zone_count, level, &plan->level_count);
    if (!err)
        err = find_order(graph, options, level, plan);
    if (!err)
        err = find_lanes(graph, options, level, plan);
    if (!err)
        err = find_sync(graph, plan);
    if (!err && options->machine && plan->lane_count > 1)
        err = judge(graph, options->machine, plan);
    if (!err && plan->lane_count > 1)
        err = find_cuts(graph, plan);
    if (!err)
        err = find_lane_levels(level, plan);
    return err ? err : find_bounds(graph, plan);
}

static bool is_time(double time) {
    return isfinite(time) && time >= 0;
}

static bool are_valid(const struct kesco_plan_options *options) {
    const struct kesco_machine *machine = options->machine;
    if ((unsigned)options->policy >= KESCO_POLICIES || options->max_lanes > KESCO_PLAN_MAX_LANES)
        return false;
    return !machine || (is_time(machine->launch_us) && is_time(machine->call_us) &&
                        is_time(machine->wait_us) && is_time(machine->region_us));
}

int kesco_plan_create(const struct kesco_graph *graph, const struct kesco_plan_options *options,
                      struct kesco_plan **out) {
    if (!graph->built || !are_valid(options))
        return -EINVAL;
    struct kesco_plan *plan = calloc(1, sizeof(*plan));
    uint32_t *level = calloc((size_t)graph->op_count + 1, sizeof(*level));
    int err = plan && level ? allocate(plan, graph->op_count) : -ENOMEM;
    if (!err)
        err = fill(graph, options, level, plan);
    free(level);
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
    free(plan->lane_level);
    free(plan->sync.waits);
    free(plan->sync.records);
    kesco_cut_free(&plan->cut);
    free(plan);
}
