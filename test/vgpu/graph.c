#include "test/vgpu/graph.h"

#include "test/vgpu/handle.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>
#include <string.h>

static struct handle_table graphs = {.name = "graph", .kind = 0x47};
static struct handle_table nodes = {.name = "graph node", .kind = 0x4E};
static uint64_t last_mark;

void graph_node_list_add(struct graph_node_list *list, struct graph_node *node) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->nodes[i] == node)
            return;
    }
    list->nodes = with_room(list->nodes, list->count, &list->capacity, sizeof(struct graph_node *));
    list->nodes[list->count++] = node;
}

void graph_node_list_join(struct graph_node_list *list, const struct graph_node_list *other) {
    for (size_t i = 0; i < other->count; i++)
        graph_node_list_add(list, other->nodes[i]);
}

void graph_node_list_free(struct graph_node_list *list) {
    free(list->nodes);
    *list = (struct graph_node_list){0};
}

struct graph *graph_new(void) {
    struct graph *graph = allocate(1, sizeof(*graph));
    graph->handle = handle_new(&graphs, graph);
    return graph;
}

static void free_node(struct graph_node *node) {
    handle_free(&nodes, node->handle);
    op_release(node->op);
    graph_node_list_free(&node->before);
    free(node);
}

void graph_free(struct graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.nodes[i]);
    graph_node_list_free(&graph->nodes);
    handle_free(&graphs, graph->handle);
    free(graph);
}

struct graph *graph_find(cudaGraph_t handle) {
    return handle_get(&graphs, handle);
}

struct graph_node *graph_find_node(cudaGraphNode_t handle) {
    return handle_get(&nodes, handle);
}

/* Appends to the graph's nodes; a new node needs no search for itself. */
static void append(struct graph_node_list *list, struct graph_node *node) {
    list->nodes = with_room(list->nodes, list->count, &list->capacity, sizeof(struct graph_node *));
    list->nodes[list->count++] = node;
}

struct graph_node *graph_add(struct graph *graph, struct op *op, const struct graph_node_list *before) {
    struct graph_node *node = allocate(1, sizeof(*node));
    node->handle = handle_new(&nodes, node);
    node->graph = graph;
    node->op = op;
    node->place = graph->nodes.count;
    graph_node_list_join(&node->before, before);
    append(&graph->nodes, node);
    return node;
}

cudaError_t graph_create(cudaGraph_t *handle, unsigned flags) {
    if (!handle || flags)
        return cudaErrorInvalidValue;
    *handle = graph_new()->handle;
    return cudaSuccess;
}

/* Fills the list with different nodes of the graph. */
static cudaError_t find_nodes(const struct graph *graph, const cudaGraphNode_t *handles, size_t count,
                              struct graph_node_list *list) {
    if (count && !handles)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        struct graph_node *node = graph_find_node(handles[i]);
        if (!node || node->graph != graph)
            return cudaErrorInvalidValue;
        graph_node_list_add(list, node);
    }
    return list->count == count ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t graph_add_by_hand(cudaGraphNode_t *handle, cudaGraph_t graph_handle,
                              const cudaGraphNode_t *before, size_t count, struct op *op) {
    struct graph *graph = graph_find(graph_handle);
    struct graph_node_list list = {0};
    cudaError_t error = graph && handle ? find_nodes(graph, before, count, &list) : cudaErrorInvalidValue;
    if (error)
        op_release(op);
    else
        *handle = graph_add(graph, op, &list)->handle;
    graph_node_list_free(&list);
    return error;
}

static cudaError_t add_edge(const struct graph *graph, cudaGraphNode_t from, cudaGraphNode_t to) {
    struct graph_node *start = graph_find_node(from), *end = graph_find_node(to);
    if (!start || !end || start == end || start->graph != graph || end->graph != graph)
        return cudaErrorInvalidValue;
    const size_t count = end->before.count;
    graph_node_list_add(&end->before, start);
    return end->before.count > count ? cudaSuccess : cudaErrorInvalidValue;
}

/* Edges that stand for less than the whole of a node are of programmatic launches. */
static void check_edges(const cudaGraphEdgeData *data, size_t count) {
    const cudaGraphEdgeData plain = {0};
    for (size_t i = 0; data && i < count; i++) {
        if (memcmp(&data[i], &plain, sizeof(plain)) != 0)
            vgpu_unmodelled(thread_state.api, "edges with data");
    }
}

cudaError_t graph_add_edges(cudaGraph_t handle, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                            const cudaGraphEdgeData *data, size_t count) {
    const struct graph *graph = graph_find(handle);
    cudaError_t error = graph && (!count || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
    check_edges(data, count);
    for (size_t i = 0; i < count && !error; i++)
        error = add_edge(graph, from[i], to[i]);
    return error;
}

/* Marks and pushes the list's nodes that are not yet marked. */
static void push_unmarked(const struct graph_node_list *list, uint64_t mark, struct graph_node_list *stack) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->nodes[i]->mark == mark)
            continue;
        list->nodes[i]->mark = mark;
        append(stack, list->nodes[i]);
    }
}

bool graph_all_before(const struct graph_node_list *list, const struct graph_node_list *ends) {
    const uint64_t mark = ++last_mark;
    struct graph_node_list stack = {0};
    bool all = true;
    push_unmarked(ends, mark, &stack);
    while (stack.count) {
        const struct graph_node *node = stack.nodes[--stack.count];
        push_unmarked(&node->before, mark, &stack);
    }
    graph_node_list_free(&stack);
    for (size_t i = 0; i < list->count; i++)
        all &= list->nodes[i]->mark == mark;
    return all;
}

enum cudaGraphNodeType graph_node_type(const struct graph_node *node) {
    switch (node->op->kind) {
    case OP_KERNEL:
        return cudaGraphNodeTypeKernel;
    case OP_COPY:
        return cudaGraphNodeTypeMemcpy;
    case OP_SET:
        return cudaGraphNodeTypeMemset;
    case OP_HOST_FUNCTION:
        return cudaGraphNodeTypeHost;
    case OP_ALLOCATE:
        return cudaGraphNodeTypeMemAlloc;
    case OP_FREE:
        return cudaGraphNodeTypeMemFree;
    default:
        return cudaGraphNodeTypeEmpty;
    }
}

cudaError_t graph_clone(cudaGraph_t *handle, cudaGraph_t original) {
    const struct graph *graph = graph_find(original);
    if (!graph || !handle || graph->capturing)
        return cudaErrorInvalidValue;
    struct graph *copy = graph_new();
    const struct graph_node_list none = {0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph_add(copy, op_retain(graph->nodes.nodes[i]->op), &none);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct graph_node_list *before = &graph->nodes.nodes[i]->before;
        for (size_t j = 0; j < before->count; j++)
            graph_node_list_add(&copy->nodes.nodes[i]->before, copy->nodes.nodes[before->nodes[j]->place]);
    }
    *handle = copy->handle;
    return cudaSuccess;
}

cudaError_t graph_destroy(cudaGraph_t handle) {
    struct graph *graph = graph_find(handle);
    if (!graph)
        return cudaErrorInvalidValue;
    if (graph->capturing)
        return cudaErrorIllegalState;
    graph_free(graph);
    return cudaSuccess;
}

/* Hands out a list, and the data of as many edges. */
static void hand_out(const struct graph_node_list *list, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                     size_t *count) {
    for (size_t i = 0; to && i < *count; i++)
        to[i] = i < list->count ? list->nodes[i]->handle : NULL;
    if (to && data)
        memset(data, 0, *count * sizeof(*data));
    if (!to || *count > list->count)
        *count = list->count;
}

cudaError_t graph_get_nodes(cudaGraph_t handle, cudaGraphNode_t *to, size_t *count) {
    const struct graph *graph = graph_find(handle);
    if (!graph || !count)
        return cudaErrorInvalidValue;
    hand_out(&graph->nodes, to, NULL, count);
    return cudaSuccess;
}

cudaError_t graph_get_roots(cudaGraph_t handle, cudaGraphNode_t *to, size_t *count) {
    const struct graph *graph = graph_find(handle);
    struct graph_node_list roots = {0};
    if (!graph || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (!graph->nodes.nodes[i]->before.count)
            append(&roots, graph->nodes.nodes[i]);
    }
    hand_out(&roots, to, NULL, count);
    graph_node_list_free(&roots);
    return cudaSuccess;
}

cudaError_t graph_get_before(cudaGraphNode_t handle, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                             size_t *count) {
    const struct graph_node *node = graph_find_node(handle);
    if (!node || !count || (data && !to))
        return cudaErrorInvalidValue;
    hand_out(&node->before, to, data, count);
    return cudaSuccess;
}

static bool depends_on(const struct graph_node *node, const struct graph_node *other) {
    for (size_t i = 0; i < node->before.count; i++) {
        if (node->before.nodes[i] == other)
            return true;
    }
    return false;
}

cudaError_t graph_get_after(cudaGraphNode_t handle, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                            size_t *count) {
    const struct graph_node *node = graph_find_node(handle);
    struct graph_node_list after = {0};
    if (!node || !count || (data && !to))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        if (depends_on(node->graph->nodes.nodes[i], node))
            append(&after, node->graph->nodes.nodes[i]);
    }
    hand_out(&after, to, data, count);
    graph_node_list_free(&after);
    return cudaSuccess;
}

/* What cudaGraphGetEdges fills. */
struct edge_arrays {
    cudaGraphNode_t *from, *to;
    size_t count, limit; /* edges met so far; room */
};

static void put_edge(struct edge_arrays *arrays, cudaGraphNode_t from, cudaGraphNode_t to) {
    if (arrays->count < arrays->limit) {
        arrays->from[arrays->count] = from;
        arrays->to[arrays->count] = to;
    }
    arrays->count++;
}

static void put_edges_into(struct edge_arrays *arrays, const struct graph_node *node) {
    for (size_t i = 0; i < node->before.count; i++)
        put_edge(arrays, node->before.nodes[i]->handle, node->handle);
}

cudaError_t graph_get_edges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            cudaGraphEdgeData *data, size_t *count) {
    const struct graph *graph = graph_find(handle);
    if (!graph || !count || !from != !to || (data && !from))
        return cudaErrorInvalidValue;
    struct edge_arrays arrays = {from, to, 0, from ? *count : 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        put_edges_into(&arrays, graph->nodes.nodes[i]);
    const size_t edges = arrays.count;
    while (arrays.count < arrays.limit)
        put_edge(&arrays, NULL, NULL);
    if (data)
        memset(data, 0, arrays.limit * sizeof(*data));
    if (!from || *count > edges)
        *count = edges;
    return cudaSuccess;
}
