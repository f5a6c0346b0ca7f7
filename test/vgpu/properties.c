#include "test/vgpu/properties.h"

#include "test/vgpu/device.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/settings.h"

#include <cuda_occupancy.h>
#include <stdio.h>

enum { RESERVED_SHARED = 1 << 10 }; /* bytes of shared memory of each block that the system takes */

/* What all models have in common: CUDA Programming Guide, "Technical Specifications per Compute Capability".
 */
static struct cudaDeviceProp describe(const struct hardware *model) {
    struct cudaDeviceProp device = {
        .uuid = {"KeSCo vGPU 0000"},
        .totalGlobalMem = settings.memory,
        .sharedMemPerBlock = 48 << 10,
        .regsPerBlock = 65536,
        .warpSize = 32,
        .memPitch = 2147483647,
        .maxThreadsPerBlock = 1024,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {2147483647, 65535, 65535},
        .totalConstMem = 64 << 10,
        .major = model->processors.capability / 10,
        .minor = model->processors.capability % 10,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .multiProcessorCount = model->processors.count,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = model->memory.bus,
        .l2CacheSize = model->memory.cache_bytes,
        .maxThreadsPerMultiProcessor = model->processors.threads,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = (size_t)model->processors.shared_bytes,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .sharedMemPerBlockOptin = (size_t)model->processors.shared_bytes - RESERVED_SHARED,
        .maxBlocksPerMultiProcessor = model->processors.blocks,
        .reservedSharedMemPerBlock = RESERVED_SHARED,
        .hostRegisterSupported = 1,
        .hostRegisterReadOnlySupported = 1,
        .memoryPoolsSupported = 1,
        .cooperativeLaunch = 1,
    };
    snprintf(device.name, sizeof(device.name), "%s", model->name);
    return device;
}

const struct cudaDeviceProp *properties(void) {
    static struct cudaDeviceProp devices[HARDWARE_MODELS];
    struct cudaDeviceProp *device = &devices[hardware - hardware_models];
    if (!device->warpSize)
        *device = describe(hardware);
    return device;
}

#define ATTRIBUTE(name, value)                                                                               \
    case cudaDevAttr##name:                                                                                  \
        return value

/* -1: not modelled. */
static int attribute_value(enum cudaDeviceAttr attribute) {
    const struct cudaDeviceProp *device = properties();
    switch (attribute) {
        ATTRIBUTE(MaxThreadsPerBlock, device->maxThreadsPerBlock);
        ATTRIBUTE(MaxBlockDimX, device->maxThreadsDim[0]);
        ATTRIBUTE(MaxBlockDimY, device->maxThreadsDim[1]);
        ATTRIBUTE(MaxBlockDimZ, device->maxThreadsDim[2]);
        ATTRIBUTE(MaxGridDimX, device->maxGridSize[0]);
        ATTRIBUTE(MaxGridDimY, device->maxGridSize[1]);
        ATTRIBUTE(MaxGridDimZ, device->maxGridSize[2]);
        ATTRIBUTE(MaxSharedMemoryPerBlock, (int)device->sharedMemPerBlock);
        ATTRIBUTE(TotalConstantMemory, (int)device->totalConstMem);
        ATTRIBUTE(WarpSize, device->warpSize);
        ATTRIBUTE(MaxPitch, (int)device->memPitch);
        ATTRIBUTE(MaxRegistersPerBlock, device->regsPerBlock);
        ATTRIBUTE(ClockRate, (int)(1000 * hardware->processors.clock_mhz));
        ATTRIBUTE(TextureAlignment, (int)device->textureAlignment);
        ATTRIBUTE(GpuOverlap, 1);
        ATTRIBUTE(MultiProcessorCount, device->multiProcessorCount);
        ATTRIBUTE(KernelExecTimeout, 0);
        ATTRIBUTE(Integrated, device->integrated);
        ATTRIBUTE(CanMapHostMemory, device->canMapHostMemory);
        ATTRIBUTE(ComputeMode, cudaComputeModeDefault);
        ATTRIBUTE(ConcurrentKernels, device->concurrentKernels);
        ATTRIBUTE(EccEnabled, device->ECCEnabled);
        ATTRIBUTE(PciBusId, device->pciBusID);
        ATTRIBUTE(PciDeviceId, device->pciDeviceID);
        ATTRIBUTE(PciDomainId, device->pciDomainID);
        ATTRIBUTE(MemoryClockRate, hardware->memory.clock);
        ATTRIBUTE(GlobalMemoryBusWidth, device->memoryBusWidth);
        ATTRIBUTE(L2CacheSize, device->l2CacheSize);
        ATTRIBUTE(MaxThreadsPerMultiProcessor, device->maxThreadsPerMultiProcessor);
        ATTRIBUTE(AsyncEngineCount, device->asyncEngineCount);
        ATTRIBUTE(UnifiedAddressing, device->unifiedAddressing);
        ATTRIBUTE(ComputeCapabilityMajor, device->major);
        ATTRIBUTE(ComputeCapabilityMinor, device->minor);
        ATTRIBUTE(StreamPrioritiesSupported, device->streamPrioritiesSupported);
        ATTRIBUTE(GlobalL1CacheSupported, device->globalL1CacheSupported);
        ATTRIBUTE(LocalL1CacheSupported, device->localL1CacheSupported);
        ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, (int)device->sharedMemPerMultiprocessor);
        ATTRIBUTE(MaxRegistersPerMultiprocessor, device->regsPerMultiprocessor);
        ATTRIBUTE(ManagedMemory, device->managedMemory);
        ATTRIBUTE(IsMultiGpuBoard, device->isMultiGpuBoard);
        ATTRIBUTE(PageableMemoryAccess, device->pageableMemoryAccess);
        ATTRIBUTE(ComputePreemptionSupported, device->computePreemptionSupported);
        ATTRIBUTE(CanUseHostPointerForRegisteredMem, device->canUseHostPointerForRegisteredMem);
        ATTRIBUTE(CooperativeLaunch, device->cooperativeLaunch);
        ATTRIBUTE(MaxSharedMemoryPerBlockOptin, (int)device->sharedMemPerBlockOptin);
        ATTRIBUTE(HostRegisterSupported, device->hostRegisterSupported);
        ATTRIBUTE(PageableMemoryAccessUsesHostPageTables, device->pageableMemoryAccessUsesHostPageTables);
        ATTRIBUTE(DirectManagedMemAccessFromHost, device->directManagedMemAccessFromHost);
        ATTRIBUTE(MaxBlocksPerMultiprocessor, device->maxBlocksPerMultiProcessor);
        ATTRIBUTE(ReservedSharedMemoryPerBlock, (int)device->reservedSharedMemPerBlock);
        ATTRIBUTE(HostRegisterReadOnlySupported, device->hostRegisterReadOnlySupported);
        ATTRIBUTE(MemoryPoolsSupported, device->memoryPoolsSupported);
        ATTRIBUTE(SingleToDoublePrecisionPerfRatio, 2); /* of all models */
        ATTRIBUTE(ClusterLaunch, device->clusterLaunch);
    default:
        return -1;
    }
}

cudaError_t properties_attribute(int *value, enum cudaDeviceAttr attribute) {
    char number[32];
    if (!value || (int)attribute <= 0 || attribute >= cudaDevAttrMax)
        return cudaErrorInvalidValue;
    const int known = attribute_value(attribute);
    if (known < 0) {
        snprintf(number, sizeof(number), "attribute %d", (int)attribute);
        vgpu_unmodelled("cudaDeviceGetAttribute", number);
    }
    *value = known;
    return cudaSuccess;
}

/* Registers do not limit it: how many a kernel takes is not known. */
int properties_blocks_per_multiprocessor(int block_size, size_t shared) {
    const struct cudaDeviceProp *device = properties();
    const cudaOccDeviceProp occupied = {
        .computeMajor = device->major,
        .computeMinor = device->minor,
        .maxThreadsPerBlock = device->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = device->maxThreadsPerMultiProcessor,
        .regsPerBlock = device->regsPerBlock,
        .regsPerMultiprocessor = device->regsPerMultiprocessor,
        .warpSize = device->warpSize,
        .sharedMemPerBlock = device->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = device->sharedMemPerMultiprocessor,
        .numSms = device->multiProcessorCount,
        .sharedMemPerBlockOptin = device->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = device->reservedSharedMemPerBlock,
    };
    const cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = device->maxThreadsPerBlock,
        .sharedSizeBytes = shared,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = device->sharedMemPerBlockOptin,
        .numBlockBarriers = 1,
    };
    const cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &occupied, &function, &state, block_size, 0))
        return 0;
    return result.activeBlocksPerMultiprocessor;
}
