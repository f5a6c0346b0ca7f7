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

/* CUDA Driver API, "cuMemGetAddressRange": base and size of the device allocation that `pointer` leads into.
 */
static CUresult CUDAAPI get_address_range(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
    pthread_mutex_lock(&engine.lock);
    const struct allocation *allocation = memory_find((const void *)pointer);
    const bool found = allocation && allocation->kind != MEMORY_REGISTERED;
    if (found && base)
        *base = (CUdeviceptr)allocation->base;
    if (found && size)
        *size = allocation->size;
    pthread_mutex_unlock(&engine.lock);
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static cudaError_t get_entry_point(const char *symbol, void **function, unsigned version,
                                   enum cudaDriverEntryPointQueryResult *status) {
    if (!symbol || !function)
        return cudaErrorInvalidValue;
    if (strcmp(symbol, "cuMemGetAddressRange") != 0 || version < 3020)
        vgpu_unmodelled(symbol, "asked for by cudaGetDriverEntryPointByVersion");
    CUresult (*found)(CUdeviceptr *, size_t *, CUdeviceptr) = get_address_range;
    memcpy(function, &found, sizeof(found));
    if (status)
        *status = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* The driver functions that are known here have no stream, so that their per-thread variants are the same. */
VGPU_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                              unsigned version, unsigned long long flags,
                                                              enum cudaDriverEntryPointQueryResult *status);
VGPU_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                              unsigned version, unsigned long long flags,
                                                              enum cudaDriverEntryPointQueryResult *status) {
    (void)flags;
    API_BODY(cudaGetDriverEntryPointByVersion, get_entry_point(symbol, function, version, status))
}

API(cudaGetDriverEntryPointByVersion,
    (const char *symbol, void **function, unsigned version, unsigned long long flags,
     enum cudaDriverEntryPointQueryResult *status),
    ((void)flags, get_entry_point(symbol, function, version, status)))
