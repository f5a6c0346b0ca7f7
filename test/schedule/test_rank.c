/* Ranks (rank.h). */
#include "plugin/schedule/rank.h"
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <stdlib.h>

/* A graph in which op i reads the results of i - 1 and of i / 2, so that each op comes after all earlier
 * ones. */
static struct kesco_graph *make_total_order(uint32_t ops) {
    struct kesco_graph *graph = kesco_graph_create();
    const struct kesco_op desc = {.name = "op", .cost = 1, .priority = 1};
    uint32_t id;
    for (uint32_t op = 0; op < ops; op++) {
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, op, KESCO_WRITE), 0);
        if (op == 0)
            continue;
        assert_int_equal(kesco_graph_add_access(graph, op, op - 1, KESCO_READ), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, op / 2, KESCO_READ), 0);
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    return graph;
}

static void ranks_count_across_blocks(void **state) {
    (void)state;
    const uint32_t ops = 3 * KESCO_RANK_BLOCK + 5;
    struct kesco_graph *graph = make_total_order(ops);
    uint64_t *rank = calloc(ops, sizeof(*rank));
    assert_int_equal(kesco_rank(graph, rank), 0);
    for (uint32_t op = 0; op < ops; op++)
        assert_int_equal(rank[op], op);
    free(rank);
    kesco_graph_destroy(graph);
}

static void shared_predecessors_count_once(void **state) {
    (void)state;
    struct kesco_graph *graph = graph_of_text("op a w=x\nop b r=x w=y\nop c r=x w=z\nop d r=y,z\nop e r=q\n");
    const uint64_t expected[] = {0, 1, 1, 3, 0};
    uint64_t rank[5];
    assert_int_equal(kesco_rank(graph, rank), 0);
    assert_memory_equal(rank, expected, sizeof(rank));
    kesco_graph_destroy(graph);
}

static void an_empty_graph_has_no_ranks(void **state) {
    (void)state;
    struct kesco_graph *graph = kesco_graph_create();
    uint64_t rank[1] = {7};
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    assert_int_equal(kesco_rank(graph, rank), 0);
    assert_int_equal(rank[0], 7);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_count_across_blocks),
        cmocka_unit_test(shared_predecessors_count_once),
        cmocka_unit_test(an_empty_graph_has_no_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
