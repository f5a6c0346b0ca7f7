/*
 * What programs reach of the driver API through the runtime API: cudaGetDriverEntryPointByVersion, and the
 * driver functions that it finds here.
 */
#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/fail.h"
#include "test/vgpu/memory.h"

#include <cuda.h>
#include <string.h>

/* CUDA Driver API, "cuMemGetAddressRange": base and size of the allocation that `pointer` leads into, memory
 * of the host that is page-locked included (as driver 580 on an H200). */
static CUresult CUDAAPI get_address_range(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
    pthread_mutex_lock(&engine.lock);
    const struct allocation *allocation = memory_find((const void *)pointer);
    if (allocation && base)
        *base = (CUdeviceptr)allocation->base;
    if (allocation && size)
        *size = allocation->size;
    pthread_mutex_unlock(&engine.lock);
    return allocation ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* CUDA Driver API, "cuPointerGetAttribute": the pool that memory was allocated from, or NULL. */
static CUresult CUDAAPI get_pointer_attribute(void *value, CUpointer_attribute attribute,
                                              CUdeviceptr pointer) {
    if (attribute != CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
        vgpu_unmodelled("cuPointerGetAttribute", "of anything but the pool");
    pthread_mutex_lock(&engine.lock);
    const struct allocation *allocation = memory_find((const void *)pointer);
    const void *pool = allocation ? allocation->pool : NULL;
    pthread_mutex_unlock(&engine.lock);
    if (!allocation || !value)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(value, &pool, sizeof(pool));
    return CUDA_SUCCESS;
}

/*
 * CUDA Driver API, "cuCtxGetId": a reset ends the context, and the next one has another number. A thread that
 * has called nothing that needs a context has none; one whose context is gone is told so (as driver 580 does
 * on an H100).
 */
static CUresult CUDAAPI get_context_id(CUcontext context, unsigned long long *id) {
    if (context)
        vgpu_unmodelled("cuCtxGetId", "of a context that is named");
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&engine.lock);
    const uint64_t used = thread_state.contexts[thread_state.device];
    const bool is_there = used == engine_gpu()->context;
    pthread_mutex_unlock(&engine.lock);
    if (used && is_there)
        *id = used;
    return !used ? CUDA_ERROR_INVALID_CONTEXT : is_there ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/*
 * CUDA Driver API, "cuEventRecord", "cuStreamWaitEvent" and "cuStreamIsCapturing": as the functions of the
 * runtime API, for whose calls they count, but that its last error stays as it is.
 */
static CUresult CUDAAPI record_event(CUevent event, CUstream stream) {
    const cudaError_t before = thread_state.last_error, error = cudaEventRecord(event, stream);
    thread_state.last_error = before;
    return (CUresult)error;
}

static CUresult CUDAAPI record_event_ptsz(CUevent event, CUstream stream) {
    return record_event(event, stream ? stream : cudaStreamPerThread);
}

static CUresult CUDAAPI wait_event(CUstream stream, CUevent event, unsigned flags) {
    const cudaError_t before = thread_state.last_error, error = cudaStreamWaitEvent(stream, event, flags);
    thread_state.last_error = before;
    return (CUresult)error;
}

static CUresult CUDAAPI wait_event_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return wait_event(stream ? stream : cudaStreamPerThread, event, flags);
}

static CUresult CUDAAPI is_capturing(CUstream stream, CUstreamCaptureStatus *status) {
    enum cudaStreamCaptureStatus found = cudaStreamCaptureStatusNone;
    const cudaError_t before = thread_state.last_error,
                      error = cudaStreamIsCapturing(stream, status ? &found : NULL);
    thread_state.last_error = before;
    if (status)
        *status = (CUstreamCaptureStatus)found;
    return (CUresult)error;
}

static CUresult CUDAAPI is_capturing_ptsz(CUstream stream, CUstreamCaptureStatus *status) {
    return is_capturing(stream ? stream : cudaStreamPerThread, status);
}

typedef void any_function(void);

static const struct {
    const char *name;
    unsigned version;         /* of CUDA that it came with */
    any_function *function;   /* to which stream 0 is the legacy default stream */
    any_function *per_thread; /* to which it is the per-thread one */
} driver_functions[] = {
    {"cuMemGetAddressRange", 3020, (any_function *)get_address_range, (any_function *)get_address_range},
    {"cuPointerGetAttribute", 4000, (any_function *)get_pointer_attribute,
     (any_function *)get_pointer_attribute},
    {"cuCtxGetId", 12000, (any_function *)get_context_id, (any_function *)get_context_id},
    {"cuEventRecord", 2000, (any_function *)record_event, (any_function *)record_event_ptsz},
    {"cuStreamWaitEvent", 3020, (any_function *)wait_event, (any_function *)wait_event_ptsz},
    {"cuStreamIsCapturing", 10000, (any_function *)is_capturing, (any_function *)is_capturing_ptsz},
};

static any_function *find_driver_function(const char *symbol, unsigned version, bool per_thread) {
    for (size_t i = 0; i < sizeof(driver_functions) / sizeof(*driver_functions); i++) {
        if (strcmp(driver_functions[i].name, symbol) == 0 && version >= driver_functions[i].version)
            return per_thread ? driver_functions[i].per_thread : driver_functions[i].function;
    }
    vgpu_unmodelled(symbol, "asked for by cudaGetDriverEntryPointByVersion");
}

static cudaError_t get_entry_point(const char *symbol, void **function, unsigned version, bool per_thread,
                                   enum cudaDriverEntryPointQueryResult *status) {
    if (!symbol || !function)
        return cudaErrorInvalidValue;
    any_function *found = find_driver_function(symbol, version, per_thread);
    memcpy(function, &found, sizeof(found));
    if (status)
        *status = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

VGPU_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                              unsigned version, unsigned long long flags,
                                                              enum cudaDriverEntryPointQueryResult *status);
VGPU_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                              unsigned version, unsigned long long flags,
                                                              enum cudaDriverEntryPointQueryResult *status){
    API_BODY(cudaGetDriverEntryPointByVersion,
             get_entry_point(symbol, function, version, flags != cudaEnableLegacyStream, status))}

API(cudaGetDriverEntryPointByVersion,
    (const char *symbol, void **function, unsigned version, unsigned long long flags,
     enum cudaDriverEntryPointQueryResult *status),
    get_entry_point(symbol, function, version, flags == cudaEnablePerThreadDefaultStream, status))
