/* What could be gained is counted in steps, by hand here (gain.h). */
#include "plugin/report/gain.h"
#include "test/cmocka.h"
#include "test/report/sample_report.h"

static void expect_gain(const struct kesco_report_function *function, size_t serial, size_t planned,
                        size_t free_steps) {
    struct kesco_gain gain;
    assert_int_equal(kesco_gain_of(function, &gain), 0);
    assert_int_equal(gain.serial, serial);
    assert_int_equal(gain.planned, planned);
    assert_int_equal(gain.free, free_steps);
}

static void expect_gain_of(const char *const *texts, size_t serial, size_t planned, size_t free_steps) {
    struct kesco_report report;
    struct kesco_report_builder *builder = report_of_texts("f", texts, &report);
    expect_gain(&report.functions[0], serial, planned, free_steps);
    kesco_report_builder_destroy(builder);
}

static void a_plan_has_the_steps_of_its_longest_chain(void **state) {
    (void)state;
    static const char *const join[] = {"op left w=x1\nop right w=y1\nop join r=x1,y1 w=res\n", NULL};
    static const char *const chain[] = {"op a w=x\nop b r=x w=y\nop c r=y\n", NULL};
    static const char *const nothing[] = {NULL};
    expect_gain_of(join, 3, 2, 2);
    expect_gain_of(chain, 3, 3, 3);
    expect_gain_of(nothing, 0, 0, 0);
}

static void barriers_cost_what_dependences_do_not(void **state) {
    (void)state;
    static const char *const apart[] = {"op a w=x\n", "op b w=y\n", NULL};
    static const char *const same[] = {"op a w=x\n", "op b w=x\n", NULL};
    static const char *const readers[] = {"op a r=x w=y\n", "op b r=x w=z\n", "op c w=x\n", NULL};
    static const char *const any[] = {"op a w=x\n", "op b r=*\n", "op c w=z\n", NULL};
    static const char *const any_twice[] = {"op a r=*\n", "op b r=*\n", NULL};
    expect_gain_of(apart, 2, 2, 1);
    expect_gain_of(same, 2, 2, 2);
    expect_gain_of(readers, 3, 3, 2);
    expect_gain_of(any, 3, 3, 3);
    expect_gain_of(any_twice, 2, 2, 1);
}

static void lanes_that_are_missing_cost_steps(void **state) {
    (void)state;
    const char *const x[] = {"x"}, *const y[] = {"y"};
    const unsigned levels[] = {0}, placed[] = {0};
    const struct kesco_report_op ops[] = {
        {.name = "a", .touched.writes = x, .touched.write_count = 1},
        {.name = "b", .touched.writes = y, .touched.write_count = 1, .order = 1},
        {.name = "c", .touched.reads = x, .touched.read_count = 1, .order = 2}};
    const struct kesco_report_edge edges[] = {{0, 2, KESCO_RAW, "x"}, {2, 0, KESCO_WAR, "x"}};
    struct kesco_report_function function = {.name = "f",
                                             .lanes = 1,
                                             .levels = levels,
                                             .ops = ops,
                                             .op_count = 3,
                                             .plan.edges = edges,
                                             .plan.edge_count = 2};
    expect_gain(&function, 3, 3, 2);
    function.regions.placed = placed; /* the run chooses */
    function.regions.placed_count = 1;
    expect_gain(&function, 3, 2, 2);
}

static void random_plans_are_between_serial_and_free(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct model model;
        struct kesco_report report;
        struct kesco_gain gain;
        model_random(&model, seed, MODEL_OPS);
        struct kesco_report_builder *builder = report_of_model(&model, &report);
        assert_int_equal(kesco_gain_of(&report.functions[0], &gain), 0);
        assert_true(gain.free <= gain.planned && gain.planned <= gain.serial);
        assert_int_equal(gain.serial, model.op_count);
        kesco_report_builder_destroy(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_has_the_steps_of_its_longest_chain),
        cmocka_unit_test(barriers_cost_what_dependences_do_not),
        cmocka_unit_test(lanes_that_are_missing_cost_steps),
        cmocka_unit_test(random_plans_are_between_serial_and_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
