#include "runtime/region/allocation.h"

#include "runtime/call.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>

typedef CUresult(CUDAAPI *address_range_function)(CUdeviceptr *, size_t *, CUdeviceptr);

typedef CUresult(CUDAAPI *attribute_function)(void *, CUpointer_attribute, CUdeviceptr);

/* NULL where the driver does not have them. To look one up takes its time. */
static address_range_function address_range;
static pthread_once_t address_range_once = PTHREAD_ONCE_INIT;
static attribute_function attribute_of;
static pthread_once_t attribute_once = PTHREAD_ONCE_INIT;
static int device_count;
static pthread_once_t device_count_once = PTHREAD_ONCE_INIT;

static void find_address_range(void) {
    kesco_call_find("cuMemGetAddressRange", &address_range);
}

static void find_attribute(void) {
    kesco_call_find("cuPointerGetAttribute", &attribute_of);
}

bool kesco_allocation_find(const void *pointer, struct kesco_allocation *result) {
    CUdeviceptr base;
    size_t size;

    pthread_once(&address_range_once, find_address_range);
    if (address_range == NULL || address_range(&base, &size, (CUdeviceptr)pointer) != CUDA_SUCCESS)
        return false;
    result->begin = (uintptr_t)base;
    result->end = (uintptr_t)base + size;
    return true;
}

bool kesco_allocation_may_be_of_pool(const void *pointer) {
    void *pool = NULL;

    pthread_once(&attribute_once, find_attribute);
    return attribute_of == NULL ||
           attribute_of(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)pointer) != CUDA_SUCCESS ||
           pool != NULL;
}

static bool find_attributes(const void *pointer, struct cudaPointerAttributes *result) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaPointerGetAttributes(result, pointer);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error == cudaSuccess;
}

bool kesco_allocation_is_plain(const void *pointer) {
    struct cudaPointerAttributes attributes;

    return find_attributes(pointer, &attributes) && attributes.type == cudaMemoryTypeDevice &&
           attributes.hostPointer == NULL;
}

bool kesco_allocation_is_managed(const void *pointer) {
    struct cudaPointerAttributes attributes;

    return find_attributes(pointer, &attributes) && attributes.type == cudaMemoryTypeManaged;
}

static void count_devices(void) {
    cudaError_t before = cudaPeekAtLastError();

    if (cudaGetDeviceCount(&device_count) == cudaSuccess)
        return;
    kesco_call_take_back(before);
    device_count = INT_MAX; /* so each pointer is asked for */
}

static bool are_several_devices(void) {
    pthread_once(&device_count_once, count_devices);
    return device_count > 1;
}

bool kesco_allocation_is_of_current(const void *pointer) {
    struct cudaPointerAttributes attributes;
    const cudaError_t before = cudaPeekAtLastError();
    int device;

    if (!are_several_devices())
        return true;
    if (cudaGetDevice(&device) == cudaSuccess)
        return find_attributes(pointer, &attributes) && attributes.device == device;
    kesco_call_take_back(before);
    return false;
}

bool kesco_allocation_is_elsewhere(const void *pointer, int device) {
    struct cudaPointerAttributes attributes;

    return are_several_devices() && find_attributes(pointer, &attributes) &&
           attributes.type == cudaMemoryTypeDevice && attributes.device != device;
}
