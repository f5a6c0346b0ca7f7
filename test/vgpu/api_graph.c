/* API functions: graphs. */
#include "test/vgpu/api.h"
#include "test/vgpu/graph_exec.h"
#include "test/vgpu/launch.h"

static cudaError_t get_type(cudaGraphNode_t handle, enum cudaGraphNodeType *type) {
    const struct graph_node *node = graph_find_node(handle);
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = graph_node_type(node);
    return cudaSuccess;
}

static cudaError_t add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                              size_t count, const struct cudaKernelNodeParams *params) {
    struct op *op;
    if (!params)
        return cudaErrorInvalidValue;
    if (params->extra)
        vgpu_unmodelled("cudaGraphAddKernelNode", "parameters by way of `extra`");
    const struct launch_request request = {params->func,           params->gridDim,      params->blockDim,
                                           params->sharedMemBytes, params->kernelParams, false};
    const cudaError_t error = launch_make(&request, &op);
    return error ? error : graph_add_by_hand(node, graph, before, count, op);
}

static cudaError_t add_host(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            size_t count, const struct cudaHostNodeParams *params) {
    if (!params || !params->fn)
        return cudaErrorInvalidValue;
    struct op *op = op_new(OP_HOST_FUNCTION);
    op->host = (struct op_host){.function = params->fn, .data = params->userData};
    return graph_add_by_hand(node, graph, before, count, op);
}

API(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), graph_create(graph, flags))
API(cudaGraphAddKernelNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
     const struct cudaKernelNodeParams *params),
    add_kernel(node, graph, before, count, params))
API(cudaGraphAddHostNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
     const struct cudaHostNodeParams *params),
    add_host(node, graph, before, count, params))
API(cudaGraphAddEmptyNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count),
    graph_add_by_hand(node, graph, before, count, op_new(OP_EMPTY)))
API(cudaGraphAddDependencies,
    (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
     size_t count),
    graph_add_edges(graph, from, to, data, count))
API(cudaGraphDestroy, (cudaGraph_t graph), graph_destroy(graph))
API(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
    graph_get_nodes(graph, nodes, count))
API(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
    graph_get_roots(graph, nodes, count))
API(cudaGraphNodeGetDependencies,
    (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *count),
    graph_get_before(node, nodes, data, count))
API(cudaGraphNodeGetDependentNodes,
    (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *count),
    graph_get_after(node, nodes, data, count))
API(cudaGraphGetEdges,
    (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count),
    graph_get_edges(graph, from, to, data, count))
API(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type), get_type(node, type))

API(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
    graph_exec_create(exec, graph, flags))
API(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
    graph_exec_create(exec, graph, flags))
API(cudaGraphExecGetFlags, (cudaGraphExec_t exec, unsigned long long *flags),
    graph_exec_get_flags(exec, flags))
API(cudaGraphExecDestroy, (cudaGraphExec_t exec), graph_exec_destroy(exec))
API_ON_STREAM(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), graph_exec_launch(exec, stream))
API_ON_STREAM(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), graph_exec_upload(exec, stream))
