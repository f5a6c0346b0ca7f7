/*
 * libFuzzer: bytes as a region that is no straight line. Each place takes three bytes: ways on, and what its
 * op touches and is. The plan must issue in program order, keep to its lanes, and name each wait's record.
 */
#include "plugin/schedule/flow.h"
#include "plugin/schedule/plan.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PLACES = 40, OBJECTS = 6, BYTES_A_PLACE = 3 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static void add_accesses(struct kesco_graph *graph, uint32_t op, uint8_t touched) {
    if (touched == 0xff)
        require(kesco_graph_add_access(graph, op, KESCO_OBJECT_ANY, KESCO_WRITE) == 0);
    require(kesco_graph_add_access(graph, op, touched % OBJECTS, KESCO_WRITE) == 0);
    require(kesco_graph_add_access(graph, op, touched / OBJECTS % OBJECTS, KESCO_READ) == 0);
}

static struct kesco_graph *make_graph(const uint8_t *data, uint32_t places) {
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_flow *flow;
    uint32_t id;

    require(graph != NULL && kesco_flow_create(places, &flow) == 0);
    for (unsigned i = 0; i < OBJECTS; i++)
        require(kesco_graph_add_object(graph, "object", &id) == 0);
    for (uint32_t i = 0; i < places; i++) {
        const uint8_t *place = data + (size_t)i * BYTES_A_PLACE;
        struct kesco_op op = {.name = "op", .cost = place[2], .priority = place[2] % 3, .segment = i};
        op.blocks = (place[2] & 0xc0) == 0x40;
        op.engine = (enum kesco_engine)(place[2] >> 3 & 3);
        require(kesco_graph_add_op(graph, &op, &id) == 0);
        add_accesses(graph, id, place[1]);
        kesco_flow_add_next(flow, i, place[0] % places);
        if ((place[0] & 0x80) == 0 && i + 1 < places)
            kesco_flow_add_next(flow, i, i + 1);
    }
    kesco_flow_close(flow);
    require(kesco_graph_set_flow(graph, flow) == 0);
    return graph;
}

static bool is_recorded(const struct kesco_plan *plan, uint32_t op) {
    for (size_t i = 0; i < plan->sync.record_count; i++)
        if (plan->sync.records[i] == op)
            return true;
    return false;
}

static void check_plan(const struct kesco_plan *plan, uint32_t places) {
    require(plan->op_count == places);
    for (uint32_t i = 0; i < places; i++)
        require(plan->sequence[i] == i && plan->lane[i] < plan->lane_count);
    for (size_t i = 0; i < plan->sync.wait_count; i++) {
        const struct kesco_wait *wait = &plan->sync.waits[i];
        require(wait->op < places && wait->on < places && is_recorded(plan, wait->on));
        require(plan->lane[wait->op] != plan->lane[wait->on]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kesco_plan_options options = {.policy = KESCO_POLICY_FEWEST_PREDECESSORS, .reorder = true};
    uint32_t places = (uint32_t)(size / BYTES_A_PLACE);
    struct kesco_graph *graph;
    struct kesco_plan *plan;

    if (places == 0 || places > MOST_PLACES)
        return 0;
    options.max_lanes = 1 + data[size - 1] % 8;
    graph = make_graph(data, places);
    require(kesco_graph_build_edges(graph) == 0);
    require(kesco_plan_create(graph, &options, &plan) == 0);
    check_plan(plan, places);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
    return 0;
}
