#include "plugin/schedule/rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (KESCO_RANK_BLOCK / 64)

/* One op's transitive predecessors among the ops of a block, and itself if it is one of them. */
struct row {
    uint64_t words[WORDS]; /* bit i: op `first of the block + i` */
};

static uint64_t population(const struct row *row) {
    uint64_t count = 0;
    for (int i = 0; i < WORDS; i++)
        count += (uint64_t)__builtin_popcountll(row->words[i]);
    return count;
}

/* Counts, for every op, its transitive predecessors among the ops from `first` on that make up one block. */
static void count_block(const struct kesco_graph *graph, uint32_t first, struct row *rows, uint64_t *rank) {
    for (uint32_t op = first; op < graph->op_count; op++) {
        size_t count;
        const uint32_t *predecessors = kesco_graph_predecessors(graph, op, &count);
        struct row row = {{0}};
        /* predecessors ascend: those before the block come first */
        for (size_t i = count; i-- > 0 && predecessors[i] >= first;)
            for (int word = 0; word < WORDS; word++)
                row.words[word] |= rows[predecessors[i]].words[word];
        rank[op] += population(&row);
        if (op - first < KESCO_RANK_BLOCK)
            row.words[(op - first) / 64] |= UINT64_C(1) << ((op - first) % 64);
        rows[op] = row;
    }
}

int kesco_rank(const struct kesco_graph *graph, uint64_t *rank) {
    struct row *rows = calloc((size_t)graph->op_count + 1, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    memset(rank, 0, graph->op_count * sizeof(*rank));
    for (uint64_t first = 0; first < graph->op_count; first += KESCO_RANK_BLOCK)
        count_block(graph, (uint32_t)first, rows, rank);
    free(rows);
    return 0;
}
