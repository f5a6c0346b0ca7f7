/* The graph: what may be added, and which edges follow (graph.h, dependence.h). */
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The edges must be the `count` given ones, in the graph's order. */
static void expect_edges(const char *text, const struct kesco_edge *edges, size_t count) {
    struct kesco_graph *graph = graph_of_text(text);
    assert_int_equal(graph->derived.edges.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(graph->derived.edges.items[i].from, edges[i].from);
        assert_int_equal(graph->derived.edges.items[i].to, edges[i].to);
        assert_int_equal(graph->derived.edges.items[i].kind, edges[i].kind);
        assert_int_equal(graph->derived.edges.items[i].object, edges[i].object);
    }
    kesco_graph_destroy(graph);
}

static void a_reader_comes_after_the_last_writer(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 1, KESCO_WAW, 0}, {1, 2, KESCO_RAW, 0}};
    expect_edges("op a w=x\nop b w=x\nop c r=x\n", edges, 2);
}

static void a_writer_comes_after_all_readers_since_the_last_writer(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {
        {0, 1, KESCO_RAW, 0}, {0, 2, KESCO_RAW, 0}, {1, 3, KESCO_WAR, 0}, {2, 3, KESCO_WAR, 0}};
    expect_edges("op a w=x\nop b r=x\nop c r=x\nop d w=x\n", edges, 4);
}

static void readers_of_one_object_are_independent(void **state) {
    (void)state;
    expect_edges("op a r=x\nop b r=x\n", NULL, 0);
}

static void reading_and_writing_counts_as_writing(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 1, KESCO_WAW, 0}};
    expect_edges("op a r=x w=x\nop b w=x r=x\n", edges, 1);
}

static void parallel_edges_differ_in_the_object(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 1, KESCO_RAW, 0}, {0, 1, KESCO_RAW, 1}};
    expect_edges("op a w=x,y\nop b r=y,x,y\n", edges, 2);
}

static void a_write_of_any_comes_after_all_that_touches_something(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 3, KESCO_WAR, KESCO_OBJECT_ANY},
                                       {1, 3, KESCO_WAW, KESCO_OBJECT_ANY},
                                       {3, 4, KESCO_RAW, KESCO_OBJECT_ANY}};
    expect_edges("op a r=x\nop b w=y\nop nothing\nop fence w=*\nop c r=z\n", edges, 3);
}

static void writes_of_any_follow_each_other(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 1, KESCO_WAW, KESCO_OBJECT_ANY}};
    expect_edges("op a w=*\nop b r=* w=*\n", edges, 1);
}

static void a_read_of_any_stands_between_the_writers_around_it(void **state) {
    (void)state;
    const struct kesco_edge edges[] = {{0, 2, KESCO_RAW, KESCO_OBJECT_ANY},
                                       {1, 2, KESCO_RAW, KESCO_OBJECT_ANY},
                                       {2, 3, KESCO_WAR, KESCO_OBJECT_ANY}};
    expect_edges("op a w=x\nop b w=y\nop print r=*\nop c w=z\n", edges, 3);
}

static void reads_of_any_are_independent_of_readers(void **state) {
    (void)state;
    expect_edges("op a r=*\nop b r=x\nop c r=*\n", NULL, 0);
}

static void reads_of_any_between_writers_stay_linear(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    const uint32_t pairs = 2000;
    uint32_t op, object;
    for (uint32_t i = 0; i < pairs; i++) {
        struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1};
        assert_int_equal(kesco_graph_add_object(graph, "object", &object), 0);
        assert_int_equal(kesco_graph_add_op(graph, &desc, &op), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, object, KESCO_WRITE), 0);
        assert_int_equal(kesco_graph_add_op(graph, &desc, &op), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, KESCO_OBJECT_ANY, KESCO_READ), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    assert_int_equal(graph->derived.edges.count, 2 * pairs - 1);
    kesco_graph_destroy(graph);
}

static void too_many_edges_are_refused(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    const uint32_t ops =
        2 * 4097; /* writers of objects of their own, then readers of any: 4097 * 4097 edges */
    uint32_t id;
    for (uint32_t op = 0; op < ops; op++) {
        struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1};
        bool writes = op < ops / 2;
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, writes ? op : KESCO_OBJECT_ANY,
                                                writes ? KESCO_WRITE : KESCO_READ),
                         0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), -EOVERFLOW);
    assert_false(graph->built);
    kesco_graph_destroy(graph);
}

static void neighbours_are_distinct_and_ascending(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x,y\nop b w=z\nop c r=z,x,y\nop d r=x\n");
    size_t count;
    const uint32_t *ops = kesco_graph_predecessors(graph, 2, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0], 0);
    assert_int_equal(ops[1], 1);
    ops = kesco_graph_successors(graph, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0], 2);
    assert_int_equal(ops[1], 3);
    kesco_graph_predecessors(graph, 0, &count);
    assert_int_equal(count, 0);
    kesco_graph_successors(graph, 3, &count);
    assert_int_equal(count, 0);
    kesco_graph_destroy(graph);
}

static void accesses_are_merged_by_object(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a\nop b r=x,x,y w=x\n");
    size_t count;
    kesco_graph_accesses(graph, 0, &count);
    assert_int_equal(count, 0);
    const struct kesco_op_access *accesses = kesco_graph_accesses(graph, 1, &count);
    assert_int_equal(count, 2);
    assert_int_equal(accesses[0].access, KESCO_WRITE);
    assert_string_equal(kesco_graph_object_name(graph, accesses[0].object), "x");
    assert_int_equal(accesses[1].access, KESCO_READ);
    assert_string_equal(kesco_graph_object_name(graph, accesses[1].object), "y");
    kesco_graph_destroy(graph);
}

static void additions_make_edges_stale_until_built_again(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b r=x\n");
    const struct kesco_op op = {.name = "c", .cost = 1, .priority = 1};
    uint32_t id;
    assert_true(graph->built);
    assert_int_equal(kesco_graph_add_op(graph, &op, &id), 0);
    assert_int_equal(kesco_graph_add_access(graph, id, 0, KESCO_WRITE), 0);
    assert_false(graph->built);
    assert_int_equal(graph->derived.edges.count, 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    assert_int_equal(graph->derived.edges.count, 2);
    kesco_graph_destroy(graph);
}

static void equal_object_names_make_two_objects(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t first, second;
    assert_int_equal(kesco_graph_add_object(graph, "x", &first), 0);
    assert_int_equal(kesco_graph_add_object(graph, "x", &second), 0);
    assert_int_not_equal(first, second);
    kesco_graph_destroy(graph);
}

static void bad_ops_are_refused(void **state) {
    (void)state;
    const struct kesco_op bad[] = {
        {.name = NULL, .cost = 1, .segment = 3},
        {.name = "op", .cost = -1, .segment = 3},
        {.name = "op", .cost = NAN, .segment = 3},
        {.name = "op", .cost = INFINITY, .segment = 3},
        {.name = "op", .cost = 1, .fill = -0.1, .segment = 3},
        {.name = "op", .cost = 1, .fill = 1.1, .segment = 3},
        {.name = "op", .cost = 1, .fill = NAN, .segment = 3},
        {.name = "op", .cost = 1, .segment = 2}, /* behind an op of segment 3 */
    };
    const struct kesco_op good = {.name = "op", .cost = 0, .segment = 3};
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    assert_int_equal(kesco_graph_add_op(graph, &good, &id), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(kesco_graph_add_op(graph, &bad[i], &id), -EINVAL);
    assert_int_equal(graph->op_count, 1);
    kesco_graph_destroy(graph);
}

static void bad_objects_and_accesses_are_refused(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\n");
    uint32_t id;
    assert_int_equal(kesco_graph_add_object(graph, NULL, &id), -EINVAL);
    assert_int_equal(kesco_graph_add_access(graph, 1, 0, KESCO_READ), -EINVAL);
    assert_int_equal(kesco_graph_add_access(graph, 0, 1, KESCO_READ), -EINVAL);
    assert_int_equal(kesco_graph_add_access(graph, 0, 0, (enum kesco_access)7), -EINVAL);
    assert_int_equal(graph->access_count, 1);
    kesco_graph_destroy(graph);
}

static void nothing_can_be_destroyed(void **state) {
    (void)state;
    kesco_graph_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_comes_after_the_last_writer),
        cmocka_unit_test(a_writer_comes_after_all_readers_since_the_last_writer),
        cmocka_unit_test(readers_of_one_object_are_independent),
        cmocka_unit_test(reading_and_writing_counts_as_writing),
        cmocka_unit_test(parallel_edges_differ_in_the_object),
        cmocka_unit_test(a_write_of_any_comes_after_all_that_touches_something),
        cmocka_unit_test(writes_of_any_follow_each_other),
        cmocka_unit_test(a_read_of_any_stands_between_the_writers_around_it),
        cmocka_unit_test(reads_of_any_are_independent_of_readers),
        cmocka_unit_test(reads_of_any_between_writers_stay_linear),
        cmocka_unit_test(too_many_edges_are_refused),
        cmocka_unit_test(neighbours_are_distinct_and_ascending),
        cmocka_unit_test(accesses_are_merged_by_object),
        cmocka_unit_test(additions_make_edges_stale_until_built_again),
        cmocka_unit_test(equal_object_names_make_two_objects),
        cmocka_unit_test(bad_ops_are_refused),
        cmocka_unit_test(bad_objects_and_accesses_are_refused),
        cmocka_unit_test(nothing_can_be_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
