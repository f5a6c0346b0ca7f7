#include "plugin/schedule/order.h"

#include "plugin/schedule/rank.h"

#include <errno.h>
#include <stdlib.h>

struct key {
    uint64_t rank;    /* rank within the graph */
    uint32_t segment; /* move window */
    uint32_t op;      /* program order */
};

static int compare_keys(const void *left, const void *right) {
    const struct key *a = left, *b = right;
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

static int order_by_rank(const struct kesco_graph *graph, uint32_t *sequence) {
    uint64_t *rank = calloc((size_t)graph->op_count + 1, sizeof(*rank));
    struct key *keys = calloc((size_t)graph->op_count + 1, sizeof(*keys));
    int err = -ENOMEM;
    if (!rank || !keys)
        goto out;
    err = kesco_rank(graph, rank);
    if (err)
        goto out;
    for (uint32_t op = 0; op < graph->op_count; op++)
        keys[op] = (struct key){.segment = graph->ops[op].segment, .rank = rank[op], .op = op};
    qsort(keys, graph->op_count, sizeof(*keys), compare_keys);
    for (uint32_t i = 0; i < graph->op_count; i++)
        sequence[i] = keys[i].op;
out:
    free(keys);
    free(rank);
    return err;
}

int kesco_order_create(const struct kesco_graph *graph, bool reorder, uint32_t *sequence) {
    if (reorder)
        return order_by_rank(graph, sequence);
    for (uint32_t op = 0; op < graph->op_count; op++)
        sequence[op] = op;
    return 0;
}
