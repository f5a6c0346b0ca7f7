/*
 * Plans along a flow, held against the runs of the region: short walks through the flow are played event by
 * event, as CUDA orders streams, and every two runs of ops that conflict must come out ordered.
 *
 * KESCO_TEST_SEED=N starts at another seed, KESCO_TEST_CASES=N tries that many flows.
 */
#include "plugin/schedule/distribute.h"
#include "plugin/schedule/flow.h"
#include "plugin/schedule/flow_sync.h"
#include "plugin/schedule/order.h"
#include "plugin/schedule/overlap.h"
#include "plugin/schedule/plan.h"
#include "test/cmocka.h"
#include "test/schedule/make_flow.h"
#include "test/schedule/model.h"

#include <stdlib.h>
#include <string.h>

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

static void choose_kinds(struct region *region) {
    unsigned one_in = 1 + random_below(4), engines = 1 + random_below(4);
    bool blocking = random_below(2) != 0;
    for (unsigned i = 0; i < region->op_count; i++) {
        region->blocks[i] = blocking && random_below(one_in) == 0;
        region->engine[i] = (enum kesco_engine)random_below(engines);
    }
}

static void make_region(struct region *region) {
    memset(region, 0, sizeof *region);
    region->op_count = 2 + random_below(MOST_OPS - 1);
    region->first[0] = true;
    for (unsigned i = 0; i < region->op_count; i++) {
        if (i + 1 < region->op_count && random_below(5) != 0)
            region->next[i] |= 1u << (i + 1);
        if (random_below(2) == 0)
            region->next[i] |= 1u << random_below(region->op_count);
        if (random_below(8) == 0)
            region->first[i] = true;
        for (unsigned object = 0; object < OBJECTS; object++) {
            unsigned choice = random_below(6);
            region->reads[i] |= (unsigned)(choice < 2) << object;
            region->writes[i] |= (unsigned)(choice == 2) << object;
        }
    }
    choose_kinds(region);
}

/* Makes tasks of the region: each op touches one object only and has that one's priority. */
static void make_tasks(struct region *region) {
    unsigned first = random_below(3);
    for (unsigned i = 0; i < region->op_count; i++) {
        unsigned object = random_below(OBJECTS);
        region->reads[i] &= 1u << object;
        region->writes[i] &= 1u << object;
        region->priority[i] = (int)((first + object) % OBJECTS);
    }
}

/* The plan's level of each op: how many distinct priorities of zones are below its zone's. */
static void find_levels(const struct region *region, const struct kesco_plan *plan,
                        unsigned level[MOST_OPS]) {
    int priority[MOST_OPS];
    for (unsigned i = 0; i < region->op_count; i++) {
        priority[i] = region->priority[i];
        for (unsigned j = 0; j < region->op_count; j++)
            if (plan->zone[i] == plan->zone[j] && region->priority[j] > priority[i])
                priority[i] = region->priority[j];
    }
    for (unsigned i = 0; i < region->op_count; i++) {
        unsigned below = 0; /* set of priorities, which are small */
        for (unsigned j = 0; j < region->op_count; j++)
            if (priority[j] < priority[i])
                below |= 1u << priority[j];
        level[i] = (unsigned)__builtin_popcount(below);
    }
}

/* True if a run of an op may come behind one of a lower level on its lane. */
static bool waits_for_lower(const struct region *region, const struct kesco_graph *graph,
                            const struct kesco_plan *plan) {
    unsigned level[MOST_OPS];
    find_levels(region, plan, level);
    for (unsigned low = 0; low < region->op_count; low++)
        for (unsigned high = 0; high < region->op_count; high++)
            if (level[low] < level[high] && plan->lane[low] == plan->lane[high] &&
                kesco_flow_in_flight(graph->flow, low, high))
                return true;
    return false;
}

/* What the walks from outside on say of two ops at once. */
struct verdict {
    bool overlap;           /* some two could */
    bool in_vain[MOST_OPS]; /* by op: it blocks, but whatever is in flight it comes behind anyway */
    unsigned
        at_once[MOST_OPS]; /* by op: the set of those of which a run could be in flight beside one of it */
};

/* Plays the op with a lane of its own and all waits; adds to the verdict what shows. */
static void judge(struct walk *w, uint32_t op, struct verdict *verdict) {
    const struct region *region = w->region;
    uint32_t before = w->host;

    for (unsigned i = 0; i < w->length; i++)
        if (w->runs[i].op == op || conflict(region, w->runs[i].op, op))
            before |= w->runs[i].before | 1u << i;
    for (unsigned i = 0; i < w->length; i++) {
        if (before >> i & 1)
            continue;
        verdict->in_vain[op] = false;
        verdict->at_once[op] |= 1u << w->runs[i].op;
        verdict->at_once[w->runs[i].op] |= 1u << op;
        verdict->overlap |= model_engines_share(region->engine[w->runs[i].op], region->engine[op]);
    }
    w->runs[w->length] = (struct run){.op = op, .before = before};
    if (region->blocks[op])
        w->host |= before | 1u << w->length;
    w->length++;
}

static void judge_from(const struct walk *so_far, uint32_t op, struct verdict *verdict) {
    struct walk w = *so_far;

    judge(&w, op, verdict);
    for (unsigned to = 0; to < w.region->op_count && w.length < WALK; to++)
        if (w.region->next[op] >> to & 1)
            judge_from(&w, to, verdict);
}

static struct verdict judge_all(const struct region *region) {
    struct verdict verdict = {0};
    struct walk w = {.region = region};

    for (unsigned i = 0; i < region->op_count; i++)
        verdict.in_vain[i] = region->blocks[i];
    for (unsigned i = 0; i < region->op_count; i++)
        if (region->first[i])
            judge_from(&w, i, &verdict);
    return verdict;
}

/* Places that no walk reaches say nothing about waits. */
static bool all_reachable(const struct region *region) {
    unsigned reached = 0;

    for (unsigned i = 0; i < region->op_count; i++)
        reached |= (unsigned)region->first[i] << i;
    for (unsigned round = 0; round < region->op_count; round++)
        for (unsigned i = 0; i < region->op_count; i++)
            if (reached >> i & 1)
                reached |= region->next[i];
    return reached == (1u << region->op_count) - 1;
}

/* Makes the region of that number. False: some of its ops are never reached, and it is to be left out. */
static bool make_random(struct region *region, uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15u;
    make_region(region);
    return all_reachable(region);
}

static void random_flows_are_ordered_by_waits_that_are_needed(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    unsigned tried = 0, waits = 0, several = 0, unneeded = 0;

    (void)state;
    for (; seed < end; seed++) {
        struct region region;
        if (!make_random(&region, seed))
            continue;
        struct kesco_graph *graph = graph_of(&region);
        struct kesco_plan *plan = plan_of(graph, 1 + random_below(MOST_OPS));
        tried++;
        several += plan->lane_count > 1;
        waits += (unsigned)plan->sync.wait_count;
        if (!ordered(&region, plan, NULL))
            fail_msg("seed %llu: not ordered", (unsigned long long)seed);
        for (size_t i = 0; i < plan->sync.wait_count; i++)
            unneeded += ordered(&region, plan, &plan->sync.waits[i]);
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
    assert_true(several > tried / 3);
    /* The analysis forgets how ways came about when they meet; few waits are needed only on ways that
     * cannot be taken. */
    assert_true(unneeded <= waits / 500);
}

static void random_flows_of_tasks_keep_levels_apart(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    unsigned several = 0, shared = 0, tried = 0;

    (void)state;
    for (; seed < end; seed++) {
        struct region region;
        bool overlap;
        if (!make_random(&region, seed))
            continue;
        make_tasks(&region);
        struct kesco_graph *graph = graph_of(&region);
        uint32_t max_lanes = 1 + random_below(MOST_OPS);
        struct kesco_plan *plan = plan_of(graph, max_lanes);
        assert_int_equal(kesco_overlap_exists(graph, &overlap), 0);
        tried++;
        several += plan->level_count > 1;
        if (!ordered(&region, plan, NULL))
            fail_msg("seed %llu: not ordered", (unsigned long long)seed);
        for (size_t i = 0; i < plan->sync.wait_count; i++)
            assert_int_equal(plan->zone[plan->sync.waits[i].op], plan->zone[plan->sync.waits[i].on]);
        if (overlap && waits_for_lower(&region, graph, plan)) {
            shared++;
            if (max_lanes >= plan->level_count)
                fail_msg("seed %llu: an op is behind one of a lower level", (unsigned long long)seed);
        }
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
    assert_true(several > tried / 3 && shared > 0);
}

/* What is said to be without overlap, or to block in vain, is so on all walks; seldom is more so than is
 * said.
 */
static void random_flows_overlap_as_their_walks_do(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    unsigned without = 0, in_vain = 0, missed = 0;

    (void)state;
    for (; seed < end; seed++) {
        struct region region;
        bool overlap, useless[MOST_OPS];
        if (!make_random(&region, seed))
            continue;
        struct kesco_graph *graph = graph_of(&region);
        struct verdict verdict = judge_all(&region);
        assert_int_equal(kesco_overlap_exists(graph, &overlap), 0);
        assert_int_equal(kesco_overlap_find_useless_blocks(graph, useless), 0);
        if (verdict.overlap && !overlap)
            fail_msg("seed %llu: an overlap is missed", (unsigned long long)seed);
        without += !overlap;
        missed += overlap && !verdict.overlap;
        for (unsigned i = 0; i < region.op_count; i++) {
            if (useless[i] && !verdict.in_vain[i])
                fail_msg("seed %llu: op %u does not block in vain", (unsigned long long)seed, i);
            in_vain += useless[i];
            missed += verdict.in_vain[i] && !useless[i];
        }
        kesco_graph_destroy(graph);
    }
    assert_true(missed <= (without + in_vain) / 100);
}

/* True if on all walks each run of the op comes before or behind each run of all that is on the lane before
 * it. */
static bool lane_is_free(const struct kesco_plan *plan, const struct verdict *verdict, uint32_t lane,
                         uint32_t op) {
    for (uint32_t i = 0; i < plan->order[op]; i++)
        if (plan->lane[plan->sequence[i]] == lane && (verdict->at_once[op] >> plan->sequence[i] & 1))
            return false;
    return true;
}

/* No op opens a lane while there is one where it would hold up nothing, nor be held up; seldom that is not
 * seen. */
static void random_flows_take_no_lane_too_many(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    unsigned lanes = 0, needless = 0;

    (void)state;
    for (; seed < end; seed++) {
        struct region region;
        if (!make_random(&region, seed))
            continue;
        struct kesco_graph *graph = graph_of(&region);
        struct kesco_plan *plan = plan_of(graph, 0);
        struct verdict verdict = judge_all(&region);
        uint32_t opened = 1;
        for (uint32_t i = 1; i < plan->op_count; i++) {
            uint32_t op = plan->sequence[i];
            if (plan->lane[op] < opened)
                continue;
            bool free = false;
            for (uint32_t lane = 0; lane < opened; lane++)
                free |= lane_is_free(plan, &verdict, lane, op);
            needless += free;
            opened++;
        }
        lanes += plan->lane_count;
        kesco_plan_destroy(plan);
        kesco_graph_destroy(graph);
    }
    assert_true(needless <= lanes / 1000);
}

/* What overlap.h tells of a graph. */
struct overlap {
    bool exists;
    bool useless[MODEL_OPS];
};

static struct overlap overlap_of(const struct kesco_graph *graph) {
    struct overlap overlap = {0};
    assert_int_equal(kesco_overlap_exists(graph, &overlap.exists), 0);
    assert_int_equal(kesco_overlap_find_useless_blocks(graph, overlap.useless), 0);
    return overlap;
}

/* A flow that is a straight line needs the very waits that a straight line does, and overlaps as it does. */
static void straight_flows_agree_with_straight_lines(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct model model;
        struct kesco_flow *flow;
        struct kesco_sync straight, along;
        uint32_t sequence[MODEL_OPS], lane[MODEL_OPS], level[MODEL_OPS] = {0}, lanes;

        model_random(&model, seed, 24);
        if (model.op_count == 0)
            continue;
        struct kesco_graph *graph = model_graph(&model);
        assert_int_equal(kesco_graph_build_edges(graph), 0);
        const struct kesco_distribution how = {
            .sequence = sequence, .level_count = 1, .max_lanes = model.max_lanes ? model.max_lanes : 32};
        if (model.reorder)
            assert_int_equal(kesco_order_create(graph, KESCO_POLICY_FEWEST_PREDECESSORS, level, sequence), 0);
        else
            kesco_order_keep(graph, sequence);
        assert_int_equal(kesco_distribute(graph, &how, lane, &lanes), 0);
        assert_int_equal(kesco_sync_create(graph, sequence, lane, lanes, &straight), 0);
        struct overlap in_line = overlap_of(graph);
        assert_int_equal(kesco_flow_create(model.op_count, &flow), 0);
        for (uint32_t i = 0; i + 1 < model.op_count; i++)
            kesco_flow_add_next(flow, i, i + 1);
        kesco_flow_close(flow);
        assert_int_equal(kesco_graph_set_flow(graph, flow), 0);
        assert_int_equal(kesco_graph_build_edges(graph), 0);
        assert_int_equal(graph->derived.carried.count, 0);
        assert_int_equal(kesco_flow_sync_create(graph, sequence, lane, lanes, &along), 0);
        assert_int_equal(straight.wait_count, along.wait_count);
        assert_memory_equal(straight.waits, along.waits, straight.wait_count * sizeof(*straight.waits));
        struct overlap in_flow = overlap_of(graph);
        assert_memory_equal(&in_line, &in_flow, sizeof(in_line));
        assert_int_equal(straight.record_count, along.record_count);
        free(straight.waits);
        free(straight.records);
        free(along.waits);
        free(along.records);
        kesco_graph_destroy(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_flows_are_ordered_by_waits_that_are_needed),
        cmocka_unit_test(random_flows_of_tasks_keep_levels_apart),
        cmocka_unit_test(random_flows_overlap_as_their_walks_do),
        cmocka_unit_test(random_flows_take_no_lane_too_many),
        cmocka_unit_test(straight_flows_agree_with_straight_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
