#include "plugin/schedule/level.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static int compare_priorities(const void *left, const void *right) {
    const int *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void find_zone_priorities(const struct kesco_graph *graph, const uint32_t *zone, uint32_t zone_count,
                                 int *priority) {
    for (uint32_t i = 0; i < zone_count; i++)
        priority[i] = INT_MIN;
    for (uint32_t op = 0; op < graph->op_count; op++)
        if (graph->ops[op].priority > priority[zone[op]])
            priority[zone[op]] = graph->ops[op].priority;
}

/* Sorts the priorities and keeps each once; returns how many are left. */
static uint32_t make_distinct(int *priorities, uint32_t count) {
    uint32_t kept = 0;
    qsort(priorities, count, sizeof(*priorities), compare_priorities);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || priorities[kept - 1] != priorities[i])
            priorities[kept++] = priorities[i];
    return kept;
}

int kesco_level_find(const struct kesco_graph *graph, const uint32_t *zone, uint32_t zone_count,
                     uint32_t *level, uint32_t *level_count) {
    int *priority = calloc((size_t)zone_count + 1, sizeof(*priority));
    int *distinct = calloc((size_t)zone_count + 1, sizeof(*distinct));
    if (!priority || !distinct) {
        free(priority);
        free(distinct);
        return -ENOMEM;
    }
    find_zone_priorities(graph, zone, zone_count, priority);
    find_zone_priorities(graph, zone, zone_count, distinct);
    uint32_t count = make_distinct(distinct, zone_count);
    uint32_t shared = count > KESCO_LEVEL_MAX ? count - KESCO_LEVEL_MAX : 0;
    for (uint32_t op = 0; op < graph->op_count; op++) {
        const int *found =
            bsearch(&priority[zone[op]], distinct, count, sizeof(*distinct), compare_priorities);
        uint32_t rank = (uint32_t)(found - distinct);
        level[op] = rank > shared ? rank - shared : 0;
    }
    *level_count = count - shared;
    free(priority);
    free(distinct);
    return 0;
}
