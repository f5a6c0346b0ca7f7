/* The DOT language of Graphviz: what is in it, and that Graphviz reads it (dot.h). */
#include "plugin/report/dot.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Fails the test unless Graphviz reads the text as one graph. */
static void expect_dot(const char *text) {
    FILE *pipe = popen("dot -Tcanon >/dev/null 2>&1", "w");
    assert_non_null(pipe);
    fputs(text, pipe);
    if (pclose(pipe))
        fail_msg("Graphviz does not read:\n%s", text);
}

static void a_graph_has_ops_lanes_and_waits(void **state) {
    (void)state;
    static const char *const texts[] = {"op left w=x1\nop right w=y1\nop join r=x1,y1 w=res\n", NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("run(float *)", texts, &report);
    char *text = dot_of(&report);
    expect_dot(text);
    expect_count(text,
                 "label=\"run(float *)\\l3 kernels, 2 lanes, 1 wait, 1 record, 0 guards, 0 barriers\\l\"", 1);
    expect_count(text, "label=\"2 join\\nlane 0\"", 1);
    expect_count(text, "label=\"2 join\\nissue 2\"", 1);
    expect_count(text, "f0n0 -> f0n2 [", 1);
    expect_count(text, "f0n1 -> f0n2 [", 1);
    expect_count(text, "label=\" RAW y1 \"", 1);
    expect_count(text, "label=\"lane 1\"", 1);
    expect_count(text, "f0r0_0 -> f0l0 [", 1);
    expect_count(text, "f0l0 -> f0l2 [", 1); /* on lane 0 */
    expect_count(text, "f0l1 -> f0l2 [", 1); /* the wait */
    expect_count(text, "penwidth=2.2", 2);   /* it, in both */
    free(text);
    kesco_report_builder_destroy(builder);
}

static void kinds_of_edges_have_lines_of_their_own(void **state) {
    (void)state;
    static const char *const texts[] = {"op a r=x w=y\nop b w=x\nop c w=y\nop d r=y\n", NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    char *text = dot_of(&report);
    expect_dot(text);
    expect_count(text, "f0n0 -> f0n1 [id=\"f0e0_1\", style=dashed", 1);
    expect_count(text, "f0n0 -> f0n2 [id=\"f0e0_2\", style=dotted", 1);
    expect_count(text, "f0n2 -> f0n3 [id=\"f0e2_3\", style=solid", 1);
    expect_count(text, " WAR x ", 1);
    free(text);
    kesco_report_builder_destroy(builder);
}

static void a_wait_without_an_edge_is_an_arrow(void **state) {
    (void)state;
    const struct kesco_report_op ops[] = {{.kind = KESCO_OP_KERNEL, .name = "a"},
                                          {.kind = KESCO_OP_KERNEL, .name = "b", .lane = 1, .order = 1}};
    const struct kesco_report_wait waits[] = {{1, 0}, {0, 1}};
    const unsigned levels[] = {0, 0};
    const struct kesco_report_function function = {.name = "f",
                                                   .lanes = 2,
                                                   .levels = levels,
                                                   .ops = ops,
                                                   .op_count = 2,
                                                   .plan.waits = waits,
                                                   .plan.wait_count = 2};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    char *text = dot_of(&report);
    expect_dot(text);
    expect_count(text, "f0n0 -> f0n1 [id=\"f0e0_1\", style=solid", 1);
    expect_count(text, "label=\" wait \"", 1);
    expect_count(text, "label=\" wait\\nof the pass before \"", 1);
    /* the arrow of the loop: room for its label is found from above */
    expect_count(text, "f0n0 -> f0n1 [id=\"f0e1_0\", style=solid", 1);
    expect_count(text, "dir=back", 1);
    expect_count(text, "constraint=false", 1); /* between lanes */
    free(text);
}

static void names_are_escaped(void **state) {
    (void)state;
    const char *const names[] = {"p&lt;\"q\\"};
    const struct kesco_report_op ops[] = {{.kind = KESCO_OP_KERNEL,
                                           .name = "a<b, \"c\">(d &&) \\N \xC3\xA9 \x01\xFF\n",
                                           .touched.reads = names,
                                           .touched.read_count = 1},
                                          {.kind = KESCO_OP_COPY, .name = "\\", .order = 1}};
    const struct kesco_report_edge edge = {0, 1, KESCO_WAR, names[0]};
    const struct kesco_report_barrier barrier = {3, "call to 'f<\"\\\">'"};
    const unsigned levels[] = {0};
    const struct kesco_report_function function = {.name = "\"];}\\",
                                                   .lanes = 1,
                                                   .levels = levels,
                                                   .ops = ops,
                                                   .op_count = 2,
                                                   .plan.edges = &edge,
                                                   .plan.edge_count = 1,
                                                   .stops.barriers = &barrier,
                                                   .stops.barrier_count = 1};
    const struct kesco_report report = {.source = "\\", .functions = &function, .function_count = 1};
    char *text = dot_of(&report);
    expect_dot(text);
    expect_count(text, "a<b, \\\"c\\\">(d &amp;&amp;) \\\\N \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD", 2);
    expect_count(text, "a<b, \\\"c\\\">(d &amp;&amp;) \xE2\x88\x96N \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD", 2);
    expect_count(text, "\"\\\"];}\\\\\\l", 1);
    expect_count(text, "label=\" WAR p&amp;lt;\\\"q\\\\ \"", 1);
    expect_count(text, "WAR p&amp;lt;\\\"q\xE2\x88\x96\"", 1);
    expect_count(text, "  line 3: call to 'f<\\\"\\\\\\\">'\\l", 1);
    expect_count(text, "style=\"dashed,filled\"", 2);
    free(text);
}

static void no_functions_are_a_graph_too(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "empty.cu"};
    char *text = dot_of(&report);
    expect_dot(text);
    expect_count(text, "subgraph", 0);
    free(text);
}

static void random_plans_are_read(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct model model;
        struct kesco_report report;
        model_random(&model, seed, MODEL_OPS);
        struct kesco_report_builder *builder = report_of_model(&model, &report);
        char *text = dot_of(&report);
        expect_dot(text);
        expect_count(text, " [id=\"f0n", model.op_count);
        expect_count(text, " [id=\"f0l", model.op_count);
        free(text);
        kesco_report_builder_destroy(builder);
    }
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "img.cu"};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    assert_int_equal(kesco_dot_write(&report, out), -EIO);
    fclose(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_ops_lanes_and_waits),
        cmocka_unit_test(kinds_of_edges_have_lines_of_their_own),
        cmocka_unit_test(a_wait_without_an_edge_is_an_arrow),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(no_functions_are_a_graph_too),
        cmocka_unit_test(random_plans_are_read),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
