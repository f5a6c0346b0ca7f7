/* Ops stand behind what they wait for, and arrows keep apart (lane_chart.h). */
#include "plugin/report/lane_chart.h"
#include "plugin/report/picture.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

#include <stdlib.h>

#define CASES 2000

/* The chart of a report's only region, and what it was made of. */
struct chart {
    const struct kesco_report_function *function;
    struct kesco_arrows arrows;
    unsigned *sequence;
    struct kesco_lane_chart chart;
    unsigned column[MODEL_OPS]; /* by op id */
};

static void make_chart(const struct kesco_report *report, unsigned band_columns, struct chart *made) {
    made->function = &report->functions[0];
    assert_int_equal(kesco_arrows_create(made->function, &made->arrows), 0);
    made->sequence = kesco_issue_sequence(made->function);
    assert_non_null(made->sequence);
    assert_int_equal(kesco_lane_chart_create(made->function, &made->arrows, made->sequence,
                                             made->function->op_count, band_columns, &made->chart),
                     0);
    for (size_t i = 0; i < made->function->op_count; i++)
        made->column[made->sequence[i]] = made->chart.column[i];
}

static void free_chart(struct chart *made) {
    kesco_lane_chart_free(&made->chart);
    kesco_arrows_free(&made->arrows);
    free(made->sequence);
}

static void what_may_run_at_once_shares_a_column(void **state) {
    (void)state;
    static const char *const texts[] = {"op a w=x\nop b w=y\nop c r=x w=z\nop d r=y,z w=z\n", NULL};
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    struct chart made;
    make_chart(&report, 8, &made);
    assert_int_equal(made.chart.rows, 2);
    assert_int_equal(made.chart.columns, 3);
    assert_int_equal(made.chart.bands, 1);
    assert_int_equal(made.column[0], 0);
    assert_int_equal(made.column[1], 0);
    assert_int_equal(made.column[2], 1);
    assert_int_equal(made.column[3], 2);
    assert_int_equal(made.chart.way_count, 1);
    assert_int_equal(made.chart.ways[0].arrow->from, 1);
    assert_int_equal(made.chart.ways[0].arrow->to, 3);
    assert_false(made.chart.ways[0].direct);
    assert_int_equal(made.chart.ways[0].gap, 1); /* it comes from below and stays below */
    free_chart(&made);
    kesco_report_builder_destroy(builder);
}

static void check_columns(const struct chart *made) {
    const struct kesco_report_op *ops = made->function->ops;
    for (size_t i = 0; i < made->function->op_count; i++)
        for (size_t j = 0; j < i; j++)
            if (ops[made->sequence[i]].lane == ops[made->sequence[j]].lane)
                assert_true(made->column[made->sequence[j]] < made->column[made->sequence[i]]);
    for (size_t i = 0; i < made->function->plan.wait_count; i++)
        assert_true(made->column[made->function->plan.waits[i].on] <
                    made->column[made->function->plan.waits[i].op]);
}

/* Every wait within a band has a way, and no other has. */
static void check_ways(const struct chart *made) {
    size_t within = 0;
    for (size_t i = 0; i < made->function->plan.wait_count; i++)
        within += made->column[made->function->plan.waits[i].on] / made->chart.band_columns ==
                  made->column[made->function->plan.waits[i].op] / made->chart.band_columns;
    assert_int_equal(made->chart.way_count, within);
    for (size_t i = 0; i < made->chart.way_count; i++)
        assert_true(made->chart.ways[i].arrow->waits);
}

/* A straight part of a way: which gutter (even) or gap (odd) of which band, from where to where, and its
 * track. */
struct part {
    unsigned line, first, last, track;
};

static size_t parts_of(const struct chart *made, const struct kesco_chart_way *way, struct part parts[3]) {
    unsigned from = made->column[way->arrow->from], to = made->column[way->arrow->to];
    unsigned from_row = made->function->ops[way->arrow->from].lane;
    unsigned to_row = made->function->ops[way->arrow->to].lane;
    unsigned low = from_row < to_row ? from_row : to_row, high = from_row < to_row ? to_row : from_row;
    parts[0] = (struct part){from * 2, low, high, way->out_track};
    if (way->direct)
        return 1;
    parts[1] = (struct part){way->gap * 2 + 1, from, to - 1, way->gap_track};
    parts[2] = (struct part){(to - 1) * 2, to_row, to_row, way->in_track};
    return 3;
}

static void check_apart(const struct part *one, const struct part *other) {
    bool meet = one->line == other->line && one->first <= other->last && other->first <= one->last;
    if (meet && one->track == other->track)
        assert_int_equal(one->track, KESCO_CHART_TRACKS - 1); /* the track that many share */
}

static void check_tracks(const struct chart *made) {
    for (size_t i = 0; i < made->chart.way_count; i++)
        for (size_t j = 0; j < i; j++) {
            struct part one[3], other[3];
            size_t ones = parts_of(made, &made->chart.ways[i], one);
            size_t others = parts_of(made, &made->chart.ways[j], other);
            for (size_t a = 0; a < ones; a++)
                for (size_t b = 0; b < others; b++)
                    check_apart(&one[a], &other[b]);
        }
}

static void charts_of_random_plans_hold(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct model model;
        struct kesco_report report;
        struct chart made;
        model_random(&model, seed, MODEL_OPS);
        struct kesco_report_builder *builder = report_of_model(&model, &report);
        make_chart(&report, 1 + (unsigned)(seed % 9), &made);
        check_columns(&made);
        check_ways(&made);
        check_tracks(&made);
        free_chart(&made);
        kesco_report_builder_destroy(builder);
    }
}

static void a_wait_of_the_pass_before_has_no_way(void **state) {
    (void)state;
    const struct kesco_report_op ops[] = {{.kind = KESCO_OP_KERNEL, .name = "a"},
                                          {.kind = KESCO_OP_KERNEL, .name = "b", .lane = 1, .order = 1}};
    const struct kesco_report_wait waits[] = {{0, 1}};
    const unsigned levels[] = {0, 0};
    const struct kesco_report_function function = {
        .lanes = 2, .levels = levels, .ops = ops, .op_count = 2, .plan.waits = waits, .plan.wait_count = 1};
    const struct kesco_report report = {.functions = &function, .function_count = 1};
    struct chart made;
    make_chart(&report, 4, &made);
    assert_int_equal(made.chart.way_count, 0);
    assert_int_equal(made.chart.columns, 1);
    free_chart(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_run_at_once_shares_a_column),
        cmocka_unit_test(charts_of_random_plans_hold),
        cmocka_unit_test(a_wait_of_the_pass_before_has_no_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
