/* What becomes of a region: straight lines and loops, graphs, lanes that the run chooses, what it fetches. */
#include "plugin/cuda/cuda_calls.h"
#include "plugin/plan/placed.h"
#include "plugin/plan/plan_region.h"
#include "plugin/plan/replay.h"
#include "plugin/schedule/flow.h"
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/plan/make_region.h"

static const struct kesco_plan_options options = {.reorder = true};

/* The run tells the two objects apart. */
static void add_guard(struct kesco_op_region *region, uint32_t a, uint32_t b) {
    APPEND(region, &region->guards.checked, (struct kesco_pair){a, b});
}

static void add_next(struct kesco_op_region *region, uint32_t from, uint32_t to) {
    APPEND(region, &region->ops.items[from].way.next, to);
}

/* One kernel on each of `count` objects, one after the other. */
static void make_line(struct kesco_op_region *region, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        add_object(region, &"abcdefgh"[i], KESCO_MEMORY_DEVICE);
        add_kernel(region, i, false);
        if (i > 0)
            add_next(region, i - 1, i);
    }
}

static struct kesco_scheduled_region plan(const struct kesco_op_region *region, enum kesco_joining joining) {
    struct kesco_scheduled_region scheduled;
    assert_int_equal(kesco_plan_region(region, joining, &options, &scheduled), 0);
    return scheduled;
}

static void test_independent_kernels_get_lanes(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    make_line(&region, 2);
    struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_true(kesco_region_is_straight(&region));
    assert_false(kesco_region_has_loop(&region));
    assert_int_equal(scheduled.plan->lane_count, 2);
    assert_true(kesco_scheduled_has_lanes(&scheduled) && !kesco_scheduled_is_one_lane(&scheduled));
    assert_false(scheduled.may_replay); /* two launches are few */
    kesco_scheduled_region_clear(&scheduled);
    kesco_region_clear(&region);
}

/* A copy that the host waits for is no node of a graph; behind all launches it is in nobody's way. */
static void test_replay_needs_launches_that_can_be_collected(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    make_line(&region, 5);
    struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_true(scheduled.may_replay);
    kesco_scheduled_region_clear(&scheduled);
    region.ops.items[4].call.can_be_node = false;
    scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_true(scheduled.may_replay);
    kesco_scheduled_region_clear(&scheduled);
    add_next(&region, 4, 0);
    scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_true(kesco_region_has_loop(&region));
    assert_false(scheduled.may_replay);
    kesco_scheduled_region_clear(&scheduled);
    kesco_region_clear(&region);
}

/* Passes of a loop that go through memory may be independent; those that stay are not. */
static void test_loops_over_memory_are_placed(void **state) {
    (void)state;
    for (int moves = 0; moves < 2; moves++) {
        struct kesco_op_region region = {0};
        add_object(&region, "arena", KESCO_MEMORY_DEVICE);
        add_kernel(&region, 0, moves);
        add_next(&region, 0, 0);
        struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
        assert_true(kesco_region_repeats_op(&region));
        assert_int_equal(scheduled.placed_lanes > 0, moves);
        assert_int_equal(kesco_scheduled_has_lanes(&scheduled), moves);
        kesco_scheduled_region_clear(&scheduled);
        kesco_region_clear(&region);
    }
}

/* A launch that may write beside the one before is placed in a loop, and left in its lane elsewhere. */
static void test_launches_beside_each_other_are_placed(void **state) {
    (void)state;
    for (int is_beside = 0; is_beside < 2; is_beside++) {
        for (int is_in_loop = 0; is_in_loop < 2; is_in_loop++) {
            struct kesco_op_region region = {0};
            add_object(&region, "grid", KESCO_MEMORY_DEVICE);
            add_kernel(&region, 0, false);
            add_kernel(&region, 0, false);
            region.ops.items[1].memory.pointers.items[0].is_beside = is_beside;
            add_next(&region, 0, 1);
            if (is_in_loop)
                add_next(&region, 1, 0);
            struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
            assert_int_equal(scheduled.placed_lanes > 0, is_beside && is_in_loop);
            kesco_scheduled_region_clear(&scheduled);
            kesco_region_clear(&region);
        }
    }
}

/* No guard tells so many objects apart: the ops' bytes do. */
static void test_more_than_the_guard_has_room_for_is_placed(void **state) {
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct kesco_op_region region = {0};
        for (uint32_t i = 0; i < KESCO_GUARD_PAIRS + more; i++) {
            add_object(&region, "unknown", KESCO_MEMORY_DEVICE);
            add_kernel(&region, i, false);
            if (i > 0) {
                add_next(&region, i - 1, i);
                add_guard(&region, 0, i);
            }
        }
        struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
        assert_int_equal(scheduled.placed_lanes > 0, more);
        assert_true(kesco_scheduled_has_lanes(&scheduled));
        kesco_scheduled_region_clear(&scheduled);
        kesco_region_clear(&region);
    }
}

/* No plan is made of so many with a loop around them: the run places them, where it knows what they touch. */
static void test_more_than_a_plan_has_room_for_is_placed(void **state) {
    (void)state;
    for (int is_told = 0; is_told < 2; is_told++) {
        struct kesco_op_region region = {0};
        add_object(&region, "one", KESCO_MEMORY_DEVICE);
        for (uint32_t i = 0; i <= KESCO_FLOW_MAX_PLACES; i++) {
            add_kernel(&region, 0, false);
            add_next(&region, i, i == KESCO_FLOW_MAX_PLACES ? 0 : i + 1);
        }
        region.ops.items[7].memory.is_told = is_told;
        struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
        assert_true(scheduled.too_large);
        assert_int_equal(scheduled.placed_lanes > 0, is_told);
        assert_int_equal(scheduled.plan->lane_count, 1);
        kesco_scheduled_region_clear(&scheduled);
        kesco_region_clear(&region);
    }
}

/* Ways that a pass goes instead of each other; passes are copies that the plan has on lanes of their own. */
static void make_ways(struct kesco_op_region *region, uint32_t ways, uint32_t copies) {
    for (uint32_t copy = 0; copy < copies; copy++)
        add_object(region, "arena", KESCO_MEMORY_DEVICE);
    for (uint32_t op = 0; op < ways * copies; op++) {
        add_kernel(region, op / ways, true);
        region->ops.items[op].source.own_line = 1 + op % ways;
        for (uint32_t next = 0; next < ways; next++)
            add_next(region, op, (op / ways + 1) % copies * ways + next);
    }
}

static void test_branches_with_many_ways_are_placed(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    make_ways(&region, 12, 4);
    struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_true(scheduled.placed_lanes > 0);
    kesco_scheduled_region_clear(&scheduled);
    /* what is beside each other in one pass is the plan's */
    for (uint32_t op = 0; op < region.ops.count; op += 12)
        region.ops.items[op + 1].memory.accesses.items[0].object =
            region.ops.items[op + 1].memory.pointers.items[0].object = 4;
    add_object(&region, "other", KESCO_MEMORY_DEVICE);
    scheduled = plan(&region, KESCO_JOINS_NOT);
    assert_int_equal(scheduled.placed_lanes, 0);
    assert_true(scheduled.plan->lane_count > 1);
    kesco_scheduled_region_clear(&scheduled);
    kesco_region_clear(&region);
}

/* One launch joins others of other functions where all that it touches is told, and no host waits for it. */
static void test_joins_where_all_is_told(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    make_line(&region, 1);
    struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_ALONE);
    assert_true(scheduled.joins && scheduled.only_joins);
    assert_false(kesco_scheduled_has_lanes(&scheduled));
    kesco_scheduled_region_clear(&scheduled);
    region.ops.items[0].memory.is_wholly_told = false;
    scheduled = plan(&region, KESCO_JOINS_ALONE);
    assert_false(scheduled.joins);
    kesco_scheduled_region_clear(&scheduled);
    kesco_region_clear(&region);
}

/* Lanes of a plan are given up for that where nobody who calls the function is seen. */
static void test_joins_with_lanes(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    make_line(&region, 2);
    struct kesco_scheduled_region scheduled = plan(&region, KESCO_JOINS_ALONE);
    assert_false(scheduled.joins);
    assert_int_equal(scheduled.plan->lane_count, 2);
    kesco_scheduled_region_clear(&scheduled);
    scheduled = plan(&region, KESCO_JOINS_ALL);
    assert_true(scheduled.joins && scheduled.placed_lanes > 0 && !scheduled.only_joins);
    kesco_scheduled_region_clear(&scheduled);
    kesco_region_clear(&region);
}

/* Managed memory is fetched before the first kernels that use it, on each way. */
static void test_fetches_before_the_first_use(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    add_object(&region, "managed", KESCO_MEMORY_MANAGED);
    add_object(&region, "plain", KESCO_MEMORY_DEVICE);
    add_kernel(&region, 1, false);
    add_kernel(&region, 0, false);
    add_kernel(&region, 0, false);
    add_next(&region, 0, 1);
    add_next(&region, 1, 2);
    region.ops.items[1].memory.pointers.items[0].reads = true;
    assert_int_equal(kesco_region_add_fetches(&region, false), 0);
    assert_int_equal(region.fetches.count, 1);
    assert_int_equal(region.fetches.items[0].op, 1);
    assert_false(region.fetches.items[0].is_overwritten);
    kesco_region_clear(&region);
}

/* What its first kernel reads nothing of is known as such. */
static void test_fetches_what_is_overwritten(void **state) {
    struct kesco_op_region region = {0};
    (void)state;
    add_object(&region, "managed", KESCO_MEMORY_MANAGED);
    add_kernel(&region, 0, false);
    assert_int_equal(kesco_region_add_fetches(&region, false), 0);
    assert_int_equal(region.fetches.count, 1);
    assert_true(region.fetches.items[0].is_overwritten);
    kesco_region_clear(&region);
}

static void bound(struct kesco_op_region *region, uint32_t op) {
    APPEND(region, &region->ops.items[op].memory.pointers.items[0].reach.within, "0 n");
}

/* Where it is known of each op that uses an object which bytes it uses, each fetches these; else, or where
 * all is asked for, the first one fetches all. */
static void test_fetches_parts(void **state) {
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct kesco_op_region region = {0};
        add_object(&region, "bounded", KESCO_MEMORY_MANAGED);
        add_object(&region, "unknown", KESCO_MEMORY_MANAGED);
        for (uint32_t op = 0; op < 4; op++)
            add_kernel(&region, op / 2, false);
        for (uint32_t op = 0; op < 3; op++) {
            add_next(&region, op, op + 1);
            bound(&region, op);
        }
        assert_int_equal(kesco_region_add_fetches(&region, all), 0);
        assert_int_equal(region.fetches.count, all ? 2 : 3);
        for (uint32_t i = 0; i < region.fetches.count; i++) {
            assert_int_equal(region.fetches.items[i].op, all ? 2 * i : i);
            assert_int_equal(region.fetches.items[i].is_part, !all && i < 2);
        }
        kesco_region_clear(&region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent_kernels_get_lanes),
        cmocka_unit_test(test_replay_needs_launches_that_can_be_collected),
        cmocka_unit_test(test_loops_over_memory_are_placed),
        cmocka_unit_test(test_launches_beside_each_other_are_placed),
        cmocka_unit_test(test_more_than_the_guard_has_room_for_is_placed),
        cmocka_unit_test(test_more_than_a_plan_has_room_for_is_placed),
        cmocka_unit_test(test_branches_with_many_ways_are_placed),
        cmocka_unit_test(test_joins_where_all_is_told),
        cmocka_unit_test(test_joins_with_lanes),
        cmocka_unit_test(test_fetches_before_the_first_use),
        cmocka_unit_test(test_fetches_what_is_overwritten),
        cmocka_unit_test(test_fetches_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
