/* Regions with a flow, and their plans. */
#ifndef KESCO_TEST_SCHEDULE_MAKE_FLOW_H
#define KESCO_TEST_SCHEDULE_MAKE_FLOW_H

#include "plugin/schedule/flow.h"
#include "plugin/schedule/plan.h"
#include "test/cmocka.h"
#include "test/schedule/model.h"

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

static inline unsigned random_below(unsigned limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

static inline bool conflict(const struct region *region, uint32_t a, uint32_t b) {
    return (region->writes[a] & (region->reads[b] | region->writes[b])) != 0 ||
           (region->writes[b] & region->reads[a]) != 0;
}

static inline struct kesco_graph *graph_of(const struct region *region) {
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
static inline bool play(struct walk *w, uint32_t op) {
    uint32_t lane = w->plan->lane[op];

    w->known[lane] |= w->host;
    for (size_t i = 0; i < w->plan->sync.wait_count; i++)
        if (w->plan->sync.waits[i].op == op && &w->plan->sync.waits[i] != w->without)
            w->known[lane] |= w->recorded[w->plan->sync.waits[i].on];
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
static inline bool ordered_from(const struct walk *so_far, uint32_t op) {
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

static inline bool ordered(const struct region *region, const struct kesco_plan *plan,
                           const struct kesco_wait *without) {
    struct walk w = {.region = region, .plan = plan, .without = without};

    for (unsigned i = 0; i < region->op_count; i++)
        if (region->first[i] && !ordered_from(&w, i))
            return false;
    return true;
}

static inline struct kesco_plan *plan_of(const struct kesco_graph *graph, uint32_t max_lanes) {
    struct kesco_plan_options options = {.max_lanes = max_lanes, .reorder = true};
    struct kesco_plan *plan;

    assert_int_equal(kesco_plan_create(graph, &options, &plan), 0);
    return plan;
}

#endif
