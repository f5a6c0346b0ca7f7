#include "runtime/allocation.h"

#include "runtime/call.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef CUresult(CUDAAPI *address_range_function)(CUdeviceptr *, size_t *, CUdeviceptr);

static address_range_function address_range; /* NULL where the driver does not have it */
static pthread_once_t address_range_once = PTHREAD_ONCE_INIT;

static void find_address_range(void) {
    void *found = NULL;

    kesco_call_find("cuMemGetAddressRange", &found);
    if (found != NULL)
        memcpy(&address_range, &found, sizeof found);
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

bool kesco_allocation_is_plain(const void *pointer) {
    struct cudaPointerAttributes attributes;
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaPointerGetAttributes(&attributes, pointer);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error == cudaSuccess && attributes.type == cudaMemoryTypeDevice && attributes.hostPointer == NULL;
}
