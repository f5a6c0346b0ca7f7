/* Covers of examples: how few lanes do, and what may be taken such that they do (cover.h). Random ones:
 * test_plan_property.c. */
#include "plugin/schedule/cover.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_OPS = 8 };

/* The cover of all ops in program order, looked for from one lane for each. */
static struct kesco_cover *cover_of(const struct kesco_graph *graph) {
    uint32_t sequence[MOST_OPS], lane[MOST_OPS];
    struct kesco_cover *cover;
    assert_true(graph->op_count <= MOST_OPS);
    for (uint32_t op = 0; op < graph->op_count; op++)
        sequence[op] = lane[op] = op;
    assert_int_equal(kesco_cover_create(graph, sequence, graph->op_count, lane, &cover), 0);
    return cover;
}

static void expect_lanes(const char *text, uint32_t lanes) {
    struct kesco_graph *graph = graph_of_text(text);
    struct kesco_cover *cover = cover_of(graph);
    assert_int_equal(kesco_cover_lanes(cover), lanes);
    kesco_cover_destroy(cover);
    kesco_graph_destroy(graph);
}

static void as_many_lanes_do_as_ops_could_run_at_once(void **state) {
    (void)state;
    expect_lanes("", 0);
    expect_lanes("op a\n", 1);
    expect_lanes("op a\nop b\nop c\n", 3);
    expect_lanes("op a w=x\nop b r=x w=y\nop c r=y\n", 1);
    expect_lanes("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=z\nop e r=z\n", 2);
    expect_lanes("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=x w=q\nop e r=y,q\nop f r=y,z\n", 2);
}

static void what_the_host_waits_for_is_done_before_all_that_follows(void **state) {
    struct kesco_graph *graph = kesco_graph_create();
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        const struct kesco_op op = {.name = "op", .cost = 1, .segment = i, .blocks = i == 2};
        uint32_t id;
        assert_int_equal(kesco_graph_add_op(graph, &op, &id), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    struct kesco_cover *cover = cover_of(graph);
    /* the first two may still run beside the last two */
    assert_int_equal(kesco_cover_lanes(cover), 4);
    kesco_cover_destroy(cover);
    kesco_graph_destroy(graph);
}

static void an_op_may_take_what_leaves_enough_for_the_others(void **state) {
    (void)state;
    /* c may follow a or b, d only a, e only b and d, f only b and c */
    struct kesco_graph *graph =
        graph_of_text("op a w=x\nop b w=y\nop c r=x,y w=z\nop d r=x w=q\nop e r=y,q\nop f r=y,z\n");
    struct kesco_cover *cover = cover_of(graph);
    assert_true(kesco_cover_take(cover, KESCO_COVER_NONE, 0));
    assert_false(kesco_cover_take(cover, 0, 1)); /* b does not come behind a */
    assert_true(kesco_cover_take(cover, KESCO_COVER_NONE, 1));
    assert_false(kesco_cover_take(cover, KESCO_COVER_NONE, 2));
    assert_false(kesco_cover_take(cover, 0, 2));
    assert_true(kesco_cover_take(cover, 1, 2));
    assert_false(kesco_cover_take(cover, KESCO_COVER_NONE, 3));
    assert_true(kesco_cover_take(cover, 0, 3));
    assert_true(kesco_cover_take(cover, 3, 4));
    assert_true(kesco_cover_take(cover, 2, 5));
    assert_int_equal(kesco_cover_lanes(cover), 2);
    kesco_cover_destroy(cover);
    kesco_graph_destroy(graph);
}

static void too_many_ops_are_refused(void **state) {
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_cover *cover;
    (void)state;
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    assert_int_equal(kesco_cover_create(graph, NULL, KESCO_COVER_MAX_OPS + 1, NULL, &cover), -EOVERFLOW);
    kesco_cover_destroy(NULL);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_lanes_do_as_ops_could_run_at_once),
        cmocka_unit_test(what_the_host_waits_for_is_done_before_all_that_follows),
        cmocka_unit_test(an_op_may_take_what_leaves_enough_for_the_others),
        cmocka_unit_test(too_many_ops_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
