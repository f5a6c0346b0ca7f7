#include "test/runtime/prefetch_calls.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct call calls[MOST_CALLS];
unsigned call_count, questions, room_questions, device_questions, stream_questions, errors_taken;
size_t room = SIZE_MAX;
int concurrent_access = -1;
int runtime_version = 13000;

static void *find_next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);

    if (function == NULL)
        abort();
    return function;
}

cudaError_t cudaMemPrefetchAsync(const void *memory, size_t size, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    cudaError_t (*next)(const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
    void *found = find_next("cudaMemPrefetchAsync");

    if (runtime_version < 13000) { /* a device's number, and half of the stream */
        const int device = (int)location.type;
        calls[call_count++] = (struct call){.memory = memory,
                                            .size = size,
                                            .type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                                                              : cudaMemLocationTypeDevice,
                                            .device = device == cudaCpuDeviceId ? 0 : device,
                                            .stream = (void *)(uintptr_t)flags};
        return cudaSuccess;
    }
    if (call_count < MOST_CALLS)
        calls[call_count++] = (struct call){memory, size, location.type, location.id, stream};
    memcpy(&next, &found, sizeof next);
    return next(memory, size, location, flags, stream);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = runtime_version;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    cudaError_t (*next)(struct cudaPointerAttributes *, const void *);
    void *found = find_next("cudaPointerGetAttributes");

    questions++;
    memcpy(&next, &found, sizeof next);
    return next(attributes, pointer);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    cudaError_t (*next)(cudaStream_t);
    void *found = find_next("cudaStreamQuery");

    stream_questions++;
    memcpy(&next, &found, sizeof next);
    return next(stream);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t (*next)(void);
    void *found = find_next("cudaGetLastError");

    errors_taken++;
    memcpy(&next, &found, sizeof next);
    return next();
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    cudaError_t (*next)(int *, enum cudaDeviceAttr, int);
    void *found = find_next("cudaDeviceGetAttribute");
    cudaError_t error;

    device_questions++;
    memcpy(&next, &found, sizeof next);
    error = next(value, attribute, device);
    if (error == cudaSuccess && attribute == cudaDevAttrConcurrentManagedAccess && concurrent_access >= 0)
        *value = concurrent_access;
    return error;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    room_questions++;
    *left = room;
    *all = SIZE_MAX;
    return cudaSuccess;
}

char *managed(size_t size) {
    void *memory = NULL;

    if (cudaMallocManaged(&memory, size, cudaMemAttachGlobal) != cudaSuccess)
        abort();
    return memory;
}

bool is_call(unsigned number, const void *memory, size_t size, enum cudaMemLocationType type, void *stream) {
    const struct call *call = &calls[number];

    return number < call_count && call->memory == memory && call->size == size && call->type == type &&
           call->stream == stream && call->device == 0;
}
