/* API functions: graph management. */
#include "test/vgpu/api.h"
#include "test/vgpu/graph.h"

static cudaError_t get_type(cudaGraphNode_t handle, enum cudaGraphNodeType *type) {
    const struct graph_node *node = graph_find_node(handle);
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = graph_node_type(node);
    return cudaSuccess;
}

API(cudaGraphDestroy, (cudaGraph_t graph), graph_destroy(graph))
API(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
    graph_get_nodes(graph, nodes, count))
API(cudaGraphGetEdges,
    (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count),
    graph_get_edges(graph, from, to, data, count))
API(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type), get_type(node, type))
