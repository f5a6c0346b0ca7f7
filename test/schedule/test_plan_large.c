/* A region far larger than programs have: its plan is made, is legal, and orders every edge. */
#include "test/cmocka.h"
#include "test/schedule/graph_text.h"

#include <stdlib.h>

#define OPS 70000
#define READS 3

/* Each op writes an object of its own and reads those of earlier ops, near ones and far ones. */
static struct kesco_graph *make_graph(void) {
    struct kesco_graph *graph = kesco_graph_create();
    uint32_t id;
    srand(1);
    for (uint32_t op = 0; op < OPS; op++) {
        struct kesco_op desc = {.name = "op", .cost = 1 + rand() % 9, .priority = 1};
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
        assert_int_equal(kesco_graph_add_op(graph, &desc, &id), 0);
        assert_int_equal(kesco_graph_add_access(graph, op, op, KESCO_WRITE), 0);
        for (int i = 0; i < READS && op > 0; i++) {
            uint32_t reach = i > 0 && op > 100 ? 100 : op;
            uint32_t input = op - 1 - (uint32_t)rand() % reach;
            assert_int_equal(kesco_graph_add_access(graph, op, input, KESCO_READ), 0);
        }
    }
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    return graph;
}

static struct kesco_plan *plan_by(const struct kesco_graph *graph, enum kesco_policy policy) {
    const struct kesco_plan_options options = {.policy = policy, .reorder = true};
    struct kesco_plan *plan;
    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}

static void expect_topological(const struct kesco_graph *graph, const struct kesco_plan *plan) {
    for (uint32_t i = 0; i < OPS; i++)
        assert_int_equal(plan->order[plan->sequence[i]], i);
    for (size_t i = 0; i < graph->derived.edges.count; i++)
        assert_true(plan->order[graph->derived.edges.items[i].from] <
                    plan->order[graph->derived.edges.items[i].to]);
}

/* Per op and lane: how many ops of the lane are ordered before the op's end by lanes and waits alone. */
static uint32_t *past_of_ops(const struct kesco_plan *plan) {
    size_t lanes = plan->lane_count, wait = 0;
    uint32_t *past = calloc(OPS * lanes, sizeof(*past));
    uint32_t *tail = calloc(lanes, sizeof(*tail));
    bool *used = calloc(lanes, sizeof(*used));
    for (uint32_t i = 0; i < OPS; i++) {
        uint32_t op = plan->sequence[i], lane = plan->lane[op];
        uint32_t *own = past + op * lanes;
        for (size_t j = 0; j < lanes && used[lane]; j++)
            own[j] = past[tail[lane] * lanes + j];
        for (; wait < plan->sync.wait_count && plan->sync.waits[wait].op == op; wait++)
            for (size_t j = 0; j < lanes; j++)
                if (past[plan->sync.waits[wait].on * lanes + j] > own[j])
                    own[j] = past[plan->sync.waits[wait].on * lanes + j];
        own[lane]++;
        tail[lane] = op;
        used[lane] = true;
    }
    assert_int_equal(wait, plan->sync.wait_count);
    free(tail);
    free(used);
    return past;
}

static void expect_all_ordered(const struct kesco_graph *graph, const struct kesco_plan *plan) {
    uint32_t *past = past_of_ops(plan);
    assert_int_equal(plan->lane_count, KESCO_PLAN_DEFAULT_LANES);
    for (size_t i = 0; i < graph->derived.edges.count; i++) {
        size_t from = graph->derived.edges.items[i].from, to = graph->derived.edges.items[i].to,
               lanes = plan->lane_count;
        uint32_t lane = plan->lane[from];
        assert_true(past[to * lanes + lane] >= past[from * lanes + lane]);
    }
    free(past);
}

static void lanes_and_waits_order_every_edge(void **state) {
    for (int policy = 0; policy < KESCO_POLICIES; policy++) {
        struct kesco_plan *plan = plan_by(*state, (enum kesco_policy)policy);
        expect_topological(*state, plan);
        expect_all_ordered(*state, plan);
        kesco_plan_destroy(plan);
    }
}

static int set_up(void **state) {
    *state = make_graph();
    return 0;
}

static int tear_down(void **state) {
    kesco_graph_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_and_waits_order_every_edge),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
