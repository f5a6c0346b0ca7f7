/* API functions: graphs. */
#include "test/vgpu/api.h"
#include "test/vgpu/copy.h"
#include "test/vgpu/graph_exec.h"
#include "test/vgpu/launch.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/stream.h"

static cudaError_t get_type(cudaGraphNode_t handle, enum cudaGraphNodeType *type) {
    const struct graph_node *node = graph_find_node(handle);
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = graph_node_type(node);
    return cudaSuccess;
}

static struct launch_request read_kernel(const struct cudaKernelNodeParams *params) {
    if (params->extra)
        vgpu_unmodelled(thread_state.api, "parameters by way of `extra`");
    return (struct launch_request){params->func,           params->gridDim,      params->blockDim,
                                   params->sharedMemBytes, params->kernelParams, false};
}

static cudaError_t set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                              const struct cudaKernelNodeParams *params) {
    if (!params)
        return cudaErrorInvalidValue;
    const struct launch_request request = read_kernel(params);
    return graph_exec_set_kernel(exec, node, &request);
}

static cudaError_t add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                              size_t count, const struct cudaKernelNodeParams *params) {
    struct op *op;
    if (!params)
        return cudaErrorInvalidValue;
    const struct launch_request request = read_kernel(params);
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

static cudaError_t add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            size_t count, const struct copy_request *request) {
    struct op *op;
    const cudaError_t error = copy_make(request, &op);
    return error ? error : graph_add_by_hand(node, graph, before, count, op);
}

static cudaError_t add_copy_3d(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                               size_t count, const struct cudaMemcpy3DParms *params) {
    struct copy_request request;
    const cudaError_t error = copy_read_3d(params, &request);
    return error ? error : add_copy(node, graph, before, count, &request);
}

static struct copy_request request_row(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    return (struct copy_request){
        .to = to, .from = from, .width = size, .height = 1, .depth = 1, .kind = kind};
}

static cudaError_t add_row(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                           size_t count, struct copy_request row) {
    return add_copy(node, graph, before, count, &row);
}

static cudaError_t set_row(cudaGraphExec_t exec, cudaGraphNode_t node, struct copy_request row) {
    struct op *op;
    const cudaError_t error = copy_make(&row, &op);
    return error ? error : graph_exec_set_transfer(exec, node, op);
}

static cudaError_t make_set(const struct cudaMemsetParams *params, struct op **op) {
    if (!params || (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    const size_t width = params->width * params->elementSize;
    const struct op_set set = {.to = params->dst,
                               .pitch = params->height > 1 ? params->pitch : width,
                               .width = width,
                               .height = params->height,
                               .value = params->value,
                               .element = params->elementSize};
    return set.pitch < width ? cudaErrorInvalidValue : set_make(&set, op);
}

static cudaError_t add_set(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                           size_t count, const struct cudaMemsetParams *params) {
    struct op *op;
    const cudaError_t error = make_set(params, &op);
    return error ? error : graph_add_by_hand(node, graph, before, count, op);
}

static cudaError_t set_set(cudaGraphExec_t exec, cudaGraphNode_t node,
                           const struct cudaMemsetParams *params) {
    struct op *op;
    const cudaError_t error = make_set(params, &op);
    return error ? error : graph_exec_set_transfer(exec, node, op);
}

/* Of the attributes that kernels' nodes have, the priority alone is modelled. */
static cudaError_t set_attribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue *value) {
    struct graph_node *node = graph_find_node(handle);
    struct op *op;
    if (!node || !value || node->op->kind != OP_KERNEL)
        return cudaErrorInvalidValue;
    if (attribute != cudaLaunchAttributePriority)
        vgpu_unmodelled(thread_state.api, "attributes other than cudaLaunchAttributePriority");
    op = op_repeat(node->op); /* executable graphs have the other one */
    op->queue.priority = stream_clamp_priority(value->priority);
    op_release(node->op);
    node->op = op;
    return cudaSuccess;
}

/* The address goes back in the parameters. */
static cudaError_t add_allocation(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count, struct cudaMemAllocNodeParams *params) {
    struct op *op;
    if (!params || params->poolProps.location.type != cudaMemLocationTypeDevice ||
        !device_exists(params->poolProps.location.id))
        return cudaErrorInvalidValue;
    const cudaError_t error =
        memory_make_graph_allocation(&params->dptr, params->bytesize, params->poolProps.location.id, &op);
    return error ? error : graph_add_by_hand(node, graph, before, count, op);
}

static cudaError_t add_free(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            size_t count, void *pointer) {
    struct op *op;
    const cudaError_t error = memory_make_graph_free(pointer, &op);
    return error ? error : graph_add_by_hand(node, graph, before, count, op);
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
API(cudaGraphAddMemcpyNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
     const struct cudaMemcpy3DParms *params),
    add_copy_3d(node, graph, before, count, params))
API(cudaGraphAddMemcpyNode1D,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, void *to,
     const void *from, size_t size, enum cudaMemcpyKind kind),
    add_row(node, graph, before, count, request_row(to, from, size, kind)))
API(cudaGraphAddMemsetNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
     const struct cudaMemsetParams *params),
    add_set(node, graph, before, count, params))
API(cudaGraphAddMemAllocNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
     struct cudaMemAllocNodeParams *params),
    add_allocation(node, graph, before, count, params))
API(cudaGraphAddMemFreeNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, void *pointer),
    add_free(node, graph, before, count, pointer))
API(cudaGraphClone, (cudaGraph_t * copy, cudaGraph_t graph), graph_clone(copy, graph))
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
API(cudaGraphExecKernelNodeSetParams,
    (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params),
    set_kernel(exec, node, params))
API(cudaGraphExecMemcpyNodeSetParams1D,
    (cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t size,
     enum cudaMemcpyKind kind),
    set_row(exec, node, request_row(to, from, size, kind)))
API(cudaGraphExecMemsetNodeSetParams,
    (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params),
    set_set(exec, node, params))
API(cudaGraphKernelNodeSetAttribute,
    (cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
    set_attribute(node, attribute, value))
API(cudaGraphExecDestroy, (cudaGraphExec_t exec), graph_exec_destroy(exec))
API_ON_STREAM(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), graph_exec_launch(exec, stream))
API_ON_STREAM(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), graph_exec_upload(exec, stream))
