#include "plugin/schedule/flow_past.h"

#include "plugin/schedule/bits.h"
#include "plugin/schedule/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A state is what is known at one point: for each op the ops that its latest run comes after, itself
 * included, and after these sets the one of what the host has waited for. With nothing in flight all sets
 * hold every op.
 */
struct solver {
    const struct kesco_graph *graph;
    uint32_t op_count;  /* ops, and places */
    size_t words;       /* machine words in a set of ops */
    size_t state_words; /* machine words in a state */
    uint64_t *needed;   /* by op: the ops that it depends on, and itself */
    uint64_t *after;    /* by place: the state after it */
    uint64_t *now;      /* the state that is being computed */
    uint64_t *past;     /* by op: the answer */
};

static uint64_t *set_of(const struct solver *s, uint64_t *state, uint32_t op) {
    return state + (size_t)op * s->words;
}

static uint64_t *host_set(const struct solver *s, uint64_t *state) {
    return set_of(s, state, s->op_count);
}

static void find_needed(struct solver *s) {
    const struct kesco_graph *graph = s->graph;
    for (uint32_t op = 0; op < s->op_count; op++)
        kesco_bits_add(set_of(s, s->needed, op), op);
    for (size_t i = 0; i < graph->derived.edges.count; i++)
        kesco_bits_add(set_of(s, s->needed, graph->derived.edges.items[i].to),
                       graph->derived.edges.items[i].from);
    for (size_t i = 0; i < graph->derived.carried.count; i++)
        kesco_bits_add(set_of(s, s->needed, graph->derived.carried.items[i].to),
                       graph->derived.carried.items[i].from);
}

/* Adds to `past` what comes before `op` in the given state. */
static void look_back(const struct solver *s, uint64_t *state, uint32_t op, uint64_t *past) {
    kesco_bits_unite(past, host_set(s, state), s->words);
    for (uint32_t on = 0; on < s->op_count; on++)
        if (kesco_bits_has(set_of(s, s->needed, op), on))
            kesco_bits_unite(past, set_of(s, state, on), s->words);
}

/* The state in front of a place and the past of its op: what holds on all ways there. */
static void meet(struct solver *s, uint32_t place, uint64_t *past, uint64_t *way) {
    const struct kesco_flow *flow = s->graph->flow;
    memset(s->now, 0xff, s->state_words * sizeof(*s->now));
    memset(past, 0xff, s->words * sizeof(*past));
    for (uint32_t before = 0; before < s->op_count; before++) {
        if (!kesco_bits_has(flow->next + before * flow->words, place))
            continue;
        uint64_t *state = s->after + before * s->state_words;
        memset(way, 0, s->words * sizeof(*way));
        look_back(s, state, place, way);
        kesco_bits_intersect(past, way, s->words);
        kesco_bits_intersect(s->now, state, s->state_words);
    }
}

/* A new run of the op is in flight, which comes after `past`. */
static void issue(struct solver *s, uint32_t op, const uint64_t *past) {
    for (uint32_t set = 0; set <= s->op_count; set++)
        kesco_bits_remove(set_of(s, s->now, set), op);
    uint64_t *own = set_of(s, s->now, op);
    memcpy(own, past, s->words * sizeof(*own));
    kesco_bits_add(own, op);
    if (s->graph->ops[op].blocks)
        kesco_bits_unite(host_set(s, s->now), own, s->words);
}

/* Finds the greatest solution, from above. */
static void solve(struct solver *s, uint64_t *way) {
    memset(s->after, 0xff, s->op_count * s->state_words * sizeof(*s->after));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t op = 0; op < s->op_count; op++) {
            uint64_t *past = set_of(s, s->past, op);
            meet(s, op, past, way);
            issue(s, op, past);
            changed |= kesco_bits_intersect(s->after + op * s->state_words, s->now, s->state_words);
        }
    }
}

int kesco_flow_past(const struct kesco_graph *graph, uint64_t *past) {
    struct solver s = {.graph = graph, .op_count = graph->op_count, .past = past};
    s.words = kesco_bits_words(graph->op_count);
    s.state_words = ((size_t)graph->op_count + 1) * s.words;
    s.needed = calloc(s.op_count * s.words + 1, sizeof(*s.needed));
    s.after = calloc(s.op_count * s.state_words + 1, sizeof(*s.after));
    s.now = calloc(s.state_words + 1, sizeof(*s.now));
    uint64_t *way = calloc(s.words + 1, sizeof(*way));
    int err = -ENOMEM;
    if (s.needed && s.after && s.now && way) {
        find_needed(&s);
        solve(&s, way);
        err = 0;
    }
    free(s.needed);
    free(s.after);
    free(s.now);
    free(way);
    return err;
}
