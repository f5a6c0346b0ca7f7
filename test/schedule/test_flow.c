/* Plans along a flow: what is ordered in loops and branches, and how large a flow may be. */
#include "plugin/schedule/flow.h"
#include "plugin/schedule/overlap.h"
#include "plugin/schedule/plan.h"
#include "test/cmocka.h"
#include "test/schedule/make_flow.h"
#include "test/schedule/model.h"

#include <errno.h>

static uint32_t access(unsigned object) {
    return 1u << object;
}

/* for (;;) { 0: writes a; 1: reads a, blocks }, the second time with 2: writes b in front. */
static void a_pass_that_the_host_waits_for_does_not_overlap_with_the_next(void **state) {
    struct region region = {.op_count = 2, .next = {2, 1}, .first = {true}, .blocks = {false, true}};
    bool overlap, useless[3];
    (void)state;
    region.writes[0] = access(0);
    region.reads[1] = access(0);
    for (int round = 0; round < 2; round++) {
        struct kesco_graph *graph = graph_of(&region);
        struct kesco_plan *plan = plan_of(graph, 0);
        assert_int_equal(kesco_overlap_exists(graph, &overlap), 0);
        assert_int_equal(kesco_overlap_find_useless_blocks(graph, useless), 0);
        assert_int_equal(overlap, round == 1);
        assert_int_equal(useless[1], round == 0);
        assert_int_equal(plan->lane_count, 1 + round);
        assert_int_equal(plan->sync.wait_count, 0);
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
        region.op_count = 3;
        region.next[1] = 4;
        region.next[2] = 1;
        region.writes[2] = access(1);
    }
}

/* for (;;) { 0: writes a, blocks; if () 1: reads a; 2: reads a, writes b }: nobody waits for 0; 0 waits for
 * the reads of the pass before. */
static void an_op_that_blocks_needs_no_record(void **state) {
    struct region region = {.op_count = 3, .next = {2 | 4, 4, 1}, .first = {true}, .blocks = {true}};
    (void)state;
    region.writes[0] = access(0);
    region.reads[1] = access(0);
    region.reads[2] = access(0);
    region.writes[2] = access(1);
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 0);
    assert_int_equal(plan->lane_count, 2);
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        assert_int_equal(plan->sync.waits[i].op, 0);
    assert_int_equal(plan->sync.wait_count, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* for (;;) { 0: of high priority; 1 to 3: of low priority }, on two lanes: the next pass comes behind. */
static void a_lane_is_kept_for_what_the_next_pass_does(void **state) {
    struct region region = {.op_count = 4, .next = {2, 4, 8, 1}, .first = {true}, .priority = {2, 1, 1, 1}};
    (void)state;
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 2);
    assert_int_equal(plan->lane_count, 2);
    for (uint32_t op = 1; op < 4; op++)
        assert_int_not_equal(plan->lane[op], plan->lane[0]);
    assert_int_equal(plan->lane_level[plan->lane[0]], 1);
    assert_int_equal(plan->lane_level[plan->lane[1]], 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* for (;;) { 0: writes a; 1: writes b; 2: reads a and b } */
static void a_loop_carries_what_its_next_pass_overwrites(void **state) {
    struct region region = {.op_count = 3, .next = {2, 4, 1}, .first = {true}};
    (void)state;
    region.writes[0] = access(0);
    region.writes[1] = access(1);
    region.reads[2] = access(0) | access(1);
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 0);
    assert_int_equal(graph->derived.edges.count, 2);
    assert_int_equal(graph->derived.carried.count, 2);
    assert_int_equal(graph->derived.carried.items[0].from, 2);
    assert_int_equal(graph->derived.carried.items[0].to, 0);
    assert_int_equal(graph->derived.carried.items[0].kind, KESCO_WAR);
    assert_int_equal(plan->lane_count, 2);
    assert_int_equal(plan->sync.wait_count, 2);
    assert_int_equal(plan->zone_count, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* 0: writes a; if () 1: reads and writes a; else 2: reads and writes a; 3: reads a. One op after the other.
 */
static void a_branch_follows_on_one_lane(void **state) {
    struct region region = {.op_count = 4, .next = {2 | 4, 8, 8, 0}, .first = {true}};
    (void)state;
    for (unsigned op = 0; op < 3; op++)
        region.writes[op] = access(0);
    region.reads[3] = access(0);
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 0);
    assert_int_equal(plan->lane_count, 1);
    assert_int_equal(plan->sync.wait_count, 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* 0: writes a; 1: writes b; if () 2: reads a, b, writes a; 3: reads a and b. What 2 waited for, 3 knows only
 * if 2 ran. */
static void a_wait_in_a_branch_is_made_again_behind_it(void **state) {
    struct region region = {.op_count = 4, .next = {2, 4 | 8, 8, 0}, .first = {true}};
    (void)state;
    region.writes[0] = access(0);
    region.writes[1] = access(1);
    region.reads[2] = access(1);
    region.writes[2] = access(0);
    region.reads[3] = access(0) | access(1);
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 0);
    assert_int_equal(plan->lane_count, 2);
    assert_int_equal(plan->sync.wait_count, 2);
    assert_true(ordered(&region, plan, NULL));
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

/* 0: writes a; 1: writes b; 2: reads both, writes c; if () 3: reads c; 4: reads c. 4 comes behind 1 by way of
 * 2; but in a loop the next pass writes b beside it. */
static void an_op_follows_what_it_comes_behind_in_every_pass(void **state) {
    struct region region = {.op_count = 5, .next = {2, 4, 8 | 16, 16, 0}, .first = {true}};
    (void)state;
    region.writes[0] = access(0);
    region.writes[1] = access(1);
    region.reads[2] = access(0) | access(1);
    region.writes[2] = access(2);
    region.reads[3] = region.reads[4] = access(2);
    for (unsigned round = 0; round < 2; round++) {
        struct kesco_graph *graph = graph_of(&region);
        struct kesco_plan *plan = plan_of(graph, 0);
        assert_int_equal(plan->lane_count, 2 + round);
        assert_int_equal(plan->lane[4], 1 + round);
        assert_true(ordered(&region, plan, NULL));
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
        region.next[4] = 1;
    }
}

/* 0: writes a; if () 1: reads a; else 2: reads a, writes c; 3: writes b; 4: reads b and c. Behind 2 it would
 * come behind 1, too, where that runs. */
static void of_two_predecessors_an_op_follows_the_one_on_whose_lane_nothing_else_holds_it_up(void **state) {
    struct region region = {.op_count = 5, .next = {2 | 4, 8, 8, 16, 0}, .first = {true}};
    (void)state;
    region.writes[0] = access(0);
    region.reads[1] = region.reads[2] = access(0);
    region.writes[2] = access(2);
    region.writes[3] = access(1);
    region.reads[4] = access(1) | access(2);
    struct kesco_graph *graph = graph_of(&region);
    struct kesco_plan *plan = plan_of(graph, 0);
    const uint32_t lanes[] = {0, 0, 0, 1, 1};
    assert_memory_equal(plan->lane, lanes, sizeof lanes);
    assert_int_equal(plan->sync.wait_count, 1);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

static void a_flow_has_limits(void **state) {
    struct kesco_flow *flow;
    struct kesco_graph *graph = kesco_graph_create();
    (void)state;
    assert_int_equal(kesco_flow_create(KESCO_FLOW_MAX_PLACES + 1, &flow), -EOVERFLOW);
    assert_int_equal(kesco_flow_create(3, &flow), 0);
    assert_int_equal(kesco_graph_set_flow(graph, flow), -EINVAL);
    kesco_flow_destroy(flow);
    kesco_flow_destroy(NULL);
    kesco_graph_destroy(graph);
}

/* The largest flow, with branches and loops throughout, is planned; how fast is not asked here. */
static void the_largest_flow_is_planned(void **state) {
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_flow *flow;
    uint32_t id;
    (void)state;
    random_state = 7;
    for (unsigned object = 0; object < 40; object++)
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
    assert_int_equal(kesco_flow_create(KESCO_FLOW_MAX_PLACES, &flow), 0);
    for (uint32_t i = 0; i < KESCO_FLOW_MAX_PLACES; i++) {
        struct kesco_op op = {.name = "op", .cost = 1, .priority = 1, .segment = i};
        assert_int_equal(kesco_graph_add_op(graph, &op, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, i, random_below(40), KESCO_WRITE), 0);
        assert_int_equal(kesco_graph_add_access(graph, i, random_below(40), KESCO_READ), 0);
        if (i + 1 < KESCO_FLOW_MAX_PLACES)
            kesco_flow_add_next(flow, i, i + 1);
        if (i % 7 == 0)
            kesco_flow_add_next(flow, i, random_below(KESCO_FLOW_MAX_PLACES));
    }
    kesco_flow_close(flow);
    assert_int_equal(kesco_graph_set_flow(graph, flow), 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_plan *plan = plan_of(graph, 0);
    assert_true(plan->lane_count > 1 && plan->sync.wait_count > 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_that_the_host_waits_for_does_not_overlap_with_the_next),
        cmocka_unit_test(an_op_that_blocks_needs_no_record),
        cmocka_unit_test(a_lane_is_kept_for_what_the_next_pass_does),
        cmocka_unit_test(a_loop_carries_what_its_next_pass_overwrites),
        cmocka_unit_test(a_branch_follows_on_one_lane),
        cmocka_unit_test(a_wait_in_a_branch_is_made_again_behind_it),
        cmocka_unit_test(an_op_follows_what_it_comes_behind_in_every_pass),
        cmocka_unit_test(of_two_predecessors_an_op_follows_the_one_on_whose_lane_nothing_else_holds_it_up),
        cmocka_unit_test(a_flow_has_limits),
        cmocka_unit_test(the_largest_flow_is_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
