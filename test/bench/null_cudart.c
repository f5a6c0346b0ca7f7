#include "test/bench/null_cudart.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static struct null_cudart_costs costs;
static uintptr_t handles; /* given out so far */
static struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configuration; /* of the launch that is being made */

EXPORT void null_cudart_set_costs(const struct null_cudart_costs *new_costs) {
    costs = *new_costs;
}

static cudaError_t take(uint64_t rounds) {
    uint64_t i;

    for (i = 0; i < rounds; i++)
        __asm__ volatile("");
    return cudaSuccess;
}

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared = shared;
    configuration.stream = stream;
    return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    memcpy(stream, &configuration.stream, sizeof configuration.stream);
    return take(0);
}

EXPORT cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream) {
    (void)function, (void)grid, (void)block, (void)arguments, (void)shared, (void)stream;
    return take(costs.launch);
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    return take(costs.event);
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return take(costs.event);
}

static CUresult record(CUevent event, CUstream stream) {
    (void)event, (void)stream;
    return (CUresult)take(costs.event);
}

static CUresult wait(CUstream stream, CUevent event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return (CUresult)take(costs.event);
}

static CUresult context_id(CUcontext context, unsigned long long *id) {
    (void)context;
    *id = 1;
    return (CUresult)take(costs.query);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *status) {
    CUresult (*const recording)(CUevent, CUstream) = record;
    CUresult (*const waiting)(CUstream, CUevent, unsigned) = wait;
    CUresult (*const asking)(CUcontext, unsigned long long *) = context_id;

    (void)version, (void)flags;
    if (strcmp(symbol, "cuEventRecord") == 0)
        memcpy(function, &recording, sizeof recording);
    else if (strcmp(symbol, "cuStreamWaitEvent") == 0)
        memcpy(function, &waiting, sizeof waiting);
    else if (strcmp(symbol, "cuCtxGetId") == 0)
        memcpy(function, &asking, sizeof asking);
    else
        return cudaErrorNotSupported;
    *status = cudaDriverEntryPointSuccess;
    return take(costs.query);
}

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    (void)flags;
    *graph = (cudaGraph_t)(++handles << 4);
    return take(0);
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *before, size_t count,
                                          const struct cudaKernelNodeParams *kernel) {
    (void)graph, (void)before, (void)count, (void)kernel;
    *node = (cudaGraphNode_t)(++handles << 4);
    return take(0);
}

EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                 unsigned long long flags) {
    (void)graph, (void)flags;
    *executable = (cudaGraphExec_t)(++handles << 4);
    return take(0);
}

EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *kernel) {
    (void)executable, (void)node, (void)kernel;
    return take(costs.event);
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    (void)executable, (void)stream;
    return take(costs.graph);
}

EXPORT cudaError_t cudaPeekAtLastError(void) {
    return take(costs.query);
}

EXPORT cudaError_t cudaGetLastError(void) {
    return take(costs.query);
}

EXPORT const char *cudaGetErrorName(cudaError_t error) {
    return error == cudaSuccess ? "cudaSuccess" : "an error";
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return take(costs.query);
}

EXPORT cudaError_t cudaSetDevice(int device) {
    (void)device;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return take(costs.query);
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return take(costs.query);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    (void)flags;
    *stream = (cudaStream_t)(++handles << 4);
    return take(costs.query);
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    (void)flags;
    *event = (cudaEvent_t)(++handles << 4);
    return take(costs.query);
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                            size_t *count) {
    (void)stream, (void)id, (void)graph, (void)nodes, (void)edges, (void)count;
    *status = cudaStreamCaptureStatusNone;
    return take(costs.query);
}

EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    *id = (uintptr_t)stream;
    return take(costs.query);
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    (void)stream;
    *status = cudaStreamCaptureStatusNone;
    return take(costs.query);
}

EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    (void)mode;
    return take(costs.query);
}
