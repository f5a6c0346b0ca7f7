/*
 * Which allocation a device pointer leads into, asked of the driver (cuMemGetAddressRange), and of what kind
 * it is (CUDA Runtime API, "Unified Addressing": cudaPointerGetAttributes).
 */
#ifndef KESCO_RUNTIME_REGION_ALLOCATION_H
#define KESCO_RUNTIME_REGION_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

struct kesco_allocation {
    uintptr_t begin; /* first byte */
    uintptr_t end;   /* past the last byte */
};

/*
 * Stores the allocation that `pointer` leads into. False where the driver does not know it or cannot be
 * asked. CUDA's last error stays as it is.
 */
bool kesco_allocation_find(const void *pointer, struct kesco_allocation *result);

/*
 * True if `pointer` leads to device memory that the host cannot touch: neither managed, nor pinned, nor the
 * host's own, which CUDA 11 and later report as unregistered. False where CUDA cannot say. CUDA's last error
 * stays as it is.
 */
bool kesco_allocation_is_plain(const void *pointer);

/*
 * True if `pointer` leads to managed memory. False where CUDA cannot say. CUDA's last error stays as it is.
 */
bool kesco_allocation_is_managed(const void *pointer);

/*
 * True if `pointer` leads to memory of a pool, which cudaFree takes back without waiting (CUDA Programming
 * Guide, "Stream Ordered Memory Allocator"), or the driver cannot say.
 */
bool kesco_allocation_may_be_of_pool(const void *pointer);

/*
 * True if `pointer` leads to memory of the current device, which only asks where there are others. CUDA's
 * last error stays as it is.
 */
bool kesco_allocation_is_of_current(const void *pointer);

/*
 * True if `pointer` leads to memory of a device other than `device`, which only asks where there is one.
 * False where CUDA cannot say. CUDA's last error stays as it is.
 */
bool kesco_allocation_is_elsewhere(const void *pointer, int device);

#endif
