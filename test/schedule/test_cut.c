/* Cuts along a flow (cut.h); those of straight lines are tested with all else that holds of plans. */
#include "plugin/schedule/flow.h"
#include "plugin/schedule/plan.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

struct way {
    uint32_t from, to;
};

/* Of the text's graph, with control going these ways, just the ops of `alone`, a set of bits, must be cuts.
 */
static void expect_alone(const char *text, const struct way *ways, size_t count, unsigned alone) {
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_flow *flow;
    assert_int_equal(kesco_flow_create(graph->op_count, &flow), 0);
    for (size_t i = 0; i < count; i++)
        kesco_flow_add_next(flow, ways[i].from, ways[i].to);
    kesco_flow_close(flow);
    assert_int_equal(kesco_graph_set_flow(graph, flow), 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_plan *plan = plan_of(graph);
    assert_true(plan->lane_count > 1);
    for (uint32_t op = 0; op < plan->op_count; op++) {
        assert_int_equal(plan->cut.alone[op], alone >> op & 1);
        assert_false(plan->cut.aligned[op]);
        for (uint32_t other = 0; other < op; other++)
            assert_int_equal(plan->cut.epoch[op] != plan->cut.epoch[other],
                             (alone >> op | alone >> other) & 1);
    }
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

#define EXPECT_ALONE(text, alone, ...)                                                                       \
    do {                                                                                                     \
        const struct way ways[] = {__VA_ARGS__};                                                             \
        expect_alone(text, ways, sizeof ways / sizeof *ways, alone);                                         \
    } while (0)

static void the_last_op_of_a_loop_orders_its_passes(void **state) {
    (void)state;
    EXPECT_ALONE("op a w=x\nop b w=y\nop c r=x,y w=z\n", 1 << 2, {0, 1}, {1, 2}, {2, 0});
}

static void one_that_the_next_pass_need_not_wait_for_does_not(void **state) {
    (void)state;
    EXPECT_ALONE("op a w=x\nop b w=y\nop c r=x w=z\n", 0, {0, 1}, {1, 2}, {2, 0});
}

static void an_op_behind_a_loop_orders_all_of_it(void **state) {
    (void)state;
    EXPECT_ALONE("op a w=x\nop b w=y\nop c r=x,y\n", 1 << 2, {0, 1}, {1, 0}, {1, 2});
}

static void an_op_on_one_of_two_ways_orders_what_it_meets(void **state) {
    (void)state;
    EXPECT_ALONE("op a w=x\nop b w=y\nop c r=x,y w=z\nop d w=x\nop e w=y\n", 1 << 2, {0, 1}, {1, 2}, {2, 3},
                 {1, 3}, {3, 4});
}

static void an_op_that_may_be_empty_orders_nothing(void **state) {
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b w=y\nop c r=x,y w=z\n");
    (void)state;
    graph->ops[2].kind = KESCO_OP_MEMSET;
    struct kesco_plan *plan = plan_of(graph);
    assert_false(plan->cut.alone[2]);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_op_of_a_loop_orders_its_passes),
        cmocka_unit_test(one_that_the_next_pass_need_not_wait_for_does_not),
        cmocka_unit_test(an_op_behind_a_loop_orders_all_of_it),
        cmocka_unit_test(an_op_on_one_of_two_ways_orders_what_it_meets),
        cmocka_unit_test(an_op_that_may_be_empty_orders_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
