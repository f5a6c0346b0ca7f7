/* API functions: stream-ordered memory and its pools. */
#include "test/vgpu/api.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/pool.h"

static cudaError_t allocate_from(void **pointer, size_t size, cudaMemPool_t handle, cudaStream_t stream) {
    struct pool *pool = pool_find(handle);
    return pool ? memory_allocate_async(pointer, size, pool, stream) : cudaErrorInvalidValue;
}

API_ON_STREAM(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream),
              memory_allocate_async(pointer, size, NULL, stream))
API_ON_STREAM(cudaMallocFromPoolAsync, (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream),
              allocate_from(pointer, size, pool, stream))
API_ON_STREAM(cudaFreeAsync, (void *pointer, cudaStream_t stream), memory_free_async(pointer, stream))
API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), pool_default(pool, device))
API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), pool_get(pool, device))
API(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), pool_set(device, pool))
API(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *properties),
    pool_create(pool, properties))
API(cudaMemPoolDestroy, (cudaMemPool_t pool), pool_destroy(pool))
API(cudaMemPoolGetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
    (memory_sweep(), pool_get_attribute(pool, attribute, value)))
API(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
    pool_set_attribute(pool, attribute, value))
API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), (memory_sweep(), pool_trim(pool, keep)))
API(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count),
    pool_set_access(pool, access, count))
API(cudaMemPoolGetAccess,
    (enum cudaMemAccessFlags * flags, cudaMemPool_t pool, struct cudaMemLocation *location),
    pool_get_access(flags, pool, location))
