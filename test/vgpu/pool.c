#include "test/vgpu/pool.h"

#include "test/vgpu/device.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_HANDLE = 0x70, REUSE_POLICIES = 3 };

struct pool {
    cudaMemPool_t handle;
    int device;
    uint32_t readers, peers; /* one bit per device whose kernels may touch its memory; peers may write too */
    int reuse[REUSE_POLICIES];
    uint64_t threshold;               /* bytes that it keeps when the host synchronises */
    uint64_t used, used_high;         /* bytes that the program has */
    uint64_t reserved, reserved_high; /* bytes that the pool has, given out or not */
    bool destroyed;
};

static struct handle_table handles = {.name = "memory pool", .kind = POOL_HANDLE};
static struct pool *defaults[DEVICE_LIMIT], *currents[DEVICE_LIMIT]; /* by device; NULL: not yet asked for */

struct pool *pool_find(cudaMemPool_t handle) {
    return handle_get(&handles, handle);
}

static struct pool *make(int device) {
    struct pool *pool = allocate(1, sizeof(*pool));
    pool->device = device;
    for (int i = 0; i < REUSE_POLICIES; i++)
        pool->reuse[i] = 1;
    pool->handle = handle_new(&handles, pool);
    return pool;
}

static struct pool *default_of(int device) {
    if (!defaults[device])
        defaults[device] = make(device);
    return defaults[device];
}

struct pool *pool_of_device(int device) {
    return currents[device] ? currents[device] : default_of(device);
}

int pool_device(const struct pool *pool) {
    return pool->device;
}

bool pool_is_reachable(const struct pool *pool, int device) {
    return device == pool->device || (pool->peers | pool->readers) >> device & 1;
}

/* What is not given out goes back to the system but for the threshold, as late as it may: when it is asked.
 */
static void settle(struct pool *pool) {
    const uint64_t kept = pool->reserved < pool->threshold ? pool->reserved : pool->threshold;
    pool->reserved = pool->used > kept ? pool->used : kept;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
}

void pool_take(struct pool *pool, size_t size) {
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    settle(pool);
}

void pool_give_back(struct pool *pool, size_t size) {
    pool->used -= size;
    if (pool->destroyed && !pool->used)
        free(pool);
}

cudaError_t pool_default(cudaMemPool_t *handle, int device) {
    if (!handle)
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return cudaErrorInvalidDevice;
    *handle = default_of(device)->handle;
    return cudaSuccess;
}

cudaError_t pool_get(cudaMemPool_t *handle, int device) {
    if (!handle || !device_exists(device))
        return cudaErrorInvalidValue;
    *handle = pool_of_device(device)->handle;
    return cudaSuccess;
}

cudaError_t pool_set(int device, cudaMemPool_t handle) {
    struct pool *pool = pool_find(handle);
    if (!pool || !device_exists(device) || pool->device != device)
        return cudaErrorInvalidValue;
    currents[device] = pool;
    return cudaSuccess;
}

cudaError_t pool_create(cudaMemPool_t *handle, const struct cudaMemPoolProps *properties) {
    if (!handle || !properties || properties->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone)
        vgpu_unmodelled("cudaMemPoolCreate", "memory that is shared with other processes");
    if (properties->location.type != cudaMemLocationTypeDevice)
        vgpu_unmodelled("cudaMemPoolCreate", "a pool of the host's memory");
    if (!device_exists(properties->location.id))
        return cudaErrorInvalidValue;
    *handle = make(properties->location.id)->handle;
    return cudaSuccess;
}

/* "If the pool is the current pool of its device, the default one takes its place." */
cudaError_t pool_destroy(cudaMemPool_t handle) {
    struct pool *pool = pool_find(handle);
    if (!pool || pool == defaults[pool->device])
        return cudaErrorInvalidValue;
    if (currents[pool->device] == pool)
        currents[pool->device] = NULL;
    handle_free(&handles, handle);
    pool->destroyed = true;
    if (!pool->used)
        free(pool);
    return cudaSuccess;
}

/* The attribute's place in the pool if it counts bytes, else NULL. */
static uint64_t *bytes_of(struct pool *pool, enum cudaMemPoolAttr attribute) {
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent:
        return &pool->reserved;
    case cudaMemPoolAttrReservedMemHigh:
        return &pool->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->used_high;
    default:
        return NULL;
    }
}

static int *reuse_of(struct pool *pool, enum cudaMemPoolAttr attribute) {
    const int place = (int)attribute - (int)cudaMemPoolReuseFollowEventDependencies;
    return place >= 0 && place < REUSE_POLICIES ? &pool->reuse[place] : NULL;
}

cudaError_t pool_get_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    struct pool *pool = pool_find(handle);
    if (!pool || !value)
        return cudaErrorInvalidValue;
    settle(pool);
    const uint64_t *bytes = bytes_of(pool, attribute);
    const int *reuse = reuse_of(pool, attribute);
    if (bytes)
        memcpy(value, bytes, sizeof(*bytes));
    else if (reuse)
        memcpy(value, reuse, sizeof(*reuse));
    else
        vgpu_unmodelled("cudaMemPoolGetAttribute", "an attribute of this kind");
    return cudaSuccess;
}

/* High marks can only be set to 0, which makes them what there is now. */
cudaError_t pool_set_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, const void *value) {
    struct pool *pool = pool_find(handle);
    uint64_t bytes;
    if (!pool || !value)
        return cudaErrorInvalidValue;
    int *reuse = reuse_of(pool, attribute);
    if (reuse) {
        memcpy(reuse, value, sizeof(*reuse));
        return cudaSuccess;
    }
    memcpy(&bytes, value, sizeof(bytes));
    settle(pool);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->threshold = bytes;
        return cudaSuccess;
    }
    if (bytes || (attribute != cudaMemPoolAttrReservedMemHigh && attribute != cudaMemPoolAttrUsedMemHigh))
        return cudaErrorInvalidValue;
    *bytes_of(pool, attribute) = attribute == cudaMemPoolAttrUsedMemHigh ? pool->used : pool->reserved;
    return cudaSuccess;
}

cudaError_t pool_trim(cudaMemPool_t handle, size_t keep) {
    struct pool *pool = pool_find(handle);
    if (!pool)
        return cudaErrorInvalidValue;
    settle(pool);
    if (pool->reserved > keep)
        pool->reserved = pool->used > keep ? pool->used : keep;
    return cudaSuccess;
}

static bool is_place(const struct cudaMemLocation *location) {
    return location->type == cudaMemLocationTypeDevice && device_exists(location->id);
}

/* A device has its own pools' memory, whatever is asked for. */
cudaError_t pool_set_access(cudaMemPool_t handle, const struct cudaMemAccessDesc *access, size_t count) {
    struct pool *pool = pool_find(handle);
    if (!pool || (count && !access))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const bool own = access[i].location.id == pool->device;
        if (!is_place(&access[i].location) || (own && access[i].flags != cudaMemAccessFlagsProtReadWrite))
            return cudaErrorInvalidDevice;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t bit = 1u << access[i].location.id;
        pool->peers &= ~bit;
        pool->readers &= ~bit;
        if (access[i].flags == cudaMemAccessFlagsProtReadWrite)
            pool->peers |= bit;
        else if (access[i].flags == cudaMemAccessFlagsProtRead)
            pool->readers |= bit;
    }
    return cudaSuccess;
}

cudaError_t pool_get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                            const struct cudaMemLocation *location) {
    const struct pool *pool = pool_find(handle);
    if (!pool || !flags || !location)
        return cudaErrorInvalidValue;
    if (!is_place(location))
        return cudaErrorInvalidDevice;
    const uint32_t bit = 1u << location->id;
    *flags = cudaMemAccessFlagsProtNone;
    if (location->id == pool->device || pool->peers & bit)
        *flags = cudaMemAccessFlagsProtReadWrite;
    else if (pool->readers & bit)
        *flags = cudaMemAccessFlagsProtRead;
    return cudaSuccess;
}
