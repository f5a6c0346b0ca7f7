/*
 * API functions as CUDA 12's headers have them: by that release's names, or as vgpu-host.so names those whose
 * arguments CUDA 13 changed. Each is what it stands for in CUDA 13. cudaGetDeviceProperties_v2 is not
 * here, because its struct is another.
 */
#include "test/vgpu/api.h"

#include <cuda_runtime_api.h>

static struct cudaMemLocation location_of(int device) {
    return device == cudaCpuDeviceId
               ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
               : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t size, struct cudaMemLocation location,
                                      unsigned flags, cudaStream_t stream);

/* A definition, whose declaration is in no header of CUDA 13. */
#define OLDER(name, parameters, ...)                                                                         \
    VGPU_EXPORT cudaError_t name parameters;                                                                 \
    VGPU_EXPORT cudaError_t name parameters {                                                                \
        return __VA_ARGS__;                                                                                  \
    }

OLDER(vgpu_12_cudaMemPrefetchAsync, (const void *pointer, size_t size, int device, cudaStream_t stream),
      cudaMemPrefetchAsync(pointer, size, location_of(device), 0, stream))
OLDER(vgpu_12_cudaMemPrefetchAsync_ptsz, (const void *pointer, size_t size, int device, cudaStream_t stream),
      cudaMemPrefetchAsync_ptsz(pointer, size, location_of(device), 0, stream))
OLDER(cudaMemPrefetchAsync_v2,
      (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
       cudaStream_t stream),
      cudaMemPrefetchAsync(pointer, size, location, flags, stream))
OLDER(cudaMemPrefetchAsync_v2_ptsz,
      (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
       cudaStream_t stream),
      cudaMemPrefetchAsync_ptsz(pointer, size, location, flags, stream))
OLDER(vgpu_12_cudaMemAdvise, (const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device),
      cudaMemAdvise(pointer, size, advice, location_of(device)))
OLDER(cudaMemAdvise_v2,
      (const void *pointer, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
      cudaMemAdvise(pointer, size, advice, location))
OLDER(vgpu_12_cudaGraphAddDependencies,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
      cudaGraphAddDependencies(graph, from, to, NULL, count))
OLDER(cudaGraphAddDependencies_v2,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *data, size_t count),
      cudaGraphAddDependencies(graph, from, to, data, count))
OLDER(cudaThreadSynchronize, (void), cudaDeviceSynchronize())
