/* Plans of examples: issue order, lanes, zones, waits and records, and the options (plan.h). */
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <errno.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Checks one array of the plan, by op, against the expected numbers. */
#define EXPECT_IDS(actual, ...)                                                                              \
    do {                                                                                                     \
        const uint32_t expected[] = {__VA_ARGS__};                                                           \
        for (size_t i = 0; i < COUNT(expected); i++)                                                         \
            assert_int_equal((actual)[i], expected[i]);                                                      \
    } while (0)

static void expect_waits(const struct kesco_plan *plan, const struct kesco_wait *waits, size_t count) {
    assert_int_equal(plan->sync.wait_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(plan->sync.waits[i].op, waits[i].op);
        assert_int_equal(plan->sync.waits[i].on, waits[i].on);
    }
}

static struct kesco_plan *plan_with(const struct kesco_graph *graph, uint32_t max_lanes, bool reorder) {
    const struct kesco_plan_options options = {.max_lanes = max_lanes, .reorder = reorder};
    struct kesco_plan *plan;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}

static void vec_runs_the_squares_side_by_side(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_file("vec.graph");
    struct kesco_plan *plan = plan_of(graph);
    const struct kesco_wait waits[] = {{2, 1}};
    assert_int_equal(plan->lane_count, 2);
    EXPECT_IDS(plan->lane, 0, 1, 0);
    expect_waits(plan, waits, 1);
    assert_int_equal(plan->sync.record_count, 1);
    assert_int_equal(plan->sync.records[0], 1);
    assert_int_equal(plan->zone_count, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void img_takes_four_lanes_and_four_waits(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_file("img.graph");
    struct kesco_plan *plan = plan_of(graph);
    const struct kesco_wait waits[] = {{6, 4}, {7, 6}, {9, 8}, {10, 9}};
    assert_int_equal(plan->lane_count, 4);
    EXPECT_IDS(plan->sequence, 0, 1, 2, 3, 4, 8, 5, 6, 7, 9, 10);
    EXPECT_IDS(plan->lane, 0, 1, 2, 0, 1, 1, 3, 1, 2, 1, 0);
    expect_waits(plan, waits, 4);
    EXPECT_IDS(plan->sync.records, 4, 6, 8, 9);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void ops_with_fewer_transitive_predecessors_go_first(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b r=x w=y\nop c r=y w=z\nop d w=q\nop e r=q\n");
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->sequence, 0, 3, 1, 4, 2);
    EXPECT_IDS(plan->order, 0, 2, 4, 1, 3);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void without_reordering_the_program_order_stays(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b r=x w=y\nop c w=q\n");
    struct kesco_plan *plan = plan_with(graph, 0, false);
    EXPECT_IDS(plan->sequence, 0, 1, 2);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void ops_stay_in_their_segment(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    assert_int_equal(kesco_graph_add_object(graph, "x", &id), 0);
    for (uint32_t op = 0; op < 4; op++) {
        const struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1, .segment = op / 3};
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
    }
    assert_int_equal(kesco_graph_add_access(graph, 0, 0, KESCO_WRITE), 0);
    assert_int_equal(kesco_graph_add_access(graph, 1, 0, KESCO_WRITE), 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->sequence, 0, 2, 1, 3);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_follows_the_tail_that_saves_a_wait(void **state) {
    (void)state;
    /* d comes after a and c; a's order is implied by c's, so only following c saves a wait */
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=y,z\n");
    struct kesco_plan *plan = plan_of(graph);
    const struct kesco_wait waits[] = {{2, 1}};
    EXPECT_IDS(plan->lane, 0, 1, 0, 0);
    expect_waits(plan, waits, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_leaves_the_tail_that_others_still_need(void **state) {
    (void)state;
    /* c may follow a or b; d comes after a only and can then follow it without a wait */
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b w=y\nop d0 w=q\nop c r=x,y\nop d r=x,q w=z\n");
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->lane, 0, 1, 2, 1, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_follows_a_predecessor_that_is_not_direct(void **state) {
    (void)state;
    /* d takes the tail that e waits for; b is done then, too, for c waited for it */
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=z\nop e r=z\n");
    struct kesco_plan *plan = plan_of(graph);
    const struct kesco_wait waits[] = {{2, 1}, {4, 2}};
    assert_int_equal(plan->lane_count, 2);
    EXPECT_IDS(plan->lane, 0, 1, 0, 0, 1);
    expect_waits(plan, waits, 2);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_leaves_the_tail_without_which_another_would_take_a_lane_more(void **state) {
    (void)state;
    /* c may follow a, which fewer others need than b; but d can follow nothing else */
    struct kesco_graph *graph =
        graph_of_text("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=x w=q\nop e r=y,q\nop f r=y,z\n");
    struct kesco_plan *plan = plan_with(graph, 0, false);
    const struct kesco_wait waits[] = {{2, 0}, {4, 1}};
    assert_int_equal(plan->lane_count, 2);
    EXPECT_IDS(plan->lane, 0, 1, 1, 0, 0, 1);
    expect_waits(plan, waits, 2);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void the_least_loaded_lane_takes_an_op_when_all_are_used(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a cost=9\nop b cost=2\nop c cost=2\nop d cost=7\nop e\n");
    struct kesco_plan *plan = plan_with(graph, 2, true);
    assert_int_equal(plan->lane_count, 2);
    EXPECT_IDS(plan->lane, 0, 1, 1, 1, 0);
    assert_int_equal(plan->sync.wait_count, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void one_lane_needs_no_wait(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_file("img.graph");
    struct kesco_plan *plan = plan_with(graph, 1, true);
    assert_int_equal(plan->lane_count, 1);
    assert_int_equal(plan->sync.wait_count, 0);
    assert_int_equal(plan->sync.record_count, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void one_record_serves_many_waits(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b r=x\nop c r=x\nop d r=x\n");
    struct kesco_plan *plan = plan_of(graph);
    const struct kesco_wait waits[] = {{2, 0}, {3, 0}};
    expect_waits(plan, waits, 2);
    assert_int_equal(plan->sync.record_count, 1);
    assert_int_equal(plan->sync.records[0], 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void independent_tasks_are_zones(void **state) {
    (void)state;
    struct kesco_graph *graph =
        graph_of_text("op a w=x\nop b w=y\nop c r=y w=q\nop d r=x\nop e\nop f r=q w=x\n");
    struct kesco_plan *plan = plan_of(graph);
    /* f joins the tasks of a and b */
    assert_int_equal(plan->zone_count, 2);
    EXPECT_IDS(plan->zone, 0, 0, 0, 0, 1, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void nothing_is_issued_across_an_op_that_blocks(void **state) {
    (void)state;
    /* c has fewer predecessors than b, d fewer than all; the fence in front of them stays where it is */
    struct kesco_graph *graph = graph_of_text(
        "op a w=x\nop b r=x w=x\nop c w=y\nop copy r=x blocks engine=to-host\nop e r=x\nop d\n");
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->sequence, 0, 2, 1, 3, 5, 4);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_goes_to_a_lane_that_the_host_waited_for(void **state) {
    (void)state;
    /* both copies are done when k and l are issued: they start at once on the only lane and on a new one */
    struct kesco_graph *graph =
        graph_of_text("op a w=x engine=to-device blocks\nop b w=y engine=to-device blocks\nop k r=x w=z\n"
                      "op l r=y w=q\n");
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->lane, 0, 0, 0, 1);
    assert_int_equal(plan->lane_count, 2);
    expect_waits(plan, NULL, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void lanes_that_cannot_pay_are_not_made(void **state) {
    (void)state;
    static const char *const texts[] = {
        "op a w=x engine=to-device\nop b w=y engine=to-device\n",
        "op a w=x engine=to-host\nop b w=y engine=to-host\nop c r=x,y\n",
        "op a w=x engine=none\nop b w=y engine=none\nop c r=x w=x\nop d r=x,y\n",
        "op a w=x blocks\nop b w=y blocks\nop c w=z\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct kesco_graph *graph = graph_of_text(texts[i]);
        struct kesco_plan *plan = plan_of(graph);
        assert_int_equal(plan->lane_count, 1);
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
}

static struct kesco_plan *plan_by_critical_path(const struct kesco_graph *graph, uint32_t max_lanes,
                                                bool reorder) {
    const struct kesco_plan_options options = {
        .policy = KESCO_POLICY_CRITICAL_PATH, .max_lanes = max_lanes, .reorder = reorder};
    struct kesco_plan *plan;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}

static void the_longest_path_of_costs_goes_first(void **state) {
    (void)state;
    /* a has no successor, d and e are one path, f is as long as that and stands behind it */
    struct kesco_graph *graph = graph_of_text(
        "op a cost=4\nop b w=x cost=0\nop c r=x cost=0.5\nop d w=y cost=3\nop e r=y cost=2\nop f cost=5\n");
    struct kesco_plan *plan = plan_by_critical_path(graph, 0, true);
    EXPECT_IDS(plan->sequence, 3, 5, 0, 4, 1, 2);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void where_lanes_are_used_up_an_op_goes_where_it_can_start_first(void **state) {
    (void)state;
    /* d waits for a on the lane of b, until 10: that lane has less to do but is free later than the other */
    struct kesco_graph *graph =
        graph_of_text("op a cost=10 w=x\nop b cost=1\nop c cost=1 r=x\nop d cost=5 r=x\nop e cost=1\n");
    struct kesco_plan *plan = plan_by_critical_path(graph, 2, false);
    EXPECT_IDS(plan->lane, 0, 1, 0, 1, 0);
    kesco_plan_destroy(plan);
    plan = plan_with(graph, 2, false);
    EXPECT_IDS(plan->lane, 0, 1, 0, 1, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_op_starts_no_earlier_than_the_host_that_waited(void **state) {
    (void)state;
    /* the host waits for b until 8, so e ends at 13 behind a, which took 1 only, and d at 11 behind b */
    struct kesco_graph *graph = graph_of_text("op a cost=1 w=x\nop b cost=8 blocks\nop d cost=3\n"
                                              "op e cost=5\nop f cost=1\n");
    struct kesco_plan *plan = plan_by_critical_path(graph, 2, false);
    EXPECT_IDS(plan->lane, 0, 1, 1, 0, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void of_lanes_where_it_starts_as_early_an_op_takes_the_one_with_fewest_waits(void **state) {
    (void)state;
    /* f comes after a, whose tail c took; it starts at 9 on the lane of b as well as on that of e, where it
     * comes after a anyway */
    struct kesco_graph *graph = graph_of_text("op a cost=9 w=x\nop c cost=9 r=x\nop b cost=2\n"
                                              "op e cost=0 r=x\nop f cost=1 r=x\n");
    struct kesco_plan *plan = plan_by_critical_path(graph, 3, false);
    EXPECT_IDS(plan->lane, 0, 0, 1, 2, 2);
    assert_int_equal(plan->sync.wait_count, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* Two tasks: o, of priority 1, and p to r, of priority 5 by r. */
#define TASKS "op o w=a\nop p w=x\nop q r=x w=y\nop r r=y priority=5\n"

static void a_task_of_higher_priority_goes_first(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text(TASKS);
    struct kesco_plan *plan = plan_of(graph);
    EXPECT_IDS(plan->sequence, 1, 2, 3, 0);
    EXPECT_IDS(plan->lane, 1, 0, 0, 0);
    assert_int_equal(plan->level_count, 2);
    assert_int_equal(plan->lane_level[0], 1);
    assert_int_equal(plan->lane_level[1], 0);
    kesco_plan_destroy(plan);
    plan = plan_with(graph, 0, false);
    EXPECT_IDS(plan->sequence, 0, 1, 2, 3);
    assert_int_equal(plan->lane_level[0], 0);
    assert_int_equal(plan->lane_level[1], 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void behind_the_high_tasks_a_low_one_may_share_their_lanes(void **state) {
    (void)state;
    /* two lanes: both for the high tasks, as nothing of theirs is behind the low ones */
    struct kesco_graph *graph =
        graph_of_text("op low cost=1\nop low cost=1\nop high priority=2 cost=5\nop high priority=2 cost=4\n");
    struct kesco_plan *plan = plan_with(graph, 2, true);
    EXPECT_IDS(plan->sequence, 2, 3, 0, 1);
    EXPECT_IDS(plan->lane, 1, 0, 0, 1);
    assert_int_equal(plan->lane_level[0], 1);
    assert_int_equal(plan->lane_level[1], 1);
    assert_int_equal(plan->level_count, 2);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void a_lane_is_kept_for_what_comes_before_a_high_task_ends(void **state) {
    (void)state;
    /* the second high task is issued behind the copy; until then the low ops share one lane */
    struct kesco_graph *graph = graph_of_text(
        "op low\nop high priority=2\nop low\nop low\nop copy engine=to-host blocks\nop high priority=2\n");
    struct kesco_plan *plan = plan_with(graph, 2, true);
    EXPECT_IDS(plan->lane, 1, 0, 1, 1, 1, 0);
    kesco_plan_destroy(plan);
    plan = plan_with(graph, 1, true);
    assert_int_equal(plan->lane_count, 1);
    assert_int_equal(plan->lane_level[0], 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void priorities_that_are_all_the_same_change_nothing(void **state) {
    (void)state;
    const int priorities[] = {-7, 0, 1, 3};
    for (size_t which = 0; which < COUNT(priorities); which++) {
        struct kesco_graph *graph = graph_of_file("img.graph");
        for (uint32_t op = 0; op < graph->op_count; op++)
            graph->ops[op].priority = priorities[which];
        struct kesco_plan *plan = plan_of(graph);
        EXPECT_IDS(plan->sequence, 0, 1, 2, 3, 4, 8, 5, 6, 7, 9, 10);
        EXPECT_IDS(plan->lane, 0, 1, 2, 0, 1, 1, 3, 1, 2, 1, 0);
        assert_int_equal(plan->level_count, 1);
        for (uint32_t lane = 0; lane < plan->lane_count; lane++)
            assert_int_equal(plan->lane_level[lane], 0);
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
}

static void beyond_a_limit_the_lowest_priorities_share_a_level(void **state) {
    (void)state;
    enum { OPS = 300 };
    struct kesco_graph *graph = kesco_graph_create();
    for (uint32_t op = 0; op < OPS; op++) {
        const struct kesco_op desc = {.name = "op", .cost = 1, .priority = (int)op};
        uint32_t id;
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_plan *plan = plan_with(graph, KESCO_PLAN_MAX_LANES, true);
    assert_int_equal(plan->level_count, 256);
    assert_int_equal(plan->lane_count, KESCO_PLAN_MAX_LANES);
    assert_int_equal(plan->sequence[0], OPS - 1);
    assert_int_equal(plan->lane_level[plan->lane[OPS - 1]], 255);
    assert_int_equal(plan->lane_level[plan->lane[OPS - 255]], 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void an_empty_region_has_an_empty_plan(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_plan *plan = plan_of(graph);
    assert_int_equal(plan->op_count, 0);
    assert_int_equal(plan->lane_count, 0);
    assert_int_equal(plan->zone_count, 0);
    assert_int_equal(plan->level_count, 0);
    assert_int_equal(plan->sync.wait_count, 0);
    assert_int_equal(plan->sync.record_count, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a\n");
    struct kesco_plan *plan = NULL;
    struct kesco_plan_options options = {.policy = KESCO_POLICIES};
    assert_int_equal(kesco_plan_create(graph, &options, &plan), -EINVAL);
    options = (struct kesco_plan_options){.max_lanes = KESCO_PLAN_MAX_LANES + 1};
    assert_int_equal(kesco_plan_create(graph, &options, &plan), -EINVAL);
    options.max_lanes = KESCO_PLAN_MAX_LANES;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void a_graph_without_edges_built_is_refused(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_plan *plan = NULL;
    struct kesco_plan_options options = {0};
    assert_int_equal(kesco_plan_create(graph, &options, &plan), -EINVAL);
    assert_null(plan);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_runs_the_squares_side_by_side),
        cmocka_unit_test(img_takes_four_lanes_and_four_waits),
        cmocka_unit_test(ops_with_fewer_transitive_predecessors_go_first),
        cmocka_unit_test(without_reordering_the_program_order_stays),
        cmocka_unit_test(ops_stay_in_their_segment),
        cmocka_unit_test(an_op_follows_the_tail_that_saves_a_wait),
        cmocka_unit_test(an_op_leaves_the_tail_that_others_still_need),
        cmocka_unit_test(an_op_follows_a_predecessor_that_is_not_direct),
        cmocka_unit_test(an_op_leaves_the_tail_without_which_another_would_take_a_lane_more),
        cmocka_unit_test(the_least_loaded_lane_takes_an_op_when_all_are_used),
        cmocka_unit_test(one_lane_needs_no_wait),
        cmocka_unit_test(one_record_serves_many_waits),
        cmocka_unit_test(independent_tasks_are_zones),
        cmocka_unit_test(nothing_is_issued_across_an_op_that_blocks),
        cmocka_unit_test(an_op_goes_to_a_lane_that_the_host_waited_for),
        cmocka_unit_test(lanes_that_cannot_pay_are_not_made),
        cmocka_unit_test(the_longest_path_of_costs_goes_first),
        cmocka_unit_test(where_lanes_are_used_up_an_op_goes_where_it_can_start_first),
        cmocka_unit_test(an_op_starts_no_earlier_than_the_host_that_waited),
        cmocka_unit_test(of_lanes_where_it_starts_as_early_an_op_takes_the_one_with_fewest_waits),
        cmocka_unit_test(a_task_of_higher_priority_goes_first),
        cmocka_unit_test(behind_the_high_tasks_a_low_one_may_share_their_lanes),
        cmocka_unit_test(a_lane_is_kept_for_what_comes_before_a_high_task_ends),
        cmocka_unit_test(priorities_that_are_all_the_same_change_nothing),
        cmocka_unit_test(beyond_a_limit_the_lowest_priorities_share_a_level),
        cmocka_unit_test(an_empty_region_has_an_empty_plan),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_graph_without_edges_built_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
