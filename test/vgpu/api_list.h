/*
 * Every CUDA runtime function that the virtual GPU models and that returns a cudaError_t: its name, the error
 * that VGPU_FAIL gives it, and how its entry behaves. One line per function; the _ptds and _ptsz variants
 * count as the function that they are a variant of.
 */
#ifndef KESCO_TEST_VGPU_API_LIST_H
#define KESCO_TEST_VGPU_API_LIST_H

#include <cuda_runtime_api.h>
#include <stdint.h>

enum {
    API_QUEUES = 1,      /* only queues work: a fault that the work has at once shows in a later call */
    API_AFTER_FAULT = 2, /* works after a sticky error */
    API_UNSAFE = 4,      /* "potentially unsafe" beside stream capture (capture.h) */
    API_READS = 8,  /* only reads or sets what the runtime holds, or asks what is done: takes little time */
    API_MARKS = 16, /* queues an event's record or a wait for it, or updates a node: less than other work */
    API_WORKS = 32, /* asks for work, or waits for it: with VGPU_MODE=null, it does nothing */
    API_OWN = 64    /* touches only what is the calling thread's own: with VGPU_MODE=null, takes no lock */
};

#define API_LIST(X)                                                                                          \
    X(cudaChooseDevice, cudaErrorInvalidValue, API_READS)                                                    \
    X(cudaDeviceGetP2PAttribute, cudaErrorInvalidDevice, API_READS)                                          \
    X(cudaFuncSetSharedMemConfig, cudaErrorInvalidDeviceFunction, API_READS)                                 \
    X(cudaArrayGetInfo, cudaErrorUnknown, API_READS)                                                         \
    X(cudaCreateSurfaceObject, cudaErrorMemoryAllocation, 0)                                                 \
    X(cudaCreateTextureObject, cudaErrorMemoryAllocation, 0)                                                 \
    X(cudaCtxResetPersistingL2Cache, cudaErrorUnknown, 0)                                                    \
    X(cudaDestroySurfaceObject, cudaErrorUnknown, 0)                                                         \
    X(cudaDestroyTextureObject, cudaErrorUnknown, 0)                                                         \
    X(cudaDeviceCanAccessPeer, cudaErrorInvalidDevice, API_READS)                                            \
    X(cudaDeviceDisablePeerAccess, cudaErrorPeerAccessNotEnabled, 0)                                         \
    X(cudaDeviceEnablePeerAccess, cudaErrorPeerAccessUnsupported, 0)                                         \
    X(cudaDeviceGetAttribute, cudaErrorInvalidDevice, API_AFTER_FAULT | API_READS)                           \
    X(cudaDeviceGetCacheConfig, cudaErrorUnknown, API_READS)                                                 \
    X(cudaDeviceGetDefaultMemPool, cudaErrorInvalidDevice, API_READS)                                        \
    X(cudaDeviceGetMemPool, cudaErrorInvalidDevice, API_READS)                                               \
    X(cudaDeviceSetMemPool, cudaErrorInvalidDevice, API_READS)                                               \
    X(cudaDeviceGetLimit, cudaErrorUnknown, API_READS)                                                       \
    X(cudaDeviceGetSharedMemConfig, cudaErrorUnknown, API_READS)                                             \
    X(cudaDeviceGetStreamPriorityRange, cudaErrorUnknown, API_READS)                                         \
    X(cudaDeviceReset, cudaErrorUnknown, API_AFTER_FAULT)                                                    \
    X(cudaDeviceSetCacheConfig, cudaErrorUnknown, 0)                                                         \
    X(cudaDeviceSetLimit, cudaErrorMemoryAllocation, 0)                                                      \
    X(cudaDeviceSetSharedMemConfig, cudaErrorUnknown, 0)                                                     \
    X(cudaDeviceSynchronize, cudaErrorUnknown, API_WORKS)                                                    \
    X(cudaDriverGetVersion, cudaErrorUnknown, API_AFTER_FAULT | API_READS)                                   \
    X(cudaEventCreate, cudaErrorMemoryAllocation, 0)                                                         \
    X(cudaEventCreateWithFlags, cudaErrorMemoryAllocation, 0)                                                \
    X(cudaEventDestroy, cudaErrorUnknown, 0)                                                                 \
    X(cudaEventElapsedTime, cudaErrorUnknown, API_READS)                                                     \
    X(cudaEventQuery, cudaErrorUnknown, API_READS | API_WORKS)                                               \
    X(cudaEventRecord, cudaErrorUnknown, API_QUEUES | API_MARKS | API_WORKS)                                 \
    X(cudaEventRecordWithFlags, cudaErrorUnknown, API_QUEUES | API_MARKS | API_WORKS)                        \
    X(cudaEventSynchronize, cudaErrorUnknown, API_WORKS)                                                     \
    X(cudaFree, cudaErrorUnknown, API_UNSAFE)                                                                \
    X(cudaFreeArray, cudaErrorUnknown, API_UNSAFE)                                                           \
    X(cudaFreeAsync, cudaErrorUnknown, API_QUEUES)                                                           \
    X(cudaFreeHost, cudaErrorUnknown, API_UNSAFE)                                                            \
    X(cudaFuncGetAttributes, cudaErrorInvalidDeviceFunction, API_READS)                                      \
    X(cudaFuncGetName, cudaErrorInvalidDeviceFunction, API_READS)                                            \
    X(cudaFuncSetAttribute, cudaErrorInvalidValue, 0)                                                        \
    X(cudaFuncSetCacheConfig, cudaErrorInvalidDeviceFunction, API_READS)                                     \
    X(cudaGetChannelDesc, cudaErrorUnknown, API_READS)                                                       \
    X(cudaGetDevice, cudaErrorUnknown, API_AFTER_FAULT | API_READS | API_OWN)                                \
    X(cudaGetDeviceCount, cudaErrorNoDevice, API_AFTER_FAULT | API_READS | API_OWN)                          \
    X(cudaGetDeviceFlags, cudaErrorUnknown, API_AFTER_FAULT | API_READS)                                     \
    X(cudaGetDeviceProperties, cudaErrorInvalidDevice, API_AFTER_FAULT | API_READS)                          \
    X(cudaGetDriverEntryPointByVersion, cudaErrorUnknown, 0)                                                 \
    X(cudaGetSurfaceObjectResourceDesc, cudaErrorUnknown, API_READS)                                         \
    X(cudaGetSymbolAddress, cudaErrorInvalidSymbol, API_READS)                                               \
    X(cudaGetSymbolSize, cudaErrorInvalidSymbol, API_READS)                                                  \
    X(cudaGetTextureObjectResourceDesc, cudaErrorUnknown, API_READS)                                         \
    X(cudaGetTextureObjectTextureDesc, cudaErrorUnknown, API_READS)                                          \
    X(cudaGraphAddDependencies, cudaErrorUnknown, 0)                                                         \
    X(cudaGraphAddEmptyNode, cudaErrorMemoryAllocation, 0)                                                   \
    X(cudaGraphAddHostNode, cudaErrorMemoryAllocation, 0)                                                    \
    X(cudaGraphAddKernelNode, cudaErrorMemoryAllocation, 0)                                                  \
    X(cudaGraphAddMemAllocNode, cudaErrorMemoryAllocation, 0)                                                \
    X(cudaGraphAddMemFreeNode, cudaErrorMemoryAllocation, 0)                                                 \
    X(cudaGraphAddMemcpyNode, cudaErrorMemoryAllocation, 0)                                                  \
    X(cudaGraphAddMemcpyNode1D, cudaErrorMemoryAllocation, 0)                                                \
    X(cudaGraphAddMemsetNode, cudaErrorMemoryAllocation, 0)                                                  \
    X(cudaGraphClone, cudaErrorMemoryAllocation, 0)                                                          \
    X(cudaGraphCreate, cudaErrorMemoryAllocation, 0)                                                         \
    X(cudaGraphDestroy, cudaErrorUnknown, 0)                                                                 \
    X(cudaGraphExecDestroy, cudaErrorUnknown, 0)                                                             \
    X(cudaGraphExecKernelNodeSetParams, cudaErrorInvalidValue, API_MARKS)                                    \
    X(cudaGraphExecGetFlags, cudaErrorUnknown, API_READS)                                                    \
    X(cudaGraphExecMemcpyNodeSetParams1D, cudaErrorInvalidValue, API_MARKS)                                  \
    X(cudaGraphExecMemsetNodeSetParams, cudaErrorInvalidValue, API_MARKS)                                    \
    X(cudaGraphKernelNodeSetAttribute, cudaErrorInvalidValue, 0)                                             \
    X(cudaGraphGetEdges, cudaErrorUnknown, 0)                                                                \
    X(cudaGraphGetNodes, cudaErrorUnknown, 0)                                                                \
    X(cudaGraphGetRootNodes, cudaErrorUnknown, 0)                                                            \
    X(cudaGraphInstantiate, cudaErrorMemoryAllocation, 0)                                                    \
    X(cudaGraphInstantiateWithFlags, cudaErrorMemoryAllocation, 0)                                           \
    X(cudaGraphLaunch, cudaErrorLaunchOutOfResources, API_QUEUES | API_WORKS)                                \
    X(cudaGraphNodeGetDependencies, cudaErrorUnknown, 0)                                                     \
    X(cudaGraphNodeGetDependentNodes, cudaErrorUnknown, 0)                                                   \
    X(cudaGraphNodeGetType, cudaErrorUnknown, API_READS)                                                     \
    X(cudaGraphUpload, cudaErrorMemoryAllocation, API_QUEUES | API_WORKS)                                    \
    X(cudaHostAlloc, cudaErrorMemoryAllocation, API_UNSAFE)                                                  \
    X(cudaHostGetDevicePointer, cudaErrorUnknown, API_READS)                                                 \
    X(cudaHostGetFlags, cudaErrorUnknown, API_READS)                                                         \
    X(cudaHostRegister, cudaErrorMemoryAllocation, API_UNSAFE)                                               \
    X(cudaHostUnregister, cudaErrorUnknown, API_UNSAFE)                                                      \
    X(cudaInitDevice, cudaErrorInvalidDevice, 0)                                                             \
    X(cudaLaunchHostFunc, cudaErrorUnknown, API_QUEUES | API_WORKS)                                          \
    X(cudaLaunchCooperativeKernel, cudaErrorLaunchOutOfResources, API_QUEUES | API_WORKS)                    \
    X(cudaLaunchKernel, cudaErrorLaunchOutOfResources, API_QUEUES | API_WORKS)                               \
    X(cudaLaunchKernelExC, cudaErrorLaunchOutOfResources, API_QUEUES | API_WORKS)                            \
    X(cudaMalloc, cudaErrorMemoryAllocation, API_UNSAFE)                                                     \
    X(cudaMalloc3D, cudaErrorMemoryAllocation, API_UNSAFE)                                                   \
    X(cudaMalloc3DArray, cudaErrorMemoryAllocation, API_UNSAFE)                                              \
    X(cudaMallocArray, cudaErrorMemoryAllocation, API_UNSAFE)                                                \
    X(cudaMallocAsync, cudaErrorMemoryAllocation, API_QUEUES)                                                \
    X(cudaMallocFromPoolAsync, cudaErrorMemoryAllocation, API_QUEUES)                                        \
    X(cudaMallocHost, cudaErrorMemoryAllocation, API_UNSAFE)                                                 \
    X(cudaMallocManaged, cudaErrorMemoryAllocation, API_UNSAFE)                                              \
    X(cudaMallocPitch, cudaErrorMemoryAllocation, API_UNSAFE)                                                \
    X(cudaMemAdvise, cudaErrorUnknown, API_WORKS)                                                            \
    X(cudaMemGetInfo, cudaErrorUnknown, 0)                                                                   \
    X(cudaMemPoolCreate, cudaErrorMemoryAllocation, 0)                                                       \
    X(cudaMemPoolDestroy, cudaErrorUnknown, 0)                                                               \
    X(cudaMemPoolGetAccess, cudaErrorUnknown, API_READS)                                                     \
    X(cudaMemPoolGetAttribute, cudaErrorUnknown, API_READS)                                                  \
    X(cudaMemPoolSetAccess, cudaErrorUnknown, API_READS)                                                     \
    X(cudaMemPoolSetAttribute, cudaErrorUnknown, API_READS)                                                  \
    X(cudaMemPoolTrimTo, cudaErrorUnknown, 0)                                                                \
    X(cudaMemPrefetchAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                        \
    X(cudaMemcpy, cudaErrorUnknown, API_WORKS)                                                               \
    X(cudaMemcpy2D, cudaErrorUnknown, API_WORKS)                                                             \
    X(cudaMemcpy2DArrayToArray, cudaErrorUnknown, API_WORKS)                                                 \
    X(cudaMemcpy2DAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                           \
    X(cudaMemcpy2DFromArray, cudaErrorUnknown, API_WORKS)                                                    \
    X(cudaMemcpy2DFromArrayAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                  \
    X(cudaMemcpy2DToArray, cudaErrorUnknown, API_WORKS)                                                      \
    X(cudaMemcpy2DToArrayAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                    \
    X(cudaMemcpy3D, cudaErrorUnknown, API_WORKS)                                                             \
    X(cudaMemcpy3DAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                           \
    X(cudaMemcpyArrayToArray, cudaErrorUnknown, API_WORKS)                                                   \
    X(cudaMemcpyAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                             \
    X(cudaMemcpyFromArray, cudaErrorUnknown, API_WORKS)                                                      \
    X(cudaMemcpyFromArrayAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                    \
    X(cudaMemcpyFromSymbol, cudaErrorUnknown, API_WORKS)                                                     \
    X(cudaMemcpyFromSymbolAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                   \
    X(cudaMemcpyPeer, cudaErrorUnknown, API_UNSAFE | API_WORKS)                                              \
    X(cudaMemcpyPeerAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                         \
    X(cudaMemcpyToArray, cudaErrorUnknown, API_WORKS)                                                        \
    X(cudaMemcpyToArrayAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                      \
    X(cudaMemcpyToSymbol, cudaErrorUnknown, API_WORKS)                                                       \
    X(cudaMemcpyToSymbolAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                     \
    X(cudaMemset, cudaErrorUnknown, API_WORKS)                                                               \
    X(cudaMemset2D, cudaErrorUnknown, API_WORKS)                                                             \
    X(cudaMemset2DAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                           \
    X(cudaMemsetAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                             \
    X(cudaOccupancyAvailableDynamicSMemPerBlock, cudaErrorUnknown, API_READS)                                \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaErrorUnknown, API_READS)                            \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cudaErrorUnknown, API_READS)                   \
    X(cudaPointerGetAttributes, cudaErrorUnknown, API_READS)                                                 \
    X(cudaProfilerStart, cudaErrorUnknown, 0)                                                                \
    X(cudaProfilerStop, cudaErrorUnknown, 0)                                                                 \
    X(cudaRuntimeGetVersion, cudaErrorUnknown, API_AFTER_FAULT | API_READS)                                  \
    X(cudaSetDevice, cudaErrorInvalidDevice, API_AFTER_FAULT | API_READS)                                    \
    X(cudaSetDeviceFlags, cudaErrorUnknown, 0)                                                               \
    X(cudaStreamAddCallback, cudaErrorUnknown, API_QUEUES | API_WORKS)                                       \
    X(cudaStreamAttachMemAsync, cudaErrorUnknown, API_QUEUES | API_WORKS)                                    \
    X(cudaStreamBeginCapture, cudaErrorUnknown, 0)                                                           \
    X(cudaStreamCreate, cudaErrorMemoryAllocation, 0)                                                        \
    X(cudaStreamCreateWithFlags, cudaErrorMemoryAllocation, 0)                                               \
    X(cudaStreamCreateWithPriority, cudaErrorMemoryAllocation, 0)                                            \
    X(cudaStreamDestroy, cudaErrorUnknown, 0)                                                                \
    X(cudaStreamEndCapture, cudaErrorUnknown, 0)                                                             \
    X(cudaStreamGetCaptureInfo, cudaErrorUnknown, API_READS)                                                 \
    X(cudaStreamGetDevice, cudaErrorUnknown, API_READS)                                                      \
    X(cudaStreamGetFlags, cudaErrorUnknown, API_READS)                                                       \
    X(cudaStreamGetId, cudaErrorUnknown, API_READS)                                                          \
    X(cudaStreamGetPriority, cudaErrorUnknown, API_READS)                                                    \
    X(cudaStreamIsCapturing, cudaErrorUnknown, API_READS)                                                    \
    X(cudaStreamQuery, cudaErrorUnknown, API_READS | API_WORKS)                                              \
    X(cudaStreamSynchronize, cudaErrorUnknown, API_WORKS)                                                    \
    X(cudaStreamWaitEvent, cudaErrorUnknown, API_QUEUES | API_MARKS | API_WORKS)                             \
    X(cudaThreadExchangeStreamCaptureMode, cudaErrorUnknown, API_READS | API_OWN)

#define API_LIST_ID(name, failure, flags) API_ID_##name,
enum api_id { API_LIST(API_LIST_ID) API_COUNT };
#undef API_LIST_ID

#define API_LIST_FLAGS(name, failure, flags) API_FLAGS_##name = (flags),
enum { API_LIST(API_LIST_FLAGS) API_FLAGS_END };
#undef API_LIST_FLAGS

struct api {
    const char *name;
    cudaError_t failure; /* what VGPU_FAIL makes it return */
    unsigned flags;      /* API_ */
};

/* By enum api_id. */
extern const struct api api_table[API_COUNT];

#endif
