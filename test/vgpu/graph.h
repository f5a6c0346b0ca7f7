/*
 * Graphs (CUDA Programming Guide, "CUDA Graphs"): nodes, each an op that every launch repeats, and edges that
 * say which node comes before which. A graph is made by hand or by stream capture (capture.h), and run by way
 * of graph_exec.h.
 */
#ifndef KESCO_TEST_VGPU_GRAPH_H
#define KESCO_TEST_VGPU_GRAPH_H

#include "test/vgpu/op.h"

struct graph_node;

struct graph_node_list {
    struct graph_node **nodes; /* no node twice */
    size_t count, capacity;
};

struct graph_node {
    cudaGraphNode_t handle;
    struct graph *graph;
    struct op *op;                 /* what a launch repeats; never issued itself */
    struct graph_node_list before; /* nodes that it directly depends on */
    size_t place;                  /* in the graph's nodes */
    uint64_t mark;                 /* the last search that reached it */
};

struct graph {
    cudaGraph_t handle;
    struct graph_node_list nodes; /* in the order in which they were made */
    bool capturing;               /* belongs to a capture, which ends it */
};

void graph_node_list_add(struct graph_node_list *list, struct graph_node *node);
void graph_node_list_join(struct graph_node_list *list, const struct graph_node_list *other);
void graph_node_list_free(struct graph_node_list *list);

struct graph *graph_new(void);
void graph_free(struct graph *graph);

/* The graph or node of a handle, or NULL. */
struct graph *graph_find(cudaGraph_t handle);
struct graph_node *graph_find_node(cudaGraphNode_t handle);

/* Makes a node of an op that was not issued, and takes over the caller's reference to it. */
struct graph_node *graph_add(struct graph *graph, struct op *op, const struct graph_node_list *before);

/*
 * What programs do by hand: nodes behind nodes of the same graph, and more edges. Edges that are there
 * already, and nodes of other graphs: cudaErrorInvalidValue.
 */
cudaError_t graph_create(cudaGraph_t *handle, unsigned flags);
cudaError_t graph_add_by_hand(cudaGraphNode_t *handle, cudaGraph_t graph, const cudaGraphNode_t *before,
                              size_t count, struct op *op); /* takes over the caller's reference */
cudaError_t graph_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                            const cudaGraphEdgeData *data, size_t count);

/* True if all of `nodes` are among `ends` or come before one of them. */
bool graph_all_before(const struct graph_node_list *nodes, const struct graph_node_list *ends);

enum cudaGraphNodeType graph_node_type(const struct graph_node *node);

cudaError_t graph_clone(cudaGraph_t *handle, cudaGraph_t original); /* its nodes are new ones */
cudaError_t graph_destroy(cudaGraph_t handle); /* cudaErrorInvalidValue while it is captured */

/*
 * Lists as the CUDA Runtime API hands them out ("Graph Management"): without arrays, only the number; entries
 * beyond the last are nulled.
 */
cudaError_t graph_get_nodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count);
cudaError_t graph_get_roots(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count);
cudaError_t graph_get_before(cudaGraphNode_t handle, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
                             size_t *count); /* what the node depends on */
cudaError_t graph_get_after(cudaGraphNode_t handle, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
                            size_t *count); /* what depends on the node */
cudaError_t graph_get_edges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                            cudaGraphEdgeData *data, size_t *count);

#endif
