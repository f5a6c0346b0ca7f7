#include "plugin/schedule/rank.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (KESCO_RANK_BLOCK / 64)

/* One op's transitive predecessors among the ops of a block, and itself if it is one of them. */
struct row {
    uint64_t words[WORDS]; /* bit i: op `first of the block + i` */
};

/* One op's transitive predecessors and itself: the smallest hashes among them. */
struct sketch {
    uint32_t count;                     /* entries in hashes */
    uint32_t hashes[KESCO_RANK_SKETCH]; /* ascending, no two the same */
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

int kesco_rank_exact(const struct kesco_graph *graph, uint64_t *rank) {
    struct row *rows = calloc((size_t)graph->op_count + 1, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    memset(rank, 0, graph->op_count * sizeof(*rank));
    for (uint64_t first = 0; first < graph->op_count; first += KESCO_RANK_BLOCK)
        count_block(graph, (uint32_t)first, rows, rank);
    free(rows);
    return 0;
}

/* Mixes the bits of an op's id: a bijection (Steele, Lea, Flood, "Fast Splittable PRNGs", 2014; 32-bit form).
 */
static uint32_t hash_op(uint32_t op) {
    uint32_t hash = op + UINT32_C(0x9e3779b9);
    hash = (hash ^ (hash >> 16)) * UINT32_C(0x85ebca6b);
    hash = (hash ^ (hash >> 13)) * UINT32_C(0xc2b2ae35);
    return hash ^ (hash >> 16);
}

/* Merges ascending hashes into the sketch. */
static void merge(struct sketch *sketch, const uint32_t *hashes, uint32_t count) {
    struct sketch old = *sketch;
    uint32_t i = 0, j = 0, kept = 0;
    while (kept < KESCO_RANK_SKETCH && (i < old.count || j < count)) {
        bool take_old = j == count || (i < old.count && old.hashes[i] <= hashes[j]);
        uint32_t hash = take_old ? old.hashes[i] : hashes[j];
        if (j < count && hashes[j] == hash)
            j++;
        if (i < old.count && old.hashes[i] == hash)
            i++;
        sketch->hashes[kept++] = hash;
    }
    sketch->count = kept;
}

static uint64_t rank_of(const struct sketch *sketch) {
    if (sketch->count < KESCO_RANK_SKETCH)
        return sketch->count;
    return KESCO_RANK_SKETCH + (uint64_t)(UINT32_MAX - sketch->hashes[KESCO_RANK_SKETCH - 1]);
}

int kesco_rank_estimate(const struct kesco_graph *graph, uint64_t *rank) {
    struct sketch *sketches = calloc((size_t)graph->op_count + 1, sizeof(*sketches));
    if (!sketches)
        return -ENOMEM;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        struct sketch *sketch = &sketches[op];
        size_t count;
        const uint32_t *predecessors = kesco_graph_predecessors(graph, op, &count);
        for (size_t i = 0; i < count; i++)
            merge(sketch, sketches[predecessors[i]].hashes, sketches[predecessors[i]].count);
        rank[op] = rank_of(sketch);
        uint32_t own = hash_op(op);
        merge(sketch, &own, 1);
    }
    free(sketches);
    return 0;
}

int kesco_rank(const struct kesco_graph *graph, uint64_t *rank) {
    uint64_t blocks = ((uint64_t)graph->op_count + KESCO_RANK_BLOCK - 1) / KESCO_RANK_BLOCK;
    if (graph->edge_count * blocks <= KESCO_RANK_EXACT_WORK)
        return kesco_rank_exact(graph, rank);
    return kesco_rank_estimate(graph, rank);
}
