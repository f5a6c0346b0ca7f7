/*
 * API functions as CUDA 12's headers have them: by that release's names, or as vgpu-host.so names those whose
 * arguments CUDA 13 changed. Each is what it stands for in CUDA 13.
 */
#include "test/vgpu/api.h"
#include "test/vgpu/properties.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <string.h>

static struct cudaMemLocation location_of(int device) {
    return device == cudaCpuDeviceId
               ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
               : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

enum { PROPERTIES_12 = 1032 }; /* bytes of CUDA 12's struct cudaDeviceProp */

/* The fields of CUDA 13's struct cudaDeviceProp from `first` on, up to the next row's, stand at `place` in
 * CUDA 12's. */
static const struct {
    size_t first, place;
} properties_12[] = {
    {offsetof(struct cudaDeviceProp, name), 0},
    {offsetof(struct cudaDeviceProp, multiProcessorCount), 388},
    {offsetof(struct cudaDeviceProp, integrated), 396},
    {offsetof(struct cudaDeviceProp, maxTexture1D), 408},
    {offsetof(struct cudaDeviceProp, maxTexture2D), 420},
    {offsetof(struct cudaDeviceProp, memoryBusWidth), 612},
    {offsetof(struct cudaDeviceProp, sharedMemPerMultiprocessor), 640},
    {offsetof(struct cudaDeviceProp, pageableMemoryAccess), 672},
    {offsetof(struct cudaDeviceProp, sharedMemPerBlockOptin), 696},
    {offsetof(struct cudaDeviceProp, deviceNumaConfig), PROPERTIES_12},
};

/* What CUDA 12's has at `place`, and CUDA 13 tells as an attribute alone. */
static const struct {
    enum cudaDeviceAttr attribute;
    size_t place;
} attributes_12[] = {
    {cudaDevAttrClockRate, 348},         {cudaDevAttrGpuOverlap, 384},
    {cudaDevAttrKernelExecTimeout, 392}, {cudaDevAttrComputeMode, 404},
    {cudaDevAttrMemoryClockRate, 608},   {cudaDevAttrSingleToDoublePrecisionPerfRatio, 668},
};

static cudaError_t get_properties_12(char *to, int device) {
    struct cudaDeviceProp from;
    cudaError_t error = cudaGetDeviceProperties(to ? &from : NULL, device);
    if (error)
        return error;
    memset(to, 0, PROPERTIES_12);
    for (size_t i = 0; properties_12[i].place < PROPERTIES_12; i++)
        memcpy(to + properties_12[i].place, (const char *)&from + properties_12[i].first,
               properties_12[i + 1].first - properties_12[i].first);
    for (size_t i = 0; i < sizeof(attributes_12) / sizeof(attributes_12[0]) && !error; i++)
        error =
            cudaDeviceGetAttribute((int *)(to + attributes_12[i].place), attributes_12[i].attribute, device);
    return error;
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
OLDER(cudaGetDeviceProperties_v2, (void *to, int device), get_properties_12(to, device))
OLDER(cudaThreadSynchronize, (void), cudaDeviceSynchronize())
