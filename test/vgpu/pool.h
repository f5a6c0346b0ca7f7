/*
 * Memory pools, of which stream-ordered memory is: what their attributes say, who may reach their memory.
 * They only count: which addresses are given out again, and when, they do not say.
 */
#ifndef KESCO_TEST_VGPU_POOL_H
#define KESCO_TEST_VGPU_POOL_H

#include "test/vgpu/engine.h"

#include <stddef.h>

struct pool;

/* The pool of a handle, or NULL. */
struct pool *pool_find(cudaMemPool_t handle);

/* The pool that cudaMallocAsync takes memory of a device from. */
struct pool *pool_of_device(int device);

int pool_device(const struct pool *pool);

/* Memory is taken from the pool, and given back. A destroyed pool goes with the last of its memory. */
void pool_take(struct pool *pool, size_t size);
void pool_give_back(struct pool *pool, size_t size);

/* True if kernels of `device` may touch the pool's memory. */
bool pool_is_reachable(const struct pool *pool, int device);

/* The API's; see CUDA Runtime API, "Stream Ordered Memory Allocator". */
cudaError_t pool_default(cudaMemPool_t *handle, int device);
cudaError_t pool_get(cudaMemPool_t *handle, int device);
cudaError_t pool_set(int device, cudaMemPool_t handle);
cudaError_t pool_create(cudaMemPool_t *handle, const struct cudaMemPoolProps *properties);
cudaError_t pool_destroy(cudaMemPool_t handle);
cudaError_t pool_get_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value);
cudaError_t pool_set_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, const void *value);
cudaError_t pool_trim(cudaMemPool_t handle, size_t keep);
cudaError_t pool_set_access(cudaMemPool_t handle, const struct cudaMemAccessDesc *access, size_t count);
cudaError_t pool_get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                            const struct cudaMemLocation *location);

#endif
