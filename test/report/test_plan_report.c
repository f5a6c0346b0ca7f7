/* From graphs and plans to report data, one region or several (plan_report.h). */
#include "plugin/report/plan_report.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <errno.h>
#include <string.h>

/* Plans the graph of the text, appends both as a region, and destroys them. With sites, its first op is a
 * copy. */
static void append(struct kesco_report_builder *builder, const char *text,
                   const struct kesco_report_site *sites) {
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_plan *plan = plan_of(graph);
    if (sites)
        graph->ops[0].kind = KESCO_OP_COPY;
    assert_int_equal(kesco_report_append_region(builder, graph, plan, sites), 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void a_region_becomes_a_function(void **state) {
    (void)state;
    const struct kesco_report_site sites[] = {{7, NULL}, {9, NULL}, {9, "a/b.h:3"}};
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_report report;
    assert_int_equal(kesco_report_begin_function(builder, "main"), 0);
    append(builder, "op square r=x1 w=x1\nop square w=y1\nop reduce priority=5 r=x1,* w=res\n", sites);
    assert_int_equal(kesco_report_end_function(builder), 0);
    assert_int_equal(kesco_report_finish(builder, "vec.cu", &report), 0);

    assert_string_equal(report.source, "vec.cu");
    assert_int_equal(report.function_count, 1);
    const struct kesco_report_function *function = &report.functions[0];
    assert_string_equal(function->name, "main");
    assert_int_equal(function->lanes, 2);
    assert_int_equal(function->levels[0], 0);
    assert_int_equal(function->levels[1], 0);
    assert_int_equal(function->op_count, 3);
    assert_int_equal(function->ops[0].kind, KESCO_OP_COPY);
    assert_int_equal(function->ops[0].line, 7);
    assert_null(function->ops[0].source);
    assert_string_equal(function->ops[2].source, "a/b.h:3");
    assert_int_equal(function->ops[0].touched.read_count, 1); /* what is written too is among the reads */
    assert_string_equal(function->ops[0].touched.reads[0], "x1");
    assert_int_equal(function->ops[0].touched.write_count, 1);
    assert_string_equal(function->ops[0].touched.writes[0], "x1");
    const struct kesco_report_op *reduce = &function->ops[2];
    assert_string_equal(reduce->name, "reduce");
    assert_int_equal(reduce->priority, 5);
    assert_int_equal(reduce->touched.read_count, 2);
    assert_string_equal(reduce->touched.reads[0], "x1");
    assert_string_equal(reduce->touched.reads[1], "*");
    assert_string_equal(reduce->touched.writes[0], "res");
    assert_int_equal(function->plan.edge_count, 2);
    assert_int_equal(function->plan.edges[0].kind, KESCO_RAW);
    assert_string_equal(function->plan.edges[0].object, "*");
    assert_int_equal(function->plan.wait_count, 1);
    assert_int_equal(function->plan.waits[0].op, 2);
    assert_int_equal(function->plan.waits[0].on, 1);
    assert_int_equal(function->plan.record_count, 1);
    assert_int_equal(function->plan.records[0], 1);
    kesco_report_builder_destroy(builder);
}

static void a_lane_has_its_highest_level_of_any_region(void **state) {
    (void)state;
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_report report;
    assert_int_equal(kesco_report_begin_function(builder, "f"), 0);
    append(builder, "op a priority=2 w=x\nop b priority=2 w=y\nop c w=z\n", NULL);
    append(builder, "op d priority=3\nop e priority=2\nop f priority=1\nop g priority=0\n", NULL);
    append(builder, "op h\n", NULL);
    assert_int_equal(kesco_report_end_function(builder), 0);
    assert_int_equal(kesco_report_finish(builder, "f.cu", &report), 0);
    const unsigned levels[] = {3, 2, 1, 0};
    assert_int_equal(report.functions[0].lanes, 4);
    assert_memory_equal(report.functions[0].levels, levels, sizeof(levels));
    kesco_report_builder_destroy(builder);
}

static void regions_count_on(void **state) {
    (void)state;
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_report report;
    assert_int_equal(kesco_report_begin_function(builder, "f"), 0);
    append(builder, "op a w=x\nop b w=y\nop c w=z\n", NULL);
    append(builder, "", NULL);
    assert_int_equal(kesco_report_note_placed(builder), 0);
    assert_int_equal(kesco_report_note_joins(builder), 0);
    append(builder, "op d w=x\nop e r=q w=y\nop f r=x,y\n", NULL);
    assert_int_equal(kesco_report_add_guard(builder, "p", "q"), 0);
    assert_int_equal(kesco_report_add_claim(builder, 5, "p", "q + n"), 0);
    assert_int_equal(kesco_report_set_serial(builder, 6, "one behind another"), 0);
    assert_int_equal(kesco_report_add_lend(builder, 8, "step()"), 0);
    assert_int_equal(kesco_report_add_barrier(builder, 40, "call to unknown function 'g'"), 0);
    assert_int_equal(kesco_report_end_function(builder), 0);
    assert_int_equal(kesco_report_finish(builder, "f.cu", &report), 0);

    const struct kesco_report_function *function = &report.functions[0];
    assert_int_equal(function->lanes, 3); /* the most of any region */
    assert_int_equal(function->op_count, 6);
    for (unsigned id = 0; id < 6; id++) {
        assert_int_equal(function->ops[id].order, id);
        assert_int_equal(function->ops[id].region, id < 3 ? 0 : 2);
        assert_int_equal(function->ops[id].zone, id < 3 ? id : 3);
        assert_int_equal(function->ops[id].kind, KESCO_OP_KERNEL);
    }
    assert_int_equal(function->plan.edges[0].from, 3);
    assert_int_equal(function->plan.edges[0].to, 5);
    assert_string_equal(function->plan.edges[0].object, "x");
    assert_int_equal(function->plan.waits[0].op, 5);
    assert_int_equal(function->plan.waits[0].on, 4);
    assert_int_equal(function->plan.records[0], 4);
    assert_string_equal(function->assumed.guards[0].a, "p");
    assert_string_equal(function->assumed.guards[0].b, "q");
    assert_int_equal(function->stops.serial->line, 6);
    assert_string_equal(function->stops.serial->why, "one behind another");
    assert_int_equal(function->assumed.claim_count, 1);
    assert_int_equal(function->assumed.claims[0].line, 5);
    assert_string_equal(function->assumed.claims[0].a, "p");
    assert_string_equal(function->assumed.claims[0].b, "q + n");
    assert_int_equal(function->stops.barriers[0].line, 40);
    assert_string_equal(function->stops.barriers[0].why, "call to unknown function 'g'");
    assert_int_equal(function->regions.placed_count, 1);
    assert_int_equal(function->regions.placed[0], 1);
    assert_int_equal(function->regions.join_count, 1);
    assert_int_equal(function->regions.joins[0], 1);
    assert_int_equal(function->lend_count, 1);
    assert_int_equal(function->lends[0].line, 8);
    assert_string_equal(function->lends[0].callee, "step()");
    kesco_report_builder_destroy(builder);
}

static void each_function_starts_anew(void **state) {
    (void)state;
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_report report;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(kesco_report_begin_function(builder, "f"), 0);
        append(builder, "op a w=x\nop b r=x\n", NULL);
        assert_int_equal(kesco_report_end_function(builder), 0);
    }
    assert_int_equal(kesco_report_finish(builder, "f.cu", &report), 0);
    assert_int_equal(report.function_count, 20);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(report.functions[i].op_count, 2);
        assert_int_equal(report.functions[i].plan.edges[0].from, 0);
        assert_int_equal(report.functions[i].ops[1].region, 0);
    }
    kesco_report_builder_destroy(builder);
}

static void calls_out_of_turn_are_refused(void **state) {
    (void)state;
    struct kesco_report_builder *builder = kesco_report_builder_create();
    struct kesco_graph *graph = graph_of_text("op a\n"), *other = graph_of_text("op a\nop b\n");
    struct kesco_plan *plan = plan_of(graph);
    struct kesco_report report;
    assert_int_equal(kesco_report_append_region(builder, graph, plan, NULL), -EINVAL);
    assert_int_equal(kesco_report_add_guard(builder, "a", "b"), -EINVAL);
    assert_int_equal(kesco_report_add_barrier(builder, 1, "why"), -EINVAL);
    assert_int_equal(kesco_report_end_function(builder), -EINVAL);
    assert_int_equal(kesco_report_begin_function(builder, "f"), 0);
    assert_int_equal(kesco_report_begin_function(builder, "f"), -EINVAL);
    assert_int_equal(kesco_report_finish(builder, "f.cu", &report), -EINVAL);
    assert_int_equal(kesco_report_append_region(builder, other, plan, NULL), -EINVAL);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
    kesco_graph_destroy(other);
    kesco_report_builder_destroy(builder); /* with a function still open */
}

static void nothing_can_be_destroyed(void **state) {
    (void)state;
    kesco_report_builder_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_becomes_a_function),
        cmocka_unit_test(a_lane_has_its_highest_level_of_any_region),
        cmocka_unit_test(regions_count_on),
        cmocka_unit_test(each_function_starts_anew),
        cmocka_unit_test(calls_out_of_turn_are_refused),
        cmocka_unit_test(nothing_can_be_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
