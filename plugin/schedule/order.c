#include "plugin/schedule/order.h"

#include "plugin/schedule/critical_path.h"
#include "plugin/schedule/rank.h"

#include <errno.h>
#include <stdlib.h>

struct key {
    uint32_t segment; /* move window */
    uint32_t level;   /* of its zone */
    uint64_t rank;    /* by the policy, lowest first */
    double length;    /* by the policy, highest first; with equal ranks */
    uint32_t op;      /* program order */
};

static int compare_keys(const void *left, const void *right) {
    const struct key *a = left, *b = right;
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    if (a->level != b->level)
        return a->level > b->level ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

/*
 * Predecessors of a band: two chains of eleven kernels on 32 MB each (fwt of HeCBench) took 1.18 of
 * the time that they take in program order on an H200 where they were issued in turns, one op each, on one
 * stream too, and 1.01 by eights. Of ten benchmarks there, none took longer by eights than by ones.
 */
enum { BAND = 8 };

static int add_ranks(const struct kesco_graph *graph, uint32_t band, struct key *keys) {
    uint64_t *rank = calloc((size_t)graph->op_count + 1, sizeof(*rank));
    int err = rank ? kesco_rank(graph, rank) : -ENOMEM;
    for (uint32_t op = 0; op < graph->op_count && !err; op++)
        keys[op].rank = rank[op] / band;
    free(rank);
    return err;
}

static int add_lengths(const struct kesco_graph *graph, struct key *keys) {
    double *length = calloc((size_t)graph->op_count + 1, sizeof(*length));
    if (!length)
        return -ENOMEM;
    kesco_critical_path_find(graph, length);
    for (uint32_t op = 0; op < graph->op_count; op++)
        keys[op].length = length[op];
    free(length);
    return 0;
}

int kesco_order_create(const struct kesco_graph *graph, enum kesco_policy policy, const uint32_t *level,
                       uint32_t *sequence) {
    struct key *keys = calloc((size_t)graph->op_count + 1, sizeof(*keys));
    if (!keys)
        return -ENOMEM;
    for (uint32_t op = 0; op < graph->op_count; op++)
        keys[op] = (struct key){.segment = graph->ops[op].segment, .level = level[op], .op = op};
    const uint32_t band = policy == KESCO_POLICY_PREDECESSOR_BANDS ? BAND : 1;
    int err = policy == KESCO_POLICY_CRITICAL_PATH ? add_lengths(graph, keys) : add_ranks(graph, band, keys);
    if (!err) {
        qsort(keys, graph->op_count, sizeof(*keys), compare_keys);
        for (uint32_t i = 0; i < graph->op_count; i++)
            sequence[i] = keys[i].op;
    }
    free(keys);
    return err;
}

void kesco_order_keep(const struct kesco_graph *graph, uint32_t *sequence) {
    for (uint32_t op = 0; op < graph->op_count; op++)
        sequence[op] = op;
}
