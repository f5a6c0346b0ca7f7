#include "plugin/schedule/cut.h"

#include "plugin/schedule/bits.h"
#include "plugin/schedule/flow_past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = UINT32_MAX };

/* A straight line by place in the issue order; the counts are differences from place to place until summed
 * up. */
struct line {
    const struct kesco_graph *graph;
    const uint32_t *sequence;   /* op at each place */
    uint32_t *place;            /* by op */
    uint32_t *before;           /* by place: the place of the op before on its lane; NOWHERE: none */
    uint32_t *first_successor;  /* by place: the earliest; NOWHERE: none */
    uint32_t *last_predecessor; /* by place: the latest; NOWHERE: none */
    uint32_t *ends;             /* by place: ops before it without a successor before it */
    uint32_t *starts;           /* by place: ops from it on without a predecessor from it on */
    uint32_t *pairs; /* by place: pairs of such an end and such a start that are ordered directly */
    uint32_t *waits; /* by place: waits of ops from it on for ops before it */
};

static void free_line(struct line *line) {
    free(line->place);
    free(line->before);
    free(line->first_successor);
    free(line->last_predecessor);
    free(line->ends);
    free(line->starts);
    free(line->pairs);
    free(line->waits);
}

static bool allocate_line(struct line *line, size_t ops) {
    uint32_t **const arrays[] = {
        &line->place,  &line->before, &line->first_successor, &line->last_predecessor,
        &line->starts, &line->ends,   &line->pairs,           &line->waits};
    bool done = true;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
        *arrays[i] = calloc(ops + 2, sizeof(**arrays[i]));
        done &= *arrays[i] != NULL;
    }
    return done;
}

/* Finds what comes before each op on its lane. */
static int find_before(struct line *line, const uint32_t *lane) {
    uint32_t ops = line->graph->op_count;
    uint32_t *tail = malloc(((size_t)ops + 1) * sizeof(*tail));
    if (!tail)
        return -ENOMEM;
    memset(tail, 0xff, ((size_t)ops + 1) * sizeof(*tail));
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t *last = &tail[lane[line->sequence[i]]];
        line->before[i] = *last;
        *last = i;
    }
    free(tail);
    return 0;
}

/* Calls `see` once for each place that directly precedes place `to`. */
static void each_predecessor(struct line *line, uint32_t to, void (*see)(struct line *, uint32_t, uint32_t)) {
    size_t count;
    const uint32_t *ops = kesco_graph_predecessors(line->graph, line->sequence[to], &count);
    bool seen = line->before[to] == NOWHERE;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = line->place[ops[i]];
        seen |= from == line->before[to];
        see(line, from, to);
    }
    if (!seen)
        see(line, line->before[to], to);
}

static void widen(struct line *line, uint32_t from, uint32_t to) {
    if (line->first_successor[from] > to)
        line->first_successor[from] = to;
    if (line->last_predecessor[to] == NOWHERE || line->last_predecessor[to] < from)
        line->last_predecessor[to] = from;
}

/* The pair counts where `from` is an end and `to` a start. */
static void count_pair(struct line *line, uint32_t from, uint32_t to) {
    if (line->last_predecessor[to] < line->first_successor[from]) {
        line->pairs[line->last_predecessor[to] + 1]++;
        line->pairs[line->first_successor[from] + 1]--;
    }
}

static void count(struct line *line, const struct kesco_sync *sync) {
    uint32_t ops = line->graph->op_count;
    for (uint32_t i = 0; i < ops; i++) {
        each_predecessor(line, i, count_pair);
        line->ends[i + 1]++;
        if (line->first_successor[i] != NOWHERE)
            line->ends[line->first_successor[i] + 1]--;
        if (line->last_predecessor[i] == NOWHERE)
            line->starts[0]++;
        else
            line->starts[line->last_predecessor[i] + 1]++;
        line->starts[i + 1]--;
    }
    for (size_t i = 0; i < sync->wait_count; i++) {
        line->waits[line->place[sync->waits[i].on] + 1]++;
        line->waits[line->place[sync->waits[i].op] + 1]--;
    }
    for (uint32_t i = 1; i <= ops; i++) {
        line->ends[i] += line->ends[i - 1];
        line->starts[i] += line->starts[i - 1];
        line->pairs[i] += line->pairs[i - 1];
        line->waits[i] += line->waits[i - 1];
    }
}

/* Only of a kernel is it known that its launch gives the stream something. */
static bool may_cut(const struct kesco_graph *graph, uint32_t op) {
    return graph->ops[op].kind == KESCO_OP_KERNEL;
}

static bool is_alone(const struct line *line, uint32_t place) {
    return line->ends[place + 1] == 1 && line->starts[place] == 1;
}

/* True if a record between the place before and this one takes the place of more than it costs. */
static bool pays(const struct line *line, uint32_t place) {
    return line->waits[place] > 1 && line->pairs[place] == (uint64_t)line->ends[place] * line->starts[place];
}

static void store_line(const struct line *line, struct kesco_cut *cut) {
    uint32_t epoch = 0;
    bool after_alone = true;
    for (uint32_t i = 0; i < line->graph->op_count; i++) {
        uint32_t op = line->sequence[i];
        cut->alone[op] = may_cut(line->graph, op) && is_alone(line, i);
        cut->aligned[op] = !cut->alone[op] && !after_alone && pays(line, i);
        epoch += cut->alone[op] || cut->aligned[op] || after_alone;
        cut->epoch[op] = epoch;
        after_alone = cut->alone[op];
    }
}

static int find_in_line(struct line *line, const uint32_t *lane, const struct kesco_sync *sync,
                        struct kesco_cut *cut) {
    uint32_t ops = line->graph->op_count;
    if (!allocate_line(line, ops))
        return -ENOMEM;
    for (uint32_t i = 0; i < ops; i++) {
        line->place[line->sequence[i]] = i;
        line->first_successor[i] = line->last_predecessor[i] = NOWHERE;
    }
    int err = find_before(line, lane);
    if (err)
        return err;
    for (uint32_t i = 0; i < ops; i++)
        each_predecessor(line, i, widen);
    count(line, sync);
    store_line(line, cut);
    return 0;
}

static int find_along_flow(const struct kesco_graph *graph, struct kesco_cut *cut) {
    uint32_t ops = graph->op_count;
    size_t words = kesco_bits_words(ops);
    uint64_t *past = calloc((size_t)ops * words + 1, sizeof(*past));
    int err = past ? kesco_flow_past(graph, past) : -ENOMEM;
    for (uint32_t op = 0; op < ops && !err; op++) {
        cut->alone[op] = may_cut(graph, op);
        for (uint32_t other = 0; other < ops; other++)
            if (other != op &&
                (!kesco_bits_has(past + op * words, other) || !kesco_bits_has(past + other * words, op)))
                cut->alone[op] = false;
        cut->epoch[op] = cut->alone[op] ? op + 1 : 0;
    }
    free(past);
    return err;
}

int kesco_cut_find(const struct kesco_graph *graph, const uint32_t *sequence, const uint32_t *lane,
                   const struct kesco_sync *sync, struct kesco_cut *cut) {
    struct line line = {.graph = graph, .sequence = sequence};
    size_t ops = (size_t)graph->op_count + 1;
    cut->alone = calloc(ops, sizeof(*cut->alone));
    cut->aligned = calloc(ops, sizeof(*cut->aligned));
    cut->epoch = calloc(ops, sizeof(*cut->epoch));
    int err = -ENOMEM;
    if (cut->alone && cut->aligned && cut->epoch)
        err = graph->flow ? find_along_flow(graph, cut) : find_in_line(&line, lane, sync, cut);
    free_line(&line);
    if (err) {
        kesco_cut_free(cut);
        *cut = (struct kesco_cut){0};
    }
    return err;
}

void kesco_cut_free(struct kesco_cut *cut) {
    free(cut->alone);
    free(cut->aligned);
    free(cut->epoch);
}
