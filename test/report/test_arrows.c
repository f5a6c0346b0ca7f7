/* Edges and waits become arrows, and those that say nothing new are told apart (arrows.h). */
#include "plugin/report/arrows.h"
#include "test/cmocka.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct kesco_report_op ops[200];

static void a_pair_has_one_arrow(void **state) {
    (void)state;
    const struct kesco_report_edge edges[] = {
        {0, 2, KESCO_RAW, "a"}, {1, 2, KESCO_RAW, "b"}, {0, 2, KESCO_WAR, "c"}};
    const struct kesco_report_wait waits[] = {{2, 1}, {1, 0}};
    const struct kesco_report_function function = {.ops = ops,
                                                   .op_count = 3,
                                                   .plan.edges = edges,
                                                   .plan.edge_count = 3,
                                                   .plan.waits = waits,
                                                   .plan.wait_count = 2};
    struct kesco_arrows arrows;
    assert_int_equal(kesco_arrows_create(&function, &arrows), 0);
    assert_int_equal(arrows.count, 3);
    const struct kesco_arrow *wait = &arrows.list[0], *both = &arrows.list[1], *edge = &arrows.list[2];
    assert_int_equal(wait->from, 0);
    assert_int_equal(wait->to, 1);
    assert_int_equal(wait->edge_count, 0);
    assert_true(wait->waits);
    assert_int_equal(both->from, 0);
    assert_int_equal(both->to, 2);
    assert_int_equal(both->edge_count, 2);
    assert_int_equal(both->edges[0], 0);
    assert_int_equal(both->edges[1], 2);
    assert_false(both->waits);
    assert_int_equal(edge->from, 1);
    assert_int_equal(edge->edge_count, 1);
    assert_int_equal(edge->edges[0], 1);
    assert_true(edge->waits);
    assert_int_equal(arrows.start[0], 0);
    assert_int_equal(arrows.start[1], 0);
    assert_int_equal(arrows.start[2], 1);
    assert_int_equal(arrows.start[3], 3);
    kesco_arrows_free(&arrows);
}

static void what_a_chain_connects_is_implied(void **state) {
    (void)state;
    const struct kesco_report_edge edges[] = {{0, 1, KESCO_RAW, "a"}, {1, 2, KESCO_RAW, "b"},
                                              {0, 2, KESCO_RAW, "a"}, {0, 3, KESCO_RAW, "a"},
                                              {2, 3, KESCO_RAW, "c"}, {3, 1, KESCO_RAW, "d"}};
    const struct kesco_report_wait waits[] = {{3, 0}};
    const struct kesco_report_function function = {.ops = ops,
                                                   .op_count = 4,
                                                   .plan.edges = edges,
                                                   .plan.edge_count = COUNT(edges),
                                                   .plan.waits = waits,
                                                   .plan.wait_count = 1};
    struct kesco_arrows arrows;
    assert_int_equal(kesco_arrows_create(&function, &arrows), 0);
    assert_int_equal(arrows.count, 6);
    for (size_t i = 0; i < arrows.count; i++) /* a wait is never implied, nor what a loop carries */
        assert_int_equal(arrows.list[i].implied, arrows.list[i].from == 0 && arrows.list[i].to == 2);
    assert_int_equal(arrows.drawn_count, 6);
    kesco_arrows_free(&arrows);
}

/* All pairs of `count` ops, the other way round too where `carried`. */
static struct kesco_arrows arrows_of_all_pairs(unsigned count, bool carried) {
    struct kesco_report_edge *edges = calloc((size_t)count * count, sizeof(*edges));
    const struct kesco_report_wait waits[] = {{5, 1}, {2, 9}};
    struct kesco_report_function function = {.ops = ops,
                                             .op_count = count,
                                             .plan.edges = edges,
                                             .plan.waits = waits,
                                             .plan.wait_count = carried ? 2 : 1};
    struct kesco_arrows arrows;
    for (unsigned to = 0; to < count; to++)
        for (unsigned from = 0; from < (carried ? count : to); from++)
            edges[function.plan.edge_count++] = (struct kesco_report_edge){from, to, KESCO_RAW, "a"};
    assert_int_equal(kesco_arrows_create(&function, &arrows), 0);
    free(edges);
    return arrows;
}

static void of_many_only_the_telling_are_drawn(void **state) {
    (void)state;
    struct kesco_arrows arrows = arrows_of_all_pairs(10, false); /* 45 are not many */
    assert_int_equal(arrows.drawn_count, 45);
    kesco_arrows_free(&arrows);
    arrows = arrows_of_all_pairs(200, false);
    assert_int_equal(arrows.count, 19900);
    assert_int_equal(arrows.drawn_count, 199 + 1);
    kesco_arrows_free(&arrows);
    arrows = arrows_of_all_pairs(10, true);
    assert_int_equal(arrows.count, 100);
    assert_int_equal(arrows.drawn_count, 9 + 2);
    kesco_arrows_free(&arrows);
}

static void no_ops_have_no_arrows(void **state) {
    (void)state;
    const struct kesco_report_function function = {.name = "f"};
    struct kesco_arrows arrows;
    assert_int_equal(kesco_arrows_create(&function, &arrows), 0);
    assert_int_equal(arrows.count, 0);
    kesco_arrows_free(&arrows);
    kesco_arrows_free(&arrows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_has_one_arrow),
        cmocka_unit_test(what_a_chain_connects_is_implied),
        cmocka_unit_test(of_many_only_the_telling_are_drawn),
        cmocka_unit_test(no_ops_have_no_arrows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
