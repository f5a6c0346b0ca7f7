#include "plugin/schedule/flow_dependence.h"

#include "plugin/schedule/flow.h"

#include <errno.h>
#include <stdlib.h>

struct list {
    struct kesco_edge *edges;
    size_t count;    /* entries in use */
    size_t capacity; /* room */
};

static int append(struct list *list, struct kesco_edge edge) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity * 2 + 16;
        struct kesco_edge *edges = reallocarray(list->edges, capacity, sizeof(*edges));
        if (!edges)
            return -ENOMEM;
        list->edges = edges;
        list->capacity = capacity;
    }
    list->edges[list->count++] = edge;
    return 0;
}

static bool touch_one(const struct kesco_op_access *a, const struct kesco_op_access *b) {
    return a->object == b->object || a->object == KESCO_OBJECT_ANY || b->object == KESCO_OBJECT_ANY;
}

static enum kesco_edge_kind kind_of(const struct kesco_op_access *from, const struct kesco_op_access *to) {
    if (from->access == KESCO_READ)
        return KESCO_WAR;
    return to->access == KESCO_READ ? KESCO_RAW : KESCO_WAW;
}

static bool same_pair(const struct kesco_edge *a, const struct kesco_edge *b) {
    return a->from == b->from && a->to == b->to && a->object == b->object;
}

/* Appends the edges between two ops, one for each object that they share; one at most for any object. */
static int append_pair(const struct kesco_graph *graph, uint32_t from, uint32_t to, struct list *list) {
    size_t first = list->count;
    for (size_t i = graph->derived.access_start[from]; i < graph->derived.access_start[from + 1]; i++)
        for (size_t j = graph->derived.access_start[to]; j < graph->derived.access_start[to + 1]; j++) {
            const struct kesco_op_access *a = &graph->accesses[i], *b = &graph->accesses[j];
            if (!touch_one(a, b) || (a->access == KESCO_READ && b->access == KESCO_READ))
                continue;
            struct kesco_edge edge = {.from = from, .to = to, .kind = kind_of(a, b)};
            edge.object = a->object == b->object ? a->object : KESCO_OBJECT_ANY;
            bool known = false;
            for (size_t k = first; k < list->count; k++)
                known |= same_pair(&list->edges[k], &edge);
            int err = known ? 0 : append(list, edge);
            if (err)
                return err;
        }
    return 0;
}

static int compare_edges(const void *left, const void *right) {
    const struct kesco_edge *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static void sort(struct list *list) {
    if (list->count > 1)
        qsort(list->edges, list->count, sizeof(*list->edges), compare_edges);
}

int kesco_flow_dependence_edges(const struct kesco_graph *graph, struct kesco_edge **edges,
                                size_t *edge_count, struct kesco_edge **carried, size_t *carried_count) {
    struct list forward = {0}, backward = {0};
    int err = 0;
    for (uint32_t from = 0; from < graph->op_count && !err; from++)
        for (uint32_t to = 0; to < graph->op_count && !err; to++)
            if (from != to && kesco_flow_in_flight(graph->flow, from, to))
                err = append_pair(graph, from, to, from < to ? &forward : &backward);
    if (err) {
        free(forward.edges);
        free(backward.edges);
        return err;
    }
    sort(&forward);
    sort(&backward);
    *edges = forward.edges;
    *edge_count = forward.count;
    *carried = backward.edges;
    *carried_count = backward.count;
    return 0;
}
