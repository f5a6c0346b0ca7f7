#include "plugin/schedule/flow_sync.h"

#include "plugin/schedule/bits.h"
#include "plugin/schedule/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A state is what is known at one point: a set of ops for each lane, and one for each op that has an event,
 * the ops that its latest record covers. With nothing in flight all sets hold every op.
 */
struct solver {
    const struct kesco_graph *graph;
    const uint32_t *sequence; /* op at each place */
    const uint32_t *lane;     /* by op */
    uint32_t lane_count;      /* lanes */
    uint32_t op_count;        /* ops, and places */
    size_t words;             /* machine words in a set of ops */
    size_t state_words;       /* machine words in a state */
    uint64_t *needed;         /* by op: the ops on other lanes that it depends on */
    uint64_t *waits;          /* by op: the ops that it waits for */
    uint64_t *after;          /* by place: the state after it */
    uint64_t *now;            /* the state that is being computed */
    uint64_t *way;            /* the part of it from one way */
};

static uint64_t *lane_set(const struct solver *s, uint64_t *state, uint32_t lane) {
    return state + (size_t)lane * s->words;
}

static uint64_t *event_set(const struct solver *s, uint64_t *state, uint32_t op) {
    return state + (size_t)(s->lane_count + op) * s->words;
}

static void add_needed(struct solver *s, const struct kesco_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (s->lane[edges[i].from] != s->lane[edges[i].to])
            kesco_bits_add(s->needed + edges[i].to * s->words, edges[i].from);
}

static void wait_for(const struct solver *s, uint32_t op, uint64_t *state) {
    uint64_t *knows = lane_set(s, state, s->lane[op]);
    for (uint32_t on = 0; on < s->op_count; on++)
        if (kesco_bits_has(s->waits + op * s->words, on))
            kesco_bits_unite(knows, event_set(s, state, on), s->words);
}

/*
 * The state in front of a place, after its waits if `waited`: what is known on all ways there. What waits
 * tell is found for each way by itself, because together they may tell what none of them tells on all ways.
 */
static void meet(struct solver *s, uint32_t place, bool waited) {
    const struct kesco_flow *flow = s->graph->flow;
    memset(s->now, 0xff, s->state_words * sizeof(*s->now));
    for (uint32_t before = 0; before < s->op_count; before++) {
        if (!kesco_bits_has(flow->next + before * flow->words, place))
            continue;
        memcpy(s->way, s->after + before * s->state_words, s->state_words * sizeof(*s->way));
        if (waited)
            wait_for(s, s->sequence[place], s->way);
        kesco_bits_intersect(s->now, s->way, s->state_words);
    }
}

/*
 * A new run of the op is in flight, known to its lane and to its own event alone. After one that blocks, the
 * host knows what its lane knows, and so does every lane.
 */
static void issue(struct solver *s, uint32_t op) {
    for (size_t set = 0; set < s->lane_count + s->op_count; set++)
        kesco_bits_remove(s->now + set * s->words, op);
    uint64_t *knows = lane_set(s, s->now, s->lane[op]);
    kesco_bits_add(knows, op);
    memcpy(event_set(s, s->now, op), knows, s->words * sizeof(*knows));
    if (s->graph->ops[op].blocks)
        for (uint32_t lane = 0; lane < s->lane_count; lane++)
            kesco_bits_unite(lane_set(s, s->now, lane), knows, s->words);
}

/* Finds the states after all places: the greatest solution, reached from above. */
static void solve(struct solver *s) {
    memset(s->after, 0xff, s->op_count * s->state_words * sizeof(*s->after));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t place = 0; place < s->op_count; place++) {
            meet(s, place, true);
            issue(s, s->sequence[place]);
            changed |= kesco_bits_intersect(s->after + place * s->state_words, s->now, s->state_words);
        }
    }
}

/* True if in a solved state every op finds known what it depends on. */
static bool holds(struct solver *s) {
    for (uint32_t place = 0; place < s->op_count; place++) {
        uint32_t op = s->sequence[place];
        meet(s, place, true);
        const uint64_t *knows = lane_set(s, s->now, s->lane[op]);
        for (size_t i = 0; i < s->words; i++)
            if (s->needed[op * s->words + i] & ~knows[i])
                return false;
    }
    return true;
}

static bool covered_by_another(struct solver *s, uint32_t op, uint32_t on) {
    for (uint32_t other = 0; other < s->op_count; other++)
        if (other != on && kesco_bits_has(s->needed + op * s->words, other) &&
            kesco_bits_has(event_set(s, s->now, other), on))
            return true;
    return false;
}

/* Leaves out, all at once, the waits that are implied where every op waits for all that it depends on. */
static void leave_out_implied(struct solver *s) {
    for (uint32_t place = 0; place < s->op_count; place++) {
        uint32_t op = s->sequence[place];
        meet(s, place, false);
        const uint64_t *knows = lane_set(s, s->now, s->lane[op]);
        for (uint32_t on = 0; on < s->op_count; on++)
            if (kesco_bits_has(s->needed + op * s->words, on) &&
                (kesco_bits_has(knows, on) || covered_by_another(s, op, on)))
                kesco_bits_remove(s->waits + op * s->words, on);
    }
}

static size_t count_waits(const struct solver *s) {
    size_t waits = 0;
    for (size_t i = 0; i < s->op_count * s->words; i++)
        waits += (size_t)__builtin_popcountll(s->waits[i]);
    return waits;
}

/* Leaves out one wait after the other, as long as all that is needed holds. */
static void leave_out_singly(struct solver *s) {
    for (uint32_t op = 0; op < s->op_count; op++)
        for (uint32_t on = 0; on < s->op_count; on++) {
            if (!kesco_bits_has(s->waits + op * s->words, on))
                continue;
            kesco_bits_remove(s->waits + op * s->words, on);
            solve(s);
            if (!holds(s))
                kesco_bits_add(s->waits + op * s->words, on);
        }
}

static void find_waits(struct solver *s) {
    size_t bytes = s->op_count * s->words * sizeof(*s->waits);
    memcpy(s->waits, s->needed, bytes);
    solve(s);
    leave_out_implied(s);
    solve(s);
    /* Round a loop, two waits may each have been implied by the other alone. */
    if (!holds(s))
        memcpy(s->waits, s->needed, bytes);
    /* What several waits imply only together. */
    if (count_waits(s) * s->op_count * s->state_words <= KESCO_FLOW_SYNC_WORK)
        leave_out_singly(s);
}

static int store(const struct solver *s, struct kesco_sync *sync) {
    sync->waits = calloc(count_waits(s) + 1, sizeof(*sync->waits));
    if (!sync->waits)
        return -ENOMEM;
    for (uint32_t place = 0; place < s->op_count; place++)
        for (uint32_t on = 0; on < s->op_count; on++)
            if (kesco_bits_has(s->waits + s->sequence[place] * s->words, on))
                sync->waits[sync->wait_count++] = (struct kesco_wait){.op = s->sequence[place], .on = on};
    return kesco_sync_find_records(s->op_count, sync);
}

int kesco_flow_sync_create(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                           uint32_t lane_count, struct kesco_sync *sync) {
    struct solver s = {
        .graph = graph,
        .sequence = sequence,
        .lane = lane,
        .lane_count = lane_count,
        .op_count = graph->op_count,
        .words = kesco_bits_words(graph->op_count),
    };
    s.state_words = (lane_count + graph->op_count) * s.words;
    s.needed = calloc(s.op_count * s.words + 1, sizeof(*s.needed));
    s.waits = calloc(s.op_count * s.words + 1, sizeof(*s.waits));
    s.after = calloc(s.op_count * s.state_words + 1, sizeof(*s.after));
    s.now = calloc(s.state_words + 1, sizeof(*s.now));
    s.way = calloc(s.state_words + 1, sizeof(*s.way));
    *sync = (struct kesco_sync){0};
    int err = -ENOMEM;
    if (s.needed && s.waits && s.after && s.now && s.way) {
        add_needed(&s, graph->derived.edges.items, graph->derived.edges.count);
        add_needed(&s, graph->derived.carried.items, graph->derived.carried.count);
        find_waits(&s);
        err = store(&s, sync);
    }
    if (err) {
        free(sync->waits);
        free(sync->records);
    }
    free(s.needed);
    free(s.waits);
    free(s.after);
    free(s.now);
    free(s.way);
    return err;
}
