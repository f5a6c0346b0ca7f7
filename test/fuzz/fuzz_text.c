/*
 * libFuzzer: bytes as a graph's text, as kesco-schedule takes it: read, planned, reported. The first byte
 * chooses the options. What comes out of the planner must be a plan.
 */
#include "plugin/report/plan_report.h"
#include "plugin/schedule/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More ops than this take the planner longer than a fuzzer wants to wait. */
#define MOST_OPS 400

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check_plan(const struct kesco_graph *graph, const struct kesco_plan *plan,
                       const struct kesco_plan_options *options) {
    require(plan->op_count == graph->op_count);
    require(plan->lane_count <= options->max_lanes);
    for (uint32_t place = 0; place < plan->op_count; place++) {
        uint32_t op = plan->sequence[place];
        require(op < plan->op_count && plan->order[op] == place && plan->lane[op] < plan->lane_count);
    }
    for (size_t i = 0; i < graph->derived.edges.count; i++)
        require(plan->order[graph->derived.edges.items[i].from] <
                plan->order[graph->derived.edges.items[i].to]);
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        require(plan->order[plan->sync.waits[i].on] < plan->order[plan->sync.waits[i].op]);
}

static void report(const struct kesco_graph *graph, const struct kesco_plan *plan) {
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_report made;
    char *json = NULL;
    size_t length;
    FILE *out = open_memstream(&json, &length);

    require(builder != NULL && out != NULL);
    require(kesco_report_begin_function(builder, "graph") == 0);
    require(kesco_report_append_region(builder, graph, plan, NULL) == 0);
    require(kesco_report_end_function(builder) == 0);
    require(kesco_report_finish(builder, "bytes", &made) == 0);
    require(kesco_report_write(&made, out) == 0);
    kesco_report_builder_destroy(builder);
    fclose(out);
    free(json);
}

static void plan(struct kesco_graph *graph, uint8_t choice) {
    const struct kesco_machine machine = {.launch_us = 2, .call_us = 0.5, .wait_us = 1, .region_us = 3};
    const struct kesco_plan_options options = {
        .policy = choice & 0x40 ? KESCO_POLICY_CRITICAL_PATH : KESCO_POLICY_FEWEST_PREDECESSORS,
        .max_lanes = 1 + (choice >> 1) % 32,
        .reorder = (choice & 1) != 0,
        .machine = choice & 0x80 ? &machine : NULL,
    };
    struct kesco_plan *plan;

    require(kesco_graph_build_edges(graph) == 0);
    require(kesco_plan_create(graph, &options, &plan) == 0);
    check_plan(graph, plan, &options);
    report(graph, plan);
    kesco_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kesco_text text = {0};
    struct kesco_text_error error;
    FILE *in;

    if (size < 2)
        return 0;
    in = fmemopen((void *)(data + 1), size - 1, "r");
    require(in != NULL);
    if (kesco_text_read(in, &text, &error) == 0) {
        if (text.graph->op_count <= MOST_OPS)
            plan(text.graph, *data);
        kesco_text_free(&text);
    }
    fclose(in);
    return 0;
}
