/* Pictures say what the report says and are well-formed, whatever the names hold (svg.h). */
#include "plugin/report/svg.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void a_picture_has_ops_lanes_and_waits(void **state) {
    (void)state;
    static const char *const texts[] = {"op left w=x1\nop right w=y1\nop join r=x1,y1 w=res\n", NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("run(float *)", texts, &report);
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">sample.cu</text>", 1);
    expect_count(text, ">run(float *)</text>", 1);
    expect_count(text, ">3 kernels, 2 lanes, 1 wait, 1 record, 0 guards, 0 barriers<", 1);
    expect_count(text, "id=\"f0n2\"", 1);
    expect_count(text, ">2 join</text>", 2);   /* in the graph and on its lane */
    expect_count(text, ">line 3, lane 0<", 0); /* the report of a model knows no lines */
    expect_count(text, ">issue 2<", 1);
    expect_count(text, ">lane 0</text>", 1 + 2); /* the row, and two ops of the graph */
    expect_count(text, "RAW y1", 2);             /* label and tooltip */
    expect_count(text, ">after 1</text>", 1);
    expect_count(text, "class=\"way\"", 1);
    expect_count(text, "op 2 waits for op 1", 1);
    expect_count(text, ">Lanes<", 1);
    /* each in a colour of its own: what waits, what the lanes' order keeps, what others imply; and kinds in
     * none */
    expect_count(text, "stroke=\"#c04000\" stroke-width=\"2.2\" stroke-dasharray=\"none\"", 1);
    expect_count(text, "stroke=\"#2b5a8c\" stroke-width=\"1.4\" stroke-dasharray=\"none\"", 1);
    expect_count(text, "stroke=\"#a0a0a0\" stroke-width=\"1\" stroke-dasharray=\"none\"", 1);
    expect_count(text, "stroke=\"#404040\" stroke-width=\"1\" stroke-dasharray", 3);
    free(text);
    kesco_report_builder_destroy(builder);
}

static void every_function_and_region_is_there(void **state) {
    (void)state;
    struct kesco_report report, more;
    static const char *const texts[] = {"op a w=x\nop b w=y\n", "op c w=x\nop d r=x\n", NULL};
    struct kesco_report_builder *builder = report_of_texts("one", texts, &report);
    struct kesco_report_builder *other = report_of_texts("two", texts, &more);
    struct kesco_report_function functions[] = {report.functions[0], more.functions[0], {.name = "three"}};
    report.functions = functions;
    report.function_count = 3;
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">one</text>", 1);
    expect_count(text, ">two</text>", 1);
    expect_count(text, ">three</text>", 1);
    expect_count(text, ">Lanes of region 0<", 2);
    expect_count(text, ">Lanes of region 1<", 2);
    expect_count(text, ">Data-flow graph<", 2);
    expect_count(text, "id=\"f0n3\"", 1);
    expect_count(text, "id=\"f1n3\"", 1);
    expect_count(text, ">0 kernels, 0 lanes, 0 waits, 0 records, 0 guards, 0 barriers<", 1);
    free(text);
    kesco_report_builder_destroy(builder);
    kesco_report_builder_destroy(other);
}

/* A function that has the ops of `helper` inlined. */
static void a_plan_is_shown_once(void **state) {
    (void)state;
    const unsigned levels[] = {0};
    const struct kesco_report_op own[] = {{.name = "a", .line = 7}, {.name = "b", .line = 8, .order = 1}};
    const struct kesco_report_op inlined[] = {{.name = "a", .line = 20, .source = "s.cu:7"},
                                              {.name = "b", .line = 20, .source = "s.cu:8", .order = 1}};
    const struct kesco_report_op other[] = {{.name = "a", .line = 20, .source = "t.cu:7"},
                                            {.name = "b", .line = 20, .source = "t.cu:8", .order = 1}};
    const struct kesco_report_function functions[] = {
        {.name = "caller", .lanes = 1, .levels = levels, .ops = inlined, .op_count = 2},
        {.name = "helper<int>", .lanes = 1, .levels = levels, .ops = own, .op_count = 2},
        {.name = "another", .lanes = 1, .levels = levels, .ops = other, .op_count = 2},
        {.name = "second", .lanes = 1, .levels = levels, .ops = inlined, .op_count = 2}};
    const struct kesco_report report = {.source = "s.cu", .functions = functions, .function_count = 4};
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">The plan is that of helper&lt;int&gt;</text>", 2);
    expect_count(text, ">Lanes<", 2);
    expect_count(text, ">Data-flow graph<", 2);
    free(text);
}

/* Where the graph has text: its left end, width and lower edge. */
struct label {
    double x, y, width;
};

/* The text behind `next` that stands in the graph; returns where it ends, NULL for none. */
static const char *next_label(const char *next, struct label *label) {
    const char *tag = strstr(next, "<text text-anchor"), *end = tag ? strstr(tag, "</text>") : NULL;
    if (!end)
        return NULL;
    const char *start = strchr(tag, '>') + 1;
    label->width =
        (double)(end - start) * 0.6 * strtod(strstr(tag, "font-size=\"") + strlen("font-size=\""), NULL);
    label->x = strtod(strstr(tag, " x=\"") + 4, NULL) - label->width / 2;
    label->y = strtod(strstr(tag, " y=\"") + 4, NULL);
    return end;
}

/* An op that reads and writes what a copy before makes and a copy behind takes, in a loop. */
static void labels_do_not_overlap(void **state) {
    (void)state;
    const unsigned levels[] = {0};
    const struct kesco_report_op ops[] = {{.name = "memcpy HtoD", .line = 23},
                                          {.name = "encrypt", .line = 24, .order = 1},
                                          {.name = "memcpy DtoH", .line = 26, .order = 2}};
    const struct kesco_report_edge edges[] = {{0, 1, KESCO_WAW, "object"}, {0, 2, KESCO_RAW, "object"},
                                              {1, 2, KESCO_RAW, "object"}, {1, 0, KESCO_WAW, "object"},
                                              {2, 0, KESCO_WAR, "object"}, {2, 1, KESCO_WAR, "object"}};
    const struct kesco_report_function function = {.name = "f",
                                                   .lanes = 1,
                                                   .levels = levels,
                                                   .ops = ops,
                                                   .op_count = 3,
                                                   .plan.edges = edges,
                                                   .plan.edge_count = 6};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    struct label labels[64], *label = labels;
    char *text = svg_of(&report, true);
    for (const char *next = strstr(text, ">Data-flow graph<"); (next = next_label(next, label)); label++)
        for (const struct label *other = labels; other < label; other++)
            if (label->y > other->y - 9 && label->y < other->y + 9)
                assert_true(label->x >= other->x + other->width || other->x >= label->x + label->width);
    assert_true(label - labels >= 12);
    free(text);
}

static void no_functions_are_a_picture_too(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "empty.cu"};
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, "No function here launches kernels.", 1);
    free(text);
}

static void guards_and_barriers_are_told(void **state) {
    (void)state;
    const struct kesco_report_op op = {.kind = KESCO_OP_COPY, .name = "memcpy HtoD", .line = 7};
    const struct kesco_report_guard guards[] = {{"x", "y"}, {"x", "z"}, {"y", "z"}};
    const struct kesco_report_claim claims[] = {{3, "x", "*w"}};
    const struct kesco_report_barrier barriers[] = {{40, "call to unknown function 'f<int>'"}, {0, "an end"}};
    const unsigned levels[] = {0};
    const struct kesco_report_function function = {.name = "f",
                                                   .lanes = 1,
                                                   .levels = levels,
                                                   .ops = &op,
                                                   .op_count = 1,
                                                   .assumed.guards = guards,
                                                   .assumed.guard_count = 3,
                                                   .stops.barriers = barriers,
                                                   .stops.barrier_count = 2,
                                                   .assumed.claims = claims,
                                                   .assumed.claim_count = 1,
                                                   .regions.placed = levels,
                                                   .regions.placed_count = 1};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">0 kernels, 1 other op, 1 lane, 0 waits, 0 records, 3 guards, 2 barriers<", 1);
    expect_count(text, ">  - x, y, z<", 1);
    expect_count(text, ">  line 3: x, *w<", 1);
    expect_count(text, ">  line 40: call to unknown function 'f&lt;int&gt;'<", 1);
    expect_count(text, ">  unknown line: an end<", 1);
    expect_count(text, ">Region 0: its ops get their lanes when the program issues them", 1);
    expect_count(text, ">line 7, issue 0<", 1);
    expect_count(text, "class=\"other\"", 2); /* the legend and the op */
    free(text);
}

static char *svg_of_source(const char *source) {
    const struct kesco_report_op op = {.kind = KESCO_OP_KERNEL, .name = "k", .line = 7, .source = source};
    const unsigned levels[] = {0};
    const struct kesco_report_function function = {
        .name = "f", .lanes = 1, .levels = levels, .ops = &op, .op_count = 1};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    char *text = svg_of(&report, true);
    expect_svg(text);
    return text;
}

static void an_op_in_a_helper_names_its_own_place(void **state) {
    (void)state;
    char *text = svg_of_source("../some folder/a&b.h:12");
    expect_count(text, ">a&amp;b.h:12, issue 0<", 1);
    expect_count(text, ">a&amp;b.h:12, lane 0<", 1);
    expect_count(text, "line 7", 0);
    free(text);
    text = svg_of_source("a_name_that_is_too_long_for_a_box.cu:12345");
    expect_count(text, ">a_name_that_is_\xE2\x80\xA6:12345, issue 0<", 1);
    free(text);
}

static void a_wait_of_the_pass_before_is_told(void **state) {
    (void)state;
    const struct kesco_report_op ops[] = {{.kind = KESCO_OP_KERNEL, .name = "a"},
                                          {.kind = KESCO_OP_KERNEL, .name = "b", .lane = 1, .order = 1}};
    const struct kesco_report_edge edge = {1, 0, KESCO_RAW, "x"};
    const struct kesco_report_wait wait = {0, 1};
    const unsigned levels[] = {1, 0}, record = 1;
    const struct kesco_report_function function = {.name = "loop",
                                                   .lanes = 2,
                                                   .levels = levels,
                                                   .ops = ops,
                                                   .op_count = 2,
                                                   .plan.edges = &edge,
                                                   .plan.edge_count = 1,
                                                   .plan.waits = &wait,
                                                   .plan.wait_count = 1,
                                                   .plan.records = &record,
                                                   .plan.record_count = 1};
    const struct kesco_report report = {.source = "s.cu", .functions = &function, .function_count = 1};
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">after 1 (pass before)<", 1);
    expect_count(text, ">of the pass before </text>", 1);
    expect_count(text, ">level 1<", 1);
    expect_count(text, ">level 0<", 1);
    expect_count(text, "class=\"way\"", 0);
    free(text);
}

static void names_are_escaped(void **state) {
    (void)state;
    const struct kesco_report_op op = {
        .kind = KESCO_OP_KERNEL,
        .name = "a<b, \"c\">(d &&) \\N \xC3\xA9 \x01\xFF and so on, which is cut on a lane"};
    const unsigned levels[] = {0};
    const struct kesco_report_function function = {
        .name = "</text><script>", .lanes = 1, .levels = levels, .ops = &op, .op_count = 1};
    const struct kesco_report report = {.source = "&lt;.cu", .functions = &function, .function_count = 1};
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, ">&lt;/text&gt;&lt;script&gt;</text>", 1);
    expect_count(text, ">&amp;lt;.cu</text>", 1);
    expect_count(
        text, "0 a&lt;b, &quot;c&quot;&gt;(d &amp;&amp;) \\N \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD\xE2\x80\xA6<",
        1);
    /* the graph's label, the lane's, and its tooltip; in Graphviz's tooltip a stroke stands for the backslash
     */
    expect_count(text, " a&lt;b, &quot;c&quot;&gt;(d &amp;&amp;) \\N \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD", 3);
    expect_count(text, " a&lt;b, &quot;c&quot;&gt;(d &amp;&amp;) \xE2\x88\x96N ", 1);
    expect_count(text, "\xEF\xBF\xBD\xE2\x80\xA6</text>", 1);
    expect_count(text, "and so on, which is cut on a lane", 2);
    free(text);
}

static void random_bytes_stay_well_formed(void **state) {
    (void)state;
    srand(1);
    for (int i = 0; i < 2000; i++) {
        char name[4][24];
        for (size_t n = 0; n < 4; n++) {
            for (size_t j = 0; j < sizeof(name[n]) - 1; j++)
                name[n][j] = (char)(1 + rand() % 255);
            name[n][rand() % 24] = '\0';
            name[n][23] = '\0';
        }
        const char *const reads[] = {name[2]};
        const struct kesco_report_op op = {
            .kind = KESCO_OP_KERNEL, .name = name[0], .touched.reads = reads, .touched.read_count = 1};
        const struct kesco_report_barrier barrier = {1, name[3]};
        const struct kesco_report_guard guard = {name[2], name[3]};
        const unsigned levels[] = {0};
        const struct kesco_report_function function = {.name = name[1],
                                                       .lanes = 1,
                                                       .levels = levels,
                                                       .ops = &op,
                                                       .op_count = 1,
                                                       .assumed.guards = &guard,
                                                       .assumed.guard_count = 1,
                                                       .stops.barriers = &barrier,
                                                       .stops.barrier_count = 1};
        const struct kesco_report report = {.source = name[2], .functions = &function, .function_count = 1};
        char *text = svg_of(&report, i < 60); /* a process each */
        expect_svg(text);
        free(text);
    }
}

static void pictures_of_random_plans_are_well_formed(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct model model;
        struct kesco_report report;
        if (seed % 2)
            model_random(&model, seed, MODEL_OPS);
        else
            model_random_tasks(&model, seed, MODEL_OPS);
        struct kesco_report_builder *builder = report_of_model(&model, &report);
        char *text = svg_of(&report, seed % 25 == 0);
        expect_svg(text);
        expect_count(text, "class=\"name\"", model.op_count);
        free(text);
        kesco_report_builder_destroy(builder);
    }
}

static void large_graphs_are_folded(void **state) {
    (void)state;
    char *chain = chain_text(300);
    const char *texts[] = {chain, NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    char *text = svg_of(&report, true);
    expect_svg(text);
    expect_count(text, " parts, one below the other", 1);
    expect_count(text, "class=\"name\"", 300);
    expect_count(text, "id=\"f0n299\"", 1);
    expect_count(text, "too large", 0);
    free(text);
    free(chain);
    kesco_report_builder_destroy(builder);
}

static void expect_lanes_alone(const char *text, unsigned ops) {
    const char *texts[] = {text, NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    char *picture = svg_of(&report, true);
    expect_svg(picture);
    expect_count(picture, "too large to be drawn", 1);
    expect_count(picture, "class=\"name\"", ops);
    expect_count(picture, "id=\"f0n0\"", 0);
    free(picture);
    kesco_report_builder_destroy(builder);
}

/* The text of `count` ops that write and as many that each read all of that; the caller frees it. */
static char *dense_text(unsigned count) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned op = 0; op < count; op++)
        fprintf(out, "op a w=o%u\n", op);
    for (unsigned op = 0; op < count; op++) {
        fprintf(out, "op b r=o0");
        for (unsigned read = 1; read < count; read++)
            fprintf(out, ",o%u", read);
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

static void what_is_too_large_for_a_graph_keeps_its_lanes(void **state) {
    (void)state;
    char *chain = chain_text(5000),
         single[601 * 5 + 1] = ""; /* implied arrows are not looked for in the chain */
    expect_lanes_alone(chain, 5000);
    free(chain);
    char *dense = dense_text(40);
    expect_lanes_alone(dense, 80);
    free(dense);
    for (size_t i = 0; i < 601; i++)
        strcpy(single + i * 5, "op a\n");
    expect_lanes_alone(single, 601);
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    const struct kesco_report report = {.source = "img.cu"};
    const struct kesco_drawings drawings = {0};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    assert_int_equal(kesco_svg_write(&report, &drawings, out), -EIO);
    fclose(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_has_ops_lanes_and_waits),
        cmocka_unit_test(every_function_and_region_is_there),
        cmocka_unit_test(a_plan_is_shown_once),
        cmocka_unit_test(labels_do_not_overlap),
        cmocka_unit_test(no_functions_are_a_picture_too),
        cmocka_unit_test(an_op_in_a_helper_names_its_own_place),
        cmocka_unit_test(guards_and_barriers_are_told),
        cmocka_unit_test(a_wait_of_the_pass_before_is_told),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(random_bytes_stay_well_formed),
        cmocka_unit_test(pictures_of_random_plans_are_well_formed),
        cmocka_unit_test(large_graphs_are_folded),
        cmocka_unit_test(what_is_too_large_for_a_graph_keeps_its_lanes),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
