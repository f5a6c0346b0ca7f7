#include "plugin/schedule/overlap.h"

#include "plugin/schedule/bits.h"
#include "plugin/schedule/flow_past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What an op keeps busy: an engine, or as a memset the memory alone, for a small part of the time of a copy.
 */
enum { FILLS = KESCO_ENGINE_NONE + 1, USES };

static int use_of(const struct kesco_op *op) {
    return op->kind == KESCO_OP_MEMSET ? FILLS : (int)op->engine;
}

static bool can_share(int a, int b) {
    if (a == KESCO_ENGINE_NONE || b == KESCO_ENGINE_NONE)
        return false;
    if (a == KESCO_ENGINE_COMPUTE || b == KESCO_ENGINE_COMPUTE)
        return true;
    return a != b && a != FILLS && b != FILLS;
}

/*
 * The latest ops of a straight line, from one on that all before it come before: whatever may overlap with an
 * op to come is among them. Ops count from the first.
 */
struct window {
    const struct kesco_graph *graph;
    uint32_t first;       /* op that it begins with */
    uint32_t capacity;    /* ops that it holds at most */
    size_t words;         /* machine words in a set of them */
    uint64_t *rows;       /* by op: what it comes after, itself included */
    uint64_t *host;       /* what the host has waited for */
    uint64_t *uses[USES]; /* the ops of each use */
};

static uint64_t *row_of(const struct window *w, uint32_t op) {
    return w->rows + (op - w->first) * w->words;
}

static void clear(uint64_t *set, size_t words) {
    memset(set, 0, words * sizeof(*set));
}

/* Begins the window anew with an op that comes after all before it. */
static void restart(struct window *w, uint32_t op) {
    w->first = op;
    clear(w->host, w->words);
    for (int use = 0; use < USES; use++)
        clear(w->uses[use], w->words);
    clear(row_of(w, op), w->words);
}

static void look_back(const struct window *w, uint32_t op, uint64_t *row) {
    size_t count;
    const uint32_t *predecessors = kesco_graph_predecessors(w->graph, op, &count);
    memcpy(row, w->host, w->words * sizeof(*row));
    for (size_t i = 0; i < count; i++)
        if (predecessors[i] >= w->first)
            kesco_bits_unite(row, row_of(w, predecessors[i]), w->words);
}

/* True if the op does not come after all ops of the window that it could share the device with. */
static bool overlaps(const struct window *w, int use, const uint64_t *row) {
    uint64_t beside = 0;
    for (int other = 0; other < USES; other++)
        for (size_t i = 0; i < w->words && can_share(use, other); i++)
            beside |= w->uses[other][i] & ~row[i];
    return beside != 0;
}

static void add(struct window *w, uint32_t op) {
    uint64_t *row = row_of(w, op);
    kesco_bits_add(row, op - w->first);
    kesco_bits_add(w->uses[use_of(&w->graph->ops[op])], op - w->first);
    if (w->graph->ops[op].blocks)
        kesco_bits_unite(w->host, row, w->words);
}

/* Takes in the ops in program order up to one that could overlap with one before; true if there is one. */
static bool find_overlap(struct window *w) {
    for (uint32_t op = 0; op < w->graph->op_count; op++) {
        if (op - w->first == w->capacity)
            return true;
        int use = use_of(&w->graph->ops[op]);
        look_back(w, op, row_of(w, op));
        if (overlaps(w, use, row_of(w, op)))
            return true;
        if (use == KESCO_ENGINE_COMPUTE)
            restart(w, op);
        add(w, op);
    }
    return false;
}

static int find_overlap_in_line(const struct kesco_graph *graph, bool *exists) {
    struct window w = {.graph = graph};
    w.capacity = graph->op_count < KESCO_OVERLAP_WINDOW ? graph->op_count : KESCO_OVERLAP_WINDOW;
    w.words = kesco_bits_words(w.capacity);
    /* after the rows: the sets of the host and of each use */
    w.rows = calloc((w.capacity + 1 + USES) * w.words + 1, sizeof(*w.rows));
    if (!w.rows)
        return -ENOMEM;
    w.host = w.rows + w.capacity * w.words;
    for (int use = 0; use < USES; use++)
        w.uses[use] = w.host + (1 + (size_t)use) * w.words;
    *exists = find_overlap(&w);
    free(w.rows);
    return 0;
}

static int find_flow_past(const struct kesco_graph *graph, uint64_t **past) {
    *past = calloc(graph->op_count * kesco_bits_words(graph->op_count) + 1, sizeof(**past));
    int err = *past ? kesco_flow_past(graph, *past) : -ENOMEM;
    if (err)
        free(*past);
    return err;
}

static int find_overlap_in_flow(const struct kesco_graph *graph, bool *exists) {
    size_t words = kesco_bits_words(graph->op_count);
    uint64_t *past;
    int err = find_flow_past(graph, &past);
    if (err)
        return err;
    *exists = false;
    for (uint32_t op = 0; op < graph->op_count; op++)
        for (uint32_t other = 0; other < graph->op_count && !*exists; other++)
            *exists = !kesco_bits_has(past + op * words, other) && other != op &&
                      can_share(use_of(&graph->ops[op]), use_of(&graph->ops[other]));
    free(past);
    return 0;
}

int kesco_overlap_exists(const struct kesco_graph *graph, bool *exists) {
    return graph->flow ? find_overlap_in_flow(graph, exists) : find_overlap_in_line(graph, exists);
}

static uint32_t first_successor(const struct kesco_graph *graph, uint32_t op) {
    size_t count;
    const uint32_t *successors = kesco_graph_successors(graph, op, &count);
    return count ? successors[0] : UINT32_MAX;
}

/*
 * An op comes after all before it if each of those blocks or has a successor no later than that op: so the
 * last of them leads to it in one step, and any other by way of a later one.
 */
static void find_useless_in_line(const struct kesco_graph *graph, bool *useless) {
    uint32_t open_until = 0; /* the first op at which each op so far blocks or has a successor */
    for (uint32_t op = 0; op < graph->op_count; op++) {
        bool blocks = graph->ops[op].blocks;
        useless[op] = blocks && open_until <= op;
        uint32_t successor = blocks ? op : first_successor(graph, op);
        open_until = open_until > successor ? open_until : successor;
    }
}

static int find_useless_in_flow(const struct kesco_graph *graph, bool *useless) {
    size_t words = kesco_bits_words(graph->op_count);
    uint64_t *past;
    int err = find_flow_past(graph, &past);
    if (err)
        return err;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        useless[op] = graph->ops[op].blocks;
        for (uint32_t other = 0; other < graph->op_count; other++)
            useless[op] &= other == op || kesco_bits_has(past + op * words, other);
    }
    free(past);
    return 0;
}

int kesco_overlap_find_useless_blocks(const struct kesco_graph *graph, bool *useless) {
    if (graph->flow)
        return find_useless_in_flow(graph, useless);
    find_useless_in_line(graph, useless);
    return 0;
}
