#include "plugin/plan/scheduled_region.h"

#include "plugin/schedule/flow.h"
#include "runtime/kesco_abi.h"

#include <errno.h>

/*
 * The host's calls and the device's signals, in microseconds. Estimates: launches are known for a few
 * microseconds; records without timing took 0.25 on a V100 (NVIDIA/NVTX, issue 3), and two streams on a
 * GeForce 3080 took up to 3 to synchronise (facebookincubator/velox, pull request 6096).
 */
static const struct kesco_machine machine = {.launch_us = 2, .call_us = 0.8, .wait_us = 1.5, .region_us = 3};

static int add_access(struct kesco_graph *graph, uint32_t op, const struct kesco_op_access *access) {
    int status = kesco_graph_add_access(graph, op, access->object, access->access);
    if (status == 0 && access->also_reads)
        status = kesco_graph_add_access(graph, op, access->object, KESCO_READ);
    return status;
}

static int add_op(struct kesco_graph *graph, const struct kesco_region_op *from) {
    struct kesco_op op = from->op;
    uint32_t id;
    op.blocks = from->host.wait == KESCO_HOST_WAIT_DONE;
    int status = kesco_graph_add_op(graph, &op, &id);
    for (uint32_t i = 0; status == 0 && i < from->memory.accesses.count; i++)
        status = add_access(graph, id, &from->memory.accesses.items[i]);
    return status;
}

static int add_flow(struct kesco_graph *graph, const struct kesco_op_region *region) {
    struct kesco_flow *flow;
    int status = kesco_flow_create(region->ops.count, &flow);
    if (status)
        return status;
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_numbers *next = &region->ops.items[op].way.next;
        for (uint32_t i = 0; i < next->count; i++)
            kesco_flow_add_next(flow, op, next->items[i]);
    }
    kesco_flow_close(flow);
    return kesco_graph_set_flow(graph, flow);
}

static int fill_graph(struct kesco_graph *graph, const struct kesco_op_region *region, bool has_flow) {
    uint32_t id;
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < region->parts.count; i++)
        status = kesco_graph_add_object(graph, region->parts.items[i], &id);
    for (uint32_t i = 0; status == 0 && i < region->ops.count; i++)
        status = add_op(graph, &region->ops.items[i]);
    if (status == 0 && has_flow)
        status = add_flow(graph, region);
    return status != 0 ? status : kesco_graph_build_edges(graph);
}

/* Puts the program's order, on one lane, in the place of the plan. */
static int plan_in_order(struct kesco_scheduled_region *scheduled, const struct kesco_plan_options *options) {
    struct kesco_plan_options in_order = *options;
    struct kesco_plan *plan;
    in_order.reorder = false;
    in_order.max_lanes = 1;
    int status = kesco_plan_create(scheduled->graph, &in_order, &plan);
    if (status)
        return status;
    kesco_plan_destroy(scheduled->plan);
    scheduled->plan = plan;
    return 0;
}

static int make_plan(struct kesco_scheduled_region *scheduled, const struct kesco_plan_options *options) {
    struct kesco_plan_options judged = *options;
    judged.machine = &machine;
    int status = kesco_plan_create(scheduled->graph, &judged, &scheduled->plan);
    if (status)
        return status;
    enum kesco_serial why = scheduled->plan->worth.serial;
    if (!scheduled->too_large && (scheduled->plan->lane_count > 1 || !options->reorder))
        return 0;
    /* Such a region is left as it is, so its plan is the program's order. */
    status = plan_in_order(scheduled, options);
    scheduled->plan->worth.serial = why;
    return status;
}

int kesco_schedule_region(const struct kesco_op_region *region, const struct kesco_plan_options *options,
                          struct kesco_scheduled_region *scheduled) {
    bool has_flow = !kesco_region_is_straight(region);
    bool is_too_large = has_flow && region->ops.count > KESCO_FLOW_MAX_PLACES;
    *scheduled = (struct kesco_scheduled_region){.graph = kesco_graph_create(), .too_large = is_too_large};
    int status = scheduled->graph ? fill_graph(scheduled->graph, region, has_flow && !is_too_large) : -ENOMEM;
    if (status == 0)
        status = make_plan(scheduled, options);
    if (status)
        kesco_scheduled_region_clear(scheduled);
    return status;
}

int kesco_schedule_at_run(struct kesco_scheduled_region *scheduled,
                          const struct kesco_plan_options *options) {
    uint32_t lanes = options->max_lanes;
    enum kesco_serial why = scheduled->plan->worth.serial;
    int status = plan_in_order(scheduled, options);
    if (status)
        return status;
    scheduled->plan->worth.serial = why;
    scheduled->placed_lanes = lanes == 0 || lanes > KESCO_PLACED_LANES ? KESCO_PLACED_LANES : lanes;
    return 0;
}

void kesco_scheduled_region_clear(struct kesco_scheduled_region *scheduled) {
    kesco_graph_destroy(scheduled->graph);
    kesco_plan_destroy(scheduled->plan);
    *scheduled = (struct kesco_scheduled_region){0};
}

bool kesco_scheduled_has_lanes(const struct kesco_scheduled_region *scheduled) {
    return scheduled->plan->lane_count > 1 || (scheduled->placed_lanes > 0 && !scheduled->only_joins);
}

bool kesco_scheduled_is_one_lane(const struct kesco_scheduled_region *scheduled) {
    return scheduled->plan->lane_count == 1 && scheduled->placed_lanes == 0;
}

bool kesco_scheduled_is_run(const struct kesco_scheduled_region *scheduled) {
    return !kesco_scheduled_is_one_lane(scheduled) || scheduled->may_replay;
}
