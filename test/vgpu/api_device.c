/* API functions: device and version management. There is one device, number 0. */
#include "test/vgpu/api.h"
#include "test/vgpu/capture.h"
#include "test/vgpu/event.h"
#include "test/vgpu/graph_exec.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/module.h"
#include "test/vgpu/properties.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/stream.h"

#include <cuda_profiler_api.h>

enum { VERSION = CUDART_VERSION, LIMITS = cudaLimitPersistingL2CacheSize + 1 };

/* What the program set; hints that change nothing here, and are handed back. */
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 0, 2048, 64, 0};
static enum cudaFuncCache cache_config = cudaFuncCachePreferNone;
static unsigned device_flags = cudaDeviceMapHost;

static cudaError_t get_int(int *to, int value) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

static cudaError_t get_properties(struct cudaDeviceProp *to, int device) {
    if (!to)
        return cudaErrorInvalidValue;
    if (device)
        return cudaErrorInvalidDevice;
    *to = *properties();
    return cudaSuccess;
}

static cudaError_t get_limit(size_t *to, enum cudaLimit limit) {
    if (!to)
        return cudaErrorInvalidValue;
    if ((unsigned)limit >= LIMITS || limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    *to = limits[limit];
    return cudaSuccess;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
    if ((unsigned)limit >= LIMITS || limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    limits[limit] = value;
    return cudaSuccess;
}

static cudaError_t set_cache_config(enum cudaFuncCache config) {
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    cache_config = config;
    return cudaSuccess;
}

static cudaError_t get_cache_config(enum cudaFuncCache *to) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = cache_config;
    return cudaSuccess;
}

static cudaError_t get_flags(unsigned *to) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = device_flags;
    return cudaSuccess;
}

static cudaError_t set_flags(unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    if (flags & ~(unsigned)cudaDeviceMask || (schedule & (schedule - 1)))
        return cudaErrorInvalidValue;
    if (flags & cudaDeviceSyncMemops)
        vgpu_unmodelled("cudaSetDeviceFlags", "cudaDeviceSyncMemops");
    device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

static cudaError_t get_priorities(int *least, int *greatest) {
    if (least)
        *least = STREAM_PRIORITY_LEAST;
    if (greatest)
        *greatest = STREAM_PRIORITY_GREATEST;
    return cudaSuccess;
}

static cudaError_t can_access_peer(int *can, int device, int peer) {
    return device || peer ? cudaErrorInvalidDevice : get_int(can, 0);
}

static cudaError_t synchronize(void) {
    if (capture_check_device())
        return cudaErrorStreamCaptureUnsupported;
    stream_synchronize_all();
    stats.syncs++;
    return cudaSuccess;
}

/* Ends all that the program made on the device; a sticky error goes with it. */
static cudaError_t reset(void) {
    stream_synchronize_all();
    capture_reset();
    graph_exec_reset();
    event_reset();
    stream_reset();
    memory_reset();
    module_reset();
    engine.fault = cudaSuccess;
    return cudaSuccess;
}

API(cudaGetDeviceCount, (int *count), get_int(count, 1))
API(cudaGetDevice, (int *device), get_int(device, 0))
API(cudaSetDevice, (int device), device ? cudaErrorInvalidDevice : cudaSuccess)
API(cudaInitDevice, (int device, unsigned flags_of_device, unsigned flags),
    device                               ? cudaErrorInvalidDevice
    : flags &cudaInitDeviceFlagsAreValid ? set_flags(flags_of_device)
                                         : cudaSuccess)
API(cudaGetDeviceFlags, (unsigned *flags), get_flags(flags))
API(cudaSetDeviceFlags, (unsigned flags), set_flags(flags))
API(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int device), get_properties(to, device))
API(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
    device ? cudaErrorInvalidDevice : properties_attribute(value, attribute))
API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), get_priorities(least, greatest))
API(cudaDeviceCanAccessPeer, (int *can, int device, int peer), can_access_peer(can, device, peer))
API(cudaDeviceSynchronize, (void), synchronize())
API(cudaDeviceReset, (void), reset())
API(cudaDeviceGetLimit, (size_t *value, enum cudaLimit limit), get_limit(value, limit))
API(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value), set_limit(limit, value))
API(cudaDeviceGetCacheConfig, (enum cudaFuncCache * config), get_cache_config(config))
API(cudaDeviceSetCacheConfig, (enum cudaFuncCache config), set_cache_config(config))
API(cudaCtxResetPersistingL2Cache, (void), cudaSuccess)
API(cudaRuntimeGetVersion, (int *version), get_int(version, VERSION))
API(cudaDriverGetVersion, (int *version), get_int(version, VERSION))
API(cudaProfilerStart, (void), cudaSuccess)
API(cudaProfilerStop, (void), cudaSuccess)
