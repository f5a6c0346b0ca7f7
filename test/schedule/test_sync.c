/* Waits for lanes that the distributor did not choose: any lanes and topological order will do (sync.h). */
#include "plugin/schedule/sync.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <stdlib.h>

/* The waits of ops that are issued in program order on the given lanes must be `waits`. */
static void expect_waits(const char *text, const uint32_t *lane, uint32_t lane_count,
                         const struct kesco_wait *waits, size_t count) {
    const uint32_t program_order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_sync sync;
    assert_int_equal(kesco_sync_create(graph, program_order, lane, lane_count, &sync), 0);
    assert_int_equal(sync.wait_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sync.waits[i].op, waits[i].op);
        assert_int_equal(sync.waits[i].on, waits[i].on);
    }
    free(sync.waits);
    free(sync.records);
    kesco_graph_destroy(graph);
}

static void an_edge_within_a_lane_needs_no_wait(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 0};
    expect_waits("op a w=x\nop b r=x\n", lane, 1, NULL, 0);
}

static void an_edge_across_lanes_is_a_wait(void **state) {
    (void)state;
    const uint32_t lane[] = {1, 0};
    const struct kesco_wait waits[] = {{1, 0}};
    expect_waits("op a w=x\nop b r=x\n", lane, 2, waits, 1);
}

static void a_wait_covers_its_lanes_past(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 0, 1};
    const struct kesco_wait waits[] = {{2, 1}};
    expect_waits("op a w=x\nop b w=y\nop c r=x,y\n", lane, 2, waits, 1);
}

static void a_lanes_earlier_wait_covers_its_future(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 1, 1};
    const struct kesco_wait waits[] = {{1, 0}};
    expect_waits("op a w=x\nop b r=x\nop c r=x\n", lane, 2, waits, 1);
}

static void a_wait_covers_what_its_op_waited_for(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 1, 2};
    const struct kesco_wait waits[] = {{1, 0}, {2, 1}};
    expect_waits("op a w=x\nop b r=x w=y\nop c r=x,y\n", lane, 3, waits, 2);
}

static void waits_of_one_op_are_sorted(void **state) {
    (void)state;
    const uint32_t lane[] = {2, 1, 0, 3};
    const struct kesco_wait waits[] = {{3, 0}, {3, 1}, {3, 2}};
    expect_waits("op a w=x\nop b w=y\nop c w=z\nop d r=z,x,y\n", lane, 4, waits, 3);
}

static void what_the_host_waited_for_needs_no_wait(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 1, 2};
    const struct kesco_wait waits[] = {{1, 0}};
    expect_waits("op a w=x\nop b r=x w=y blocks\nop c r=x,y\n", lane, 3, waits, 1);
}

static void what_the_host_did_not_wait_for_does(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 1, 2};
    const struct kesco_wait waits[] = {{2, 0}};
    expect_waits("op a w=x\nop b w=y blocks\nop c r=x,y\n", lane, 3, waits, 1);
}

static void the_host_waits_again_for_newer_ops(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 0, 1, 0, 1};
    const struct kesco_wait waits[] = {{2, 1}};
    expect_waits("op a w=x blocks\nop b w=x\nop c r=x\nop d w=z blocks\nop e r=x,z\n", lane, 2, waits, 1);
}

/* The end of b, which the host waits for, covers the end of a on another lane; c is waited for through d. */
static void an_op_knows_what_the_host_knew_before(void **state) {
    (void)state;
    const uint32_t lane[] = {0, 1, 2, 3};
    const struct kesco_wait waits[] = {{3, 2}};
    expect_waits("op a w=x blocks\nop b w=q blocks\nop c r=x w=y\nop d r=x,y,q\n", lane, 4, waits, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_within_a_lane_needs_no_wait),
        cmocka_unit_test(an_edge_across_lanes_is_a_wait),
        cmocka_unit_test(a_wait_covers_its_lanes_past),
        cmocka_unit_test(a_lanes_earlier_wait_covers_its_future),
        cmocka_unit_test(a_wait_covers_what_its_op_waited_for),
        cmocka_unit_test(waits_of_one_op_are_sorted),
        cmocka_unit_test(what_the_host_waited_for_needs_no_wait),
        cmocka_unit_test(what_the_host_did_not_wait_for_does),
        cmocka_unit_test(the_host_waits_again_for_newer_ops),
        cmocka_unit_test(an_op_knows_what_the_host_knew_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
