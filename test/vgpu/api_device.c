/* API functions: device and version management. */
#include "test/vgpu/api.h"
#include "test/vgpu/array.h"
#include "test/vgpu/capture.h"
#include "test/vgpu/event.h"
#include "test/vgpu/graph_exec.h"
#include "test/vgpu/heap.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/module.h"
#include "test/vgpu/properties.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/stream.h"

#include <cuda_profiler_api.h>

enum { VERSION = CUDART_VERSION, LIMITS = cudaLimitPersistingL2CacheSize + 1 };

/* What the program set; hints that change nothing here, and are handed back. */
struct hints {
    size_t limits[LIMITS];
    enum cudaFuncCache cache_config;
    unsigned flags;
};
#define DEFAULT_HINTS {{1024, 1 << 20, 8 << 20, 0, 2048, 64, 0}, cudaFuncCachePreferNone, cudaDeviceMapHost}
static struct hints hints[DEVICE_LIMIT] = {[0 ... DEVICE_LIMIT - 1] = DEFAULT_HINTS}; /* by device */

static struct hints *my_hints(void) {
    return &hints[thread_state.device];
}

static cudaError_t get_int(int *to, int value) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

static cudaError_t get_properties(struct cudaDeviceProp *to, int device) {
    if (!to)
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return cudaErrorInvalidDevice;
    *to = *properties();
    to->pciBusID = device;
    to->concurrentManagedAccess = settings.concurrent_managed;
    to->uuid.bytes[sizeof(to->uuid.bytes) - 1] = (char)device;
    return cudaSuccess;
}

static cudaError_t get_attribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (!device_exists(device))
        return cudaErrorInvalidDevice;
    if (attribute == cudaDevAttrPciBusId)
        return get_int(value, device);
    if (attribute == cudaDevAttrConcurrentManagedAccess)
        return get_int(value, settings.concurrent_managed);
    return properties_attribute(value, attribute);
}

static cudaError_t get_limit(size_t *to, enum cudaLimit limit) {
    if (!to)
        return cudaErrorInvalidValue;
    if ((unsigned)limit >= LIMITS || limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    *to = my_hints()->limits[limit];
    return cudaSuccess;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
    if ((unsigned)limit >= LIMITS || limit == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitMallocHeapSize && heap_resize(thread_state.device, value))
        return cudaErrorInvalidValue;
    my_hints()->limits[limit] = value;
    return cudaSuccess;
}

static cudaError_t set_cache_config(enum cudaFuncCache config) {
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    my_hints()->cache_config = config;
    return cudaSuccess;
}

static cudaError_t get_cache_config(enum cudaFuncCache *to) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = my_hints()->cache_config;
    return cudaSuccess;
}

/* "Will have no effect on devices with fixed shared memory bank size", as all have been for long. */
static cudaError_t set_bank_size(enum cudaSharedMemConfig size) {
    return (unsigned)size > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t get_bank_size(enum cudaSharedMemConfig *to) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

static cudaError_t get_flags(unsigned *to) {
    if (!to)
        return cudaErrorInvalidValue;
    *to = my_hints()->flags;
    return cudaSuccess;
}

static cudaError_t set_flags(int device, unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    if (flags & ~(unsigned)cudaDeviceMask || (schedule & (schedule - 1)))
        return cudaErrorInvalidValue;
    if (flags & cudaDeviceSyncMemops)
        vgpu_unmodelled("cudaSetDeviceFlags", "cudaDeviceSyncMemops");
    hints[device].flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

static cudaError_t init_device(int device, unsigned device_flags, unsigned flags) {
    if (!device_exists(device))
        return cudaErrorInvalidDevice;
    return flags & cudaInitDeviceFlagsAreValid ? set_flags(device, device_flags) : cudaSuccess;
}

static cudaError_t set_device(int device) {
    if (!device_exists(device))
        return cudaErrorInvalidDevice;
    thread_state.device = device;
    engine_use_context();
    return engine_gpu()->fault;
}

static cudaError_t get_priorities(int *least, int *greatest) {
    if (least)
        *least = STREAM_PRIORITY_LEAST;
    if (greatest)
        *greatest = STREAM_PRIORITY_GREATEST;
    return cudaSuccess;
}

static cudaError_t can_access_peer(int *can, int device, int peer) {
    if (!device_exists(device) || !device_exists(peer))
        return cudaErrorInvalidDevice;
    return get_int(can, device != peer);
}

static cudaError_t get_link(int *to, enum cudaDeviceP2PAttr attribute, int device, int peer) {
    if (!device_exists(device) || !device_exists(peer) || device == peer)
        return cudaErrorInvalidDevice;
    switch (attribute) {
    case cudaDevP2PAttrPerformanceRank:
        return get_int(to, 0);
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
    case cudaDevP2PAttrCudaArrayAccessSupported:
        return get_int(to, 1);
    case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
        return get_int(to, 0);
    default:
        return cudaErrorInvalidValue;
    }
}

/* They are all alike. */
static cudaError_t choose_device(int *to, const struct cudaDeviceProp *wanted) {
    return wanted ? get_int(to, 0) : cudaErrorInvalidValue;
}

static cudaError_t enable_peer_access(int peer, unsigned flags) {
    if (!device_exists(peer) || peer == thread_state.device)
        return cudaErrorInvalidDevice;
    if (flags)
        return cudaErrorInvalidValue;
    if (engine_gpu()->peers >> peer & 1)
        return cudaErrorPeerAccessAlreadyEnabled;
    engine_gpu()->peers |= 1u << peer;
    return cudaSuccess;
}

static cudaError_t disable_peer_access(int peer) {
    if (!device_exists(peer))
        return cudaErrorInvalidDevice;
    if (!(engine_gpu()->peers >> peer & 1))
        return cudaErrorPeerAccessNotEnabled;
    engine_gpu()->peers &= ~(1u << peer);
    return cudaSuccess;
}

static cudaError_t synchronize(void) {
    if (capture_check_device(thread_state.device))
        return cudaErrorStreamCaptureUnsupported;
    stream_synchronize_device(thread_state.device);
    stats.issued.syncs++;
    return cudaSuccess;
}

/* Ends all that the program made on the current device; a sticky error goes with it. */
static cudaError_t reset(void) {
    const int device = thread_state.device;
    stream_synchronize_device(device);
    capture_reset(device);
    graph_exec_reset(device);
    event_reset(device);
    stream_reset(device);
    array_reset(device);
    memory_reset(device);
    heap_reset(device);
    module_reset(device);
    hints[device] = (struct hints)DEFAULT_HINTS;
    engine_gpu()->fault = cudaSuccess;
    engine_gpu()->context = 0;
    engine_gpu()->peers = 0;
    for (int other = 0; other < settings.devices; other++)
        engine.gpus[other].peers &= ~(1u << device);
    return cudaSuccess;
}

API(cudaGetDeviceCount, (int *count), get_int(count, settings.devices))
API(cudaGetDevice, (int *device), get_int(device, thread_state.device))
API(cudaSetDevice, (int device), set_device(device))
API(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
    init_device(device, device_flags, flags))
API(cudaGetDeviceFlags, (unsigned *flags), get_flags(flags))
API(cudaSetDeviceFlags, (unsigned flags), set_flags(thread_state.device, flags))
API(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int device), get_properties(to, device))
API(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
    get_attribute(value, attribute, device))
API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), get_priorities(least, greatest))
API(cudaDeviceCanAccessPeer, (int *can, int device, int peer), can_access_peer(can, device, peer))
API(cudaDeviceGetP2PAttribute, (int *value, enum cudaDeviceP2PAttr attribute, int device, int peer),
    get_link(value, attribute, device, peer))
API(cudaChooseDevice, (int *device, const struct cudaDeviceProp *wanted), choose_device(device, wanted))
API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), enable_peer_access(peer, flags))
API(cudaDeviceDisablePeerAccess, (int peer), disable_peer_access(peer))
API(cudaDeviceSynchronize, (void), synchronize())
API(cudaDeviceReset, (void), reset())
API(cudaDeviceGetLimit, (size_t *value, enum cudaLimit limit), get_limit(value, limit))
API(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value), set_limit(limit, value))
API(cudaDeviceGetCacheConfig, (enum cudaFuncCache * config), get_cache_config(config))
API(cudaDeviceSetCacheConfig, (enum cudaFuncCache config), set_cache_config(config))
API(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * size), get_bank_size(size))
API(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig size), set_bank_size(size))
API(cudaCtxResetPersistingL2Cache, (void), cudaSuccess)
API(cudaRuntimeGetVersion, (int *version), get_int(version, VERSION))
API(cudaDriverGetVersion, (int *version), get_int(version, VERSION))
API(cudaProfilerStart, (void), cudaSuccess)
API(cudaProfilerStop, (void), cudaSuccess)
