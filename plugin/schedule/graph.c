#include "plugin/schedule/graph.h"

#include "plugin/schedule/dependence.h"
#include "plugin/schedule/flow.h"
#include "plugin/schedule/flow_dependence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IDS (UINT32_MAX - 2) /* ids and the counts that are one and two larger fit into 32 bits */

/* Doubles an array and its capacity; NULL, with both as they were, without memory. */
static void *grown(void *array, size_t *capacity, size_t size) {
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *larger = reallocarray(array, wanted, size);
    if (larger)
        *capacity = wanted;
    return larger;
}

static void drop_built(struct kesco_graph *graph) {
    free(graph->derived.access_start);
    free(graph->derived.edges.items);
    free(graph->derived.carried.items);
    free(graph->derived.predecessors.start);
    free(graph->derived.predecessors.ops);
    free(graph->derived.successors.start);
    free(graph->derived.successors.ops);
    graph->derived = (struct kesco_graph_derived){0};
    graph->built = false;
}

struct kesco_graph *kesco_graph_create(void) {
    return calloc(1, sizeof(struct kesco_graph));
}

void kesco_graph_destroy(struct kesco_graph *graph) {
    if (!graph)
        return;
    drop_built(graph);
    kesco_flow_destroy(graph->flow);
    for (uint32_t i = 0; i < graph->op_count; i++)
        free((char *)graph->ops[i].name);
    for (uint32_t i = 0; i < graph->object_count; i++)
        free(graph->objects[i]);
    free(graph->ops);
    free(graph->objects);
    free(graph->accesses);
    free(graph);
}

int kesco_graph_add_object(struct kesco_graph *graph, const char *name, uint32_t *id) {
    if (!name)
        return -EINVAL;
    if (graph->object_count == MAX_IDS)
        return -EOVERFLOW;
    if (graph->object_count == graph->room.objects) {
        char **objects = grown(graph->objects, &graph->room.objects, sizeof(*objects));
        if (!objects)
            return -ENOMEM;
        graph->objects = objects;
    }
    char *copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    drop_built(graph);
    graph->objects[graph->object_count] = copy;
    *id = graph->object_count++;
    return 0;
}

static bool valid_op(const struct kesco_graph *graph, const struct kesco_op *op) {
    if (!op->name || !isfinite(op->cost) || op->cost < 0 || !(op->fill >= 0 && op->fill <= 1))
        return false;
    return graph->op_count == 0 || op->segment >= graph->ops[graph->op_count - 1].segment;
}

int kesco_graph_add_op(struct kesco_graph *graph, const struct kesco_op *op, uint32_t *id) {
    if (!valid_op(graph, op))
        return -EINVAL;
    if (graph->op_count == MAX_IDS)
        return -EOVERFLOW;
    if (graph->op_count == graph->room.ops) {
        struct kesco_op *ops = grown(graph->ops, &graph->room.ops, sizeof(*ops));
        if (!ops)
            return -ENOMEM;
        graph->ops = ops;
    }
    char *copy = strdup(op->name);
    if (!copy)
        return -ENOMEM;
    drop_built(graph);
    graph->ops[graph->op_count] = *op;
    graph->ops[graph->op_count].name = copy;
    *id = graph->op_count++;
    return 0;
}

int kesco_graph_add_access(struct kesco_graph *graph, uint32_t op, uint32_t object,
                           enum kesco_access access) {
    if (op >= graph->op_count || (object >= graph->object_count && object != KESCO_OBJECT_ANY))
        return -EINVAL;
    if (access != KESCO_READ && access != KESCO_WRITE)
        return -EINVAL;
    if (graph->access_count == graph->room.accesses) {
        struct kesco_op_access *accesses = grown(graph->accesses, &graph->room.accesses, sizeof(*accesses));
        if (!accesses)
            return -ENOMEM;
        graph->accesses = accesses;
    }
    drop_built(graph);
    graph->accesses[graph->access_count++] =
        (struct kesco_op_access){.op = op, .object = object, .access = access};
    return 0;
}

/* Turns counts per id, stored at [id + 1], into starts per id. */
static void starts_from_counts(size_t *start, uint32_t ids) {
    for (uint32_t i = 0; i < ids; i++)
        start[i + 1] += start[i];
}

/* Stable counting sort of the accesses by op. */
static int sort_accesses(struct kesco_graph *graph) {
    size_t *next = calloc((size_t)graph->op_count + 1, sizeof(*next));
    struct kesco_op_access *sorted = calloc(graph->access_count + 1, sizeof(*sorted));
    if (!next || !sorted) {
        free(next);
        free(sorted);
        return -ENOMEM;
    }
    for (size_t i = 0; i < graph->access_count; i++)
        next[graph->accesses[i].op + 1]++;
    starts_from_counts(next, graph->op_count);
    for (size_t i = 0; i < graph->access_count; i++)
        sorted[next[graph->accesses[i].op]++] = graph->accesses[i];
    free(next);
    free(graph->accesses);
    graph->accesses = sorted;
    graph->room.accesses = graph->access_count + 1;
    return 0;
}

static void merge_access(struct kesco_op_access *kept, const struct kesco_op_access *other) {
    kept->also_reads |= other->also_reads || kept->access != other->access;
    if (other->access == KESCO_WRITE)
        kept->access = KESCO_WRITE;
}

/* Leaves one access per op and object, and the starts of the ops' slices. */
static int merge_accesses(struct kesco_graph *graph) {
    /* seen[object] - 1: index of the object's latest kept access; the last slot stands for any object */
    size_t *seen = calloc((size_t)graph->object_count + 1, sizeof(*seen));
    graph->derived.access_start = calloc((size_t)graph->op_count + 1, sizeof(*graph->derived.access_start));
    if (!seen || !graph->derived.access_start) {
        free(seen);
        return -ENOMEM;
    }
    size_t kept = 0;
    for (size_t i = 0; i < graph->access_count; i++) {
        struct kesco_op_access access = graph->accesses[i];
        size_t *slot = &seen[access.object == KESCO_OBJECT_ANY ? graph->object_count : access.object];
        if (*slot && graph->accesses[*slot - 1].op == access.op) {
            merge_access(&graph->accesses[*slot - 1], &access);
            continue;
        }
        graph->accesses[kept++] = access;
        *slot = kept;
        graph->derived.access_start[access.op + 1]++;
    }
    starts_from_counts(graph->derived.access_start, graph->op_count);
    graph->access_count = kept;
    free(seen);
    return 0;
}

static bool first_of_pair(const struct kesco_edges *edges, size_t i) {
    const struct kesco_edge *edge = &edges->items[i];
    return i == 0 || edge->from != edge[-1].from || edge->to != edge[-1].to;
}

static int make_slices(struct kesco_op_slices *slices, size_t starts, size_t ops) {
    slices->start = calloc(starts, sizeof(*slices->start));
    slices->ops = calloc(ops, sizeof(*slices->ops));
    return slices->start && slices->ops ? 0 : -ENOMEM;
}

/* Fills predecessors and successors from the sorted edges. */
static int link_neighbours(struct kesco_graph_derived *derived, uint32_t op_count) {
    const struct kesco_edges *edges = &derived->edges;
    struct kesco_op_slices *before = &derived->predecessors, *after = &derived->successors;
    if (make_slices(before, (size_t)op_count + 2, edges->count + 1) ||
        make_slices(after, (size_t)op_count + 2, edges->count + 1))
        return -ENOMEM;
    size_t pairs = 0;
    for (size_t i = 0; i < edges->count; i++) {
        if (!first_of_pair(edges, i))
            continue;
        before->ops[pairs++] = edges->items[i].from;
        before->start[edges->items[i].to + 1]++;
        /* one slot further, so that filling turns the slots into starts */
        after->start[edges->items[i].from + 2]++;
    }
    starts_from_counts(before->start, op_count);
    starts_from_counts(after->start, op_count + 1);
    for (size_t i = 0; i < edges->count; i++)
        if (first_of_pair(edges, i))
            after->ops[after->start[edges->items[i].from + 1]++] = edges->items[i].to;
    return 0;
}

int kesco_graph_set_flow(struct kesco_graph *graph, struct kesco_flow *flow) {
    if (flow->place_count != graph->op_count)
        return -EINVAL;
    drop_built(graph);
    kesco_flow_destroy(graph->flow);
    graph->flow = flow;
    return 0;
}

static int find_edges(struct kesco_graph *graph) {
    if (!graph->flow)
        return kesco_dependence_edges(graph, &graph->derived.edges.items, &graph->derived.edges.count);
    if (graph->flow->place_count != graph->op_count)
        return -EINVAL;
    return kesco_flow_dependence_edges(graph, &graph->derived.edges.items, &graph->derived.edges.count,
                                       &graph->derived.carried.items, &graph->derived.carried.count);
}

int kesco_graph_build_edges(struct kesco_graph *graph) {
    drop_built(graph);
    int err = sort_accesses(graph);
    if (!err)
        err = merge_accesses(graph);
    if (!err)
        err = find_edges(graph);
    if (!err)
        err = link_neighbours(&graph->derived, graph->op_count);
    if (err) {
        drop_built(graph);
        return err;
    }
    graph->built = true;
    return 0;
}

const char *kesco_op_kind_name(enum kesco_op_kind kind) {
    static const char *const names[] = {[KESCO_OP_KERNEL] = "kernel",     [KESCO_OP_COPY] = "copy",
                                        [KESCO_OP_MEMSET] = "memset",     [KESCO_OP_PREFETCH] = "prefetch",
                                        [KESCO_OP_ALLOCATE] = "allocate", [KESCO_OP_FREE] = "free"};
    return names[kind];
}

const char *kesco_edge_kind_name(enum kesco_edge_kind kind) {
    static const char *const names[] = {[KESCO_RAW] = "RAW", [KESCO_WAR] = "WAR", [KESCO_WAW] = "WAW"};
    return names[kind];
}

const char *kesco_graph_object_name(const struct kesco_graph *graph, uint32_t object) {
    return object == KESCO_OBJECT_ANY ? "*" : graph->objects[object];
}

const struct kesco_op_access *kesco_graph_accesses(const struct kesco_graph *graph, uint32_t op,
                                                   size_t *count) {
    *count = graph->derived.access_start[op + 1] - graph->derived.access_start[op];
    return graph->accesses + graph->derived.access_start[op];
}

const uint32_t *kesco_graph_predecessors(const struct kesco_graph *graph, uint32_t op, size_t *count) {
    *count = graph->derived.predecessors.start[op + 1] - graph->derived.predecessors.start[op];
    return graph->derived.predecessors.ops + graph->derived.predecessors.start[op];
}

const uint32_t *kesco_graph_successors(const struct kesco_graph *graph, uint32_t op, size_t *count) {
    *count = graph->derived.successors.start[op + 1] - graph->derived.successors.start[op];
    return graph->derived.successors.ops + graph->derived.successors.start[op];
}
