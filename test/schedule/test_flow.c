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
#include "test/schedule/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 6, OBJECTS = 3, WALK = 11, DEFAULT_CASES = 20000 };

struct region {
    unsigned op_count;
    unsigned next[MOST_OPS];   /* set of places */
    unsigned reads[MOST_OPS];  /* set of objects */
    unsigned writes[MOST_OPS]; /* set of objects */
    bool blocks[MOST_OPS];
    enum kesco_engine engine[MOST_OPS];
    int priority[MOST_OPS];
    bool first[MOST_OPS]; /* control may come here from outside */
};

/* One run of one op. */
struct run {
    uint32_t op;
    uint32_t before; /* set of the runs that end before this one starts */
};

struct walk {
    const struct region *region;
    const struct kesco_plan *plan;
    const struct kesco_wait *without; /* a wait that is not made; NULL for none */
    struct run runs[WALK];
    unsigned length;
    uint32_t known[MOST_OPS];    /* by lane: runs that end before its next op */
    uint32_t recorded[MOST_OPS]; /* by op: runs that its event's latest record covers */
    uint32_t host;               /* runs that end before the host goes on */
};

static uint64_t random_state;

static unsigned random_below(unsigned limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

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

static bool conflict(const struct region *region, uint32_t a, uint32_t b) {
    return (region->writes[a] & (region->reads[b] | region->writes[b])) != 0 ||
           (region->writes[b] & region->reads[a]) != 0;
}

static struct kesco_graph *graph_of(const struct region *region) {
    struct kesco_graph *graph = kesco_graph_create();
    struct kesco_flow *flow;
    uint32_t id;

    assert_non_null(graph);
    for (unsigned object = 0; object < OBJECTS; object++)
        assert_int_equal(kesco_graph_add_object(graph, "object", &id), 0);
    assert_int_equal(kesco_flow_create(region->op_count, &flow), 0);
    for (unsigned i = 0; i < region->op_count; i++) {
        struct kesco_op op = {.name = "op", .cost = 1, .segment = i};
        op.priority = region->priority[i];
        op.blocks = region->blocks[i];
        op.engine = region->engine[i];
        assert_int_equal(kesco_graph_add_op(graph, &op, &id), 0);
        for (unsigned object = 0; object < OBJECTS; object++) {
            if (region->reads[i] >> object & 1)
                assert_int_equal(kesco_graph_add_access(graph, i, object, KESCO_READ), 0);
            if (region->writes[i] >> object & 1)
                assert_int_equal(kesco_graph_add_access(graph, i, object, KESCO_WRITE), 0);
        }
        for (unsigned to = 0; to < region->op_count; to++)
            if (region->next[i] >> to & 1)
                kesco_flow_add_next(flow, i, to);
    }
    kesco_flow_close(flow);
    assert_int_equal(kesco_graph_set_flow(graph, flow), 0);
    assert_int_equal(kesco_graph_build_edges(graph), 0);
    return graph;
}

/* Plays the op as the last run of the walk; false if it does not come after one that it conflicts with. */
static bool play(struct walk *w, uint32_t op) {
    uint32_t lane = w->plan->lane[op];

    w->known[lane] |= w->host;
    for (size_t i = 0; i < w->plan->wait_count; i++)
        if (w->plan->waits[i].op == op && &w->plan->waits[i] != w->without)
            w->known[lane] |= w->recorded[w->plan->waits[i].on];
    w->runs[w->length] = (struct run){.op = op, .before = w->known[lane]};
    for (unsigned i = 0; i < w->length; i++)
        if (conflict(w->region, w->runs[i].op, op) && !(w->known[lane] >> i & 1))
            return false;
    w->known[lane] |= 1u << w->length;
    w->recorded[op] = w->known[lane];
    if (w->region->blocks[op])
        w->host |= w->known[lane];
    w->length++;
    return true;
}

/* True if on all walks from here on all that conflicts is ordered. */
static bool ordered_from(const struct walk *so_far, uint32_t op) {
    struct walk w = *so_far;

    if (!play(&w, op))
        return false;
    if (w.length == WALK)
        return true;
    for (unsigned to = 0; to < w.region->op_count; to++)
        if ((w.region->next[op] >> to & 1) && !ordered_from(&w, to))
            return false;
    return true;
}

static bool ordered(const struct region *region, const struct kesco_plan *plan,
                    const struct kesco_wait *without) {
    struct walk w = {.region = region, .plan = plan, .without = without};

    for (unsigned i = 0; i < region->op_count; i++)
        if (region->first[i] && !ordered_from(&w, i))
            return false;
    return true;
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

static struct kesco_plan *plan_of(const struct kesco_graph *graph, uint32_t max_lanes) {
    struct kesco_plan_options options = {.max_lanes = max_lanes, .reorder = true};
    struct kesco_plan *plan;

    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}

static void random_flows_are_ordered_by_waits_that_are_needed(void **state) {
    uint64_t seed = from_environment("KESCO_TEST_SEED", 1);
    uint64_t end = seed + from_environment("KESCO_TEST_CASES", DEFAULT_CASES);
    unsigned tried = 0, waits = 0, several = 0, unneeded = 0;

    (void)state;
    for (; seed < end; seed++) {
        struct region region;
        random_state = seed * 0x9e3779b97f4a7c15u;
        make_region(&region);
        if (!all_reachable(&region))
            continue;
        struct kesco_graph *graph = graph_of(&region);
        struct kesco_plan *plan = plan_of(graph, 1 + random_below(MOST_OPS));
        tried++;
        several += plan->lane_count > 1;
        waits += (unsigned)plan->wait_count;
        if (!ordered(&region, plan, NULL))
            fail_msg("seed %llu: not ordered", (unsigned long long)seed);
        for (size_t i = 0; i < plan->wait_count; i++)
            unneeded += ordered(&region, plan, &plan->waits[i]);
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
        random_state = seed * 0x9e3779b97f4a7c15u;
        make_region(&region);
        make_tasks(&region);
        if (!all_reachable(&region))
            continue;
        struct kesco_graph *graph = graph_of(&region);
        uint32_t max_lanes = 1 + random_below(MOST_OPS);
        struct kesco_plan *plan = plan_of(graph, max_lanes);
        assert_int_equal(kesco_overlap_exists(graph, &overlap), 0);
        tried++;
        several += plan->level_count > 1;
        if (!ordered(&region, plan, NULL))
            fail_msg("seed %llu: not ordered", (unsigned long long)seed);
        for (size_t i = 0; i < plan->wait_count; i++)
            assert_int_equal(plan->zone[plan->waits[i].op], plan->zone[plan->waits[i].on]);
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
        random_state = seed * 0x9e3779b97f4a7c15u;
        make_region(&region);
        if (!all_reachable(&region))
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
        random_state = seed * 0x9e3779b97f4a7c15u;
        make_region(&region);
        if (!all_reachable(&region))
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
        assert_int_equal(plan->wait_count, 0);
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
    for (size_t i = 0; i < plan->wait_count; i++)
        assert_int_equal(plan->waits[i].op, 0);
    assert_int_equal(plan->wait_count, 1);
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
    assert_int_equal(plan->wait_count, 2);
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
    assert_int_equal(plan->wait_count, 0);
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
    assert_int_equal(plan->wait_count, 2);
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
    assert_int_equal(plan->wait_count, 1);
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
    assert_true(plan->lane_count > 1 && plan->wait_count > 0);
    kesco_plan_destroy(plan);
    kesco_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_flows_are_ordered_by_waits_that_are_needed),
        cmocka_unit_test(random_flows_of_tasks_keep_levels_apart),
        cmocka_unit_test(random_flows_overlap_as_their_walks_do),
        cmocka_unit_test(random_flows_take_no_lane_too_many),
        cmocka_unit_test(straight_flows_agree_with_straight_lines),
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
