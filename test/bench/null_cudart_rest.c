/*
 * Functions of CUDA that KeSCo's runtime calls in other cases only than those that are measured. They refuse,
 * whatever their arguments are.
 */
#define EXPORT __attribute__((visibility("default")))

#define UNUSED(name)                                                                                         \
    EXPORT int name(void);                                                                                   \
    EXPORT int name(void) {                                                                                  \
        return 801; /* cudaErrorNotSupported */                                                              \
    }

UNUSED(cudaDeviceGetAttribute)
UNUSED(cudaDeviceSynchronize)
UNUSED(cudaEventDestroy)
UNUSED(cudaEventElapsedTime)
UNUSED(cudaEventQuery)
UNUSED(cudaEventSynchronize)
UNUSED(cudaFree)
UNUSED(cudaGetDeviceCount)
UNUSED(cudaGraphAddMemcpyNode1D)
UNUSED(cudaGraphAddMemsetNode)
UNUSED(cudaGraphDestroy)
UNUSED(cudaGraphExecDestroy)
UNUSED(cudaGraphExecMemcpyNodeSetParams1D)
UNUSED(cudaGraphExecMemsetNodeSetParams)
UNUSED(cudaGraphKernelNodeSetAttribute)
UNUSED(cudaMalloc)
UNUSED(cudaMallocManaged)
UNUSED(cudaMemGetInfo)
UNUSED(cudaMemPrefetchAsync)
UNUSED(cudaMemcpy)
UNUSED(cudaMemcpyAsync)
UNUSED(cudaMemset)
UNUSED(cudaMemsetAsync)
UNUSED(cudaPointerGetAttributes)
UNUSED(cudaStreamDestroy)
UNUSED(cudaStreamQuery)
UNUSED(cudaStreamSynchronize)
