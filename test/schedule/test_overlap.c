/* Whether ops could run at once at all, and which ops block the host in vain (overlap.h): straight lines. */
#include "plugin/schedule/overlap.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO_DEVICE " engine=to-device\n"
#define TO_HOST " engine=to-host\n"
#define NONE " engine=none\n"

/* Ops by the name of memset are such. */
static void expect_overlap(const char *text, bool expected) {
    struct kesco_graph *graph = graph_of_text(text);
    bool exists;
    for (uint32_t op = 0; op < graph->op_count; op++)
        if (strcmp(graph->ops[op].name, "memset") == 0)
            graph->ops[op].kind = KESCO_OP_MEMSET;
    assert_int_equal(kesco_overlap_exists(graph, &exists), 0);
    if (exists != expected)
        fail_msg("overlap: %d, in\n%s", exists, text);
    kesco_graph_destroy(graph);
}

/* `expected` has a letter for each op: 'u' for one that blocks in vain. */
static void expect_useless(const char *text, const char *expected) {
    struct kesco_graph *graph = graph_of_text(text);
    bool useless[8] = {0};
    assert_int_equal(kesco_overlap_find_useless_blocks(graph, useless), 0);
    for (uint32_t op = 0; op < graph->op_count; op++)
        if (useless[op] != (expected[op] == 'u'))
            fail_msg("op %u: %d, in\n%s", op, useless[op], text);
    kesco_graph_destroy(graph);
}

static void independent_kernels_overlap(void **state) {
    (void)state;
    expect_overlap("", false);
    expect_overlap("op a w=x\n", false);
    expect_overlap("op a w=x\nop b w=y\n", true);
    expect_overlap("op a w=x\nop b r=x\n", false);
    expect_overlap("op a w=x\nop b r=x w=y\nop c r=y\n", false);
    expect_overlap("op a w=x\nop b r=x w=y\nop c r=x\n", true);
}

static void copies_overlap_with_everything_but_their_direction(void **state) {
    (void)state;
    expect_overlap("op a w=x" TO_DEVICE "op b w=y" TO_DEVICE, false);
    expect_overlap("op a w=x" TO_HOST "op b w=y" TO_HOST, false);
    expect_overlap("op a w=x" TO_HOST "op b w=y" TO_DEVICE, true);
    expect_overlap("op a w=x\nop b w=y" TO_DEVICE, true);
    expect_overlap("op a w=x" TO_HOST "op b w=y\n", true);
    expect_overlap("op a w=x" TO_DEVICE "op b w=y" TO_DEVICE "op k r=y\n", true);
    expect_overlap("op a w=x" TO_DEVICE "op b w=y" TO_DEVICE "op k r=x,y\n", false);
}

static void what_takes_no_time_overlaps_with_nothing(void **state) {
    (void)state;
    expect_overlap("op a w=x" NONE "op b w=y\n", false);
    expect_overlap("op a w=x\nop b w=y" NONE "op c w=z" TO_HOST, true);
    /* an order through it counts */
    expect_overlap("op a w=x\nop b r=x w=y" NONE "op c r=y\n", false);
}

static void memsets_overlap_with_kernels_alone(void **state) {
    (void)state;
    expect_overlap("op memset w=x\nop memset w=y\n", false);
    expect_overlap("op memset w=x\nop b w=y" TO_DEVICE "op c w=z" TO_DEVICE, false);
    expect_overlap("op a w=x" TO_HOST "op memset w=y\n", false);
    expect_overlap("op memset w=x\nop b w=y\n", true);
    expect_overlap("op a w=x\nop memset w=y\n", true);
    expect_overlap("op memset w=x\nop b r=x\nop c w=y" TO_HOST, true);
}

static void an_op_that_blocks_separates(void **state) {
    (void)state;
    expect_overlap("op a w=x blocks\nop b w=y\n", false);
    expect_overlap("op a w=x\nop b r=x blocks\nop c w=y\n", false);
    expect_overlap("op a w=x\nop b w=z r=x blocks" NONE "op c w=y\n", false);
    /* it does not come behind a, which stays in flight */
    expect_overlap("op a w=x\nop b w=z blocks" NONE "op c w=y\n", true);
    expect_overlap("op a w=x\nop b w=y blocks\n", true);
}

static void an_op_blocks_in_vain_if_it_waits_for_everything(void **state) {
    (void)state;
    expect_useless("op a w=x blocks\nop b r=x\nop c r=x w=x blocks\n", "u-u");
    expect_useless("op a w=x\nop b w=y\nop c r=x blocks\nop d r=y blocks\n", "---u");
    expect_useless("op a w=x\nop b w=y\nop c r=x,y blocks\nop d w=z blocks\n", "--uu");
    expect_useless("op a w=x\nop b r=x w=y\nop c r=y\nop d r=y blocks\n", "----");
    /* what takes no time is waited for all the same */
    expect_useless("op a w=x" NONE "op b w=y blocks\n", "--");
}

static struct kesco_graph *copies(uint32_t count, enum kesco_engine last) {
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    for (uint32_t op = 0; op <= count; op++) {
        struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1, .engine = KESCO_ENGINE_TO_DEVICE};
        desc.engine = op < count ? KESCO_ENGINE_TO_DEVICE : last;
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, op, KESCO_WRITE), 0);
        for (uint32_t read = 0; read < op && op == count; read++)
            assert_int_equal(kesco_graph_add_access(graph, op, read, KESCO_READ), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    return graph;
}

/* Many copies in a row are looked through up to a limit; beyond, they are taken to overlap with something. */
static void a_long_row_of_copies_is_looked_through_up_to_a_limit(void **state) {
    (void)state;
    const uint32_t counts[] = {KESCO_OVERLAP_WINDOW - 1, KESCO_OVERLAP_WINDOW};
    for (int i = 0; i < 2; i++) {
        struct kesco_graph *graph = copies(counts[i], KESCO_ENGINE_COMPUTE);
        bool exists;
        assert_int_equal(kesco_overlap_exists(graph, &exists), 0);
        assert_int_equal(exists, i == 1);
        kesco_graph_destroy(graph);
    }
}

/* A long chain of kernels needs no such limit. */
static void a_long_chain_does_not_overlap(void **state) {
    enum { OPS = 4 * KESCO_OVERLAP_WINDOW };
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    bool exists, *useless = calloc(OPS, sizeof(*useless));
    (void)state;
    assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
    for (uint32_t op = 0; op < OPS; op++) {
        struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1, .segment = op, .blocks = op % 3 == 0};
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, 0, KESCO_WRITE), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    assert_int_equal(kesco_overlap_exists(graph, &exists), 0);
    assert_false(exists);
    assert_int_equal(kesco_overlap_find_useless_blocks(graph, useless), 0);
    for (uint32_t op = 0; op < OPS; op++)
        assert_int_equal(useless[op], op % 3 == 0);
    free(useless);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_kernels_overlap),
        cmocka_unit_test(copies_overlap_with_everything_but_their_direction),
        cmocka_unit_test(what_takes_no_time_overlaps_with_nothing),
        cmocka_unit_test(memsets_overlap_with_kernels_alone),
        cmocka_unit_test(an_op_that_blocks_separates),
        cmocka_unit_test(an_op_blocks_in_vain_if_it_waits_for_everything),
        cmocka_unit_test(a_long_row_of_copies_is_looked_through_up_to_a_limit),
        cmocka_unit_test(a_long_chain_does_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
