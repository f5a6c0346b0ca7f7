/* CUDA Runtime API, "Memory Management": what is allocated, freed and known of pointers. */
#include "test/vgpu/rules/rules.h"

#include <string.h>

enum { SIZE = 64 };

static void freeing_waits_for_the_device(void) {
    char *memory = new_memory(SIZE);
    launch_note(1, new_stream(cudaStreamNonBlocking));
    OK(cudaFree(memory));
    REQUIRE(place_of(1) == 0);
}

static void freeing_host_memory_waits_for_the_device(void) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    launch_note(1, new_stream(cudaStreamNonBlocking));
    OK(cudaFreeHost(memory));
    REQUIRE(place_of(1) == 0);
}

static void freeing_checks_its_pointer(void) {
    char *memory = new_memory(SIZE);
    void *host;
    OK(cudaMallocHost(&host, SIZE));
    REQUIRE(cudaFree(memory + 1) == cudaErrorInvalidValue);
    REQUIRE(cudaFree(host) == cudaErrorInvalidValue);
    REQUIRE(cudaFreeHost(memory) == cudaErrorInvalidValue);
    REQUIRE(cudaFree(&memory) == cudaErrorInvalidValue);
    OK(cudaFree(memory));
    REQUIRE(cudaFree(memory) == cudaErrorInvalidValue);
    OK(cudaFree(NULL));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(NULL));
}

static void allocating_checks_its_arguments(void) {
    void *memory = &memory;
    OK(cudaMalloc(&memory, 0));
    REQUIRE(memory == NULL);
    REQUIRE(cudaMalloc(NULL, 1) == cudaErrorInvalidValue);
    REQUIRE(cudaMalloc(&memory, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    REQUIRE(cudaMallocManaged(&memory, 1, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaHostAlloc(&memory, 1, 0x80) == cudaErrorInvalidValue);
    REQUIRE(cudaHostRegister(new_memory(SIZE), SIZE, 0) == cudaErrorInvalidValue); /* as driver 580 */
    REQUIRE(cudaHostUnregister(&memory) == cudaErrorHostMemoryNotRegistered);
}

static void used_memory_is_accounted_for(void) {
    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    REQUIRE(before == total);
    void *memory = new_memory(1 << 20);
    OK(cudaMemGetInfo(&after, &total));
    REQUIRE(after == before - (1 << 20));
    OK(cudaFree(memory));
    OK(cudaMemGetInfo(&after, &total));
    REQUIRE(after == before);
    REQUIRE(cudaMalloc(&memory, total + 1) == cudaErrorMemoryAllocation);
}

static void pointers_are_told_apart(void) {
    struct cudaPointerAttributes attributes;
    void *pinned, *managed, *device;
    char *memory = new_memory(SIZE);
    OK(cudaHostAlloc(&pinned, SIZE, cudaHostAllocMapped));
    OK(cudaMallocManaged(&managed, SIZE, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&attributes, memory + 1));
    REQUIRE(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == memory + 1);
    REQUIRE(attributes.hostPointer == NULL && attributes.device == 0);
    OK(cudaPointerGetAttributes(&attributes, pinned));
    REQUIRE(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    OK(cudaPointerGetAttributes(&attributes, managed));
    REQUIRE(attributes.type == cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&attributes, &attributes));
    REQUIRE(attributes.type == cudaMemoryTypeUnregistered && attributes.device == cudaInvalidDeviceId);
    OK(cudaHostGetDevicePointer(&device, pinned, 0));
    REQUIRE(device == pinned);
    REQUIRE(cudaHostGetDevicePointer(&device, memory, 0) == cudaErrorInvalidValue);
}

static void freeing_asynchronously_is_ordered_in_its_stream(void) {
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    void *memory;
    long result = 0;
    OK(cudaMallocAsync(&memory, SIZE, stream));
    launch_fill(memory, SIZE, 2, stream);
    launch_sum(memory, SIZE, &result, stream);
    OK(cudaFreeAsync(memory, stream));
    REQUIRE(cudaFreeAsync(memory, stream) == cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(result == 2 * SIZE);
}

static void memory_freed_in_another_stream_may_be_lost(void) {
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    void *memory;
    long result = 0;
    OK(cudaMallocAsync(&memory, SIZE, stream));
    launch_fill(memory, SIZE, 2, stream);
    OK(cudaStreamSynchronize(stream));
    launch_sum(memory, SIZE, &result, stream);
    OK(cudaFreeAsync(memory, new_stream(cudaStreamNonBlocking)));
    OK(cudaDeviceSynchronize());
    end_either_way(result == 2 * SIZE);
}

static void hints_are_accepted_for_managed_memory_only(void) {
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice};
    const struct cudaMemLocation other = {.type = cudaMemLocationTypeDevice, .id = 1};
    void *managed;
    OK(cudaMallocManaged(&managed, SIZE, cudaMemAttachGlobal));
    memset(managed, 4, SIZE);
    OK(cudaMemPrefetchAsync(managed, SIZE, device, 0, 0));
    OK(cudaMemAdvise(managed, SIZE, cudaMemAdviseSetReadMostly, other));
    REQUIRE(cudaMemPrefetchAsync(managed, SIZE, other, 0, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemPrefetchAsync(managed, SIZE + 1, device, 0, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaMemPrefetchAsync(new_memory(SIZE), SIZE, device, 0, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaMemAdvise(managed, SIZE, cudaMemAdviseSetAccessedBy, other) == cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize());
    REQUIRE(((char *)managed)[SIZE - 1] == 4);
}

static void a_reset_ends_memory(void) {
    void *memory = new_memory(SIZE);
    launch_note(1, new_stream(0));
    OK(cudaDeviceReset());
    REQUIRE(cudaFree(memory) == cudaErrorInvalidValue);
    launch_note(2, cudaStreamPerThread);
    launch_note(3, new_stream(0));
    OK(cudaDeviceSynchronize());
    REQUIRE(place_of(2) >= 0 && place_of(3) >= 0);
}

/* True if host and device may use managed memory at the same time, as both ways to ask say. */
static bool is_concurrent(void) {
    struct cudaDeviceProp properties;
    int value = -1;
    OK(cudaGetDeviceProperties(&properties, 0));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
    REQUIRE(value == properties.concurrentManagedAccess);
    return value;
}

static void managed_memory_is_concurrent(void) {
    REQUIRE(is_concurrent());
}

/* CUDA Runtime API, cudaMemPrefetchAsync and cudaMemAdvise. */
static void hints_want_concurrent_managed_memory(void) {
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice},
                                 host = {.type = cudaMemLocationTypeHost};
    void *managed;
    REQUIRE(!is_concurrent());
    OK(cudaMallocManaged(&managed, SIZE, cudaMemAttachGlobal));
    REQUIRE(cudaMemPrefetchAsync(managed, SIZE, device, 0, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemPrefetchAsync(managed, SIZE, host, 0, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemAdvise(managed, SIZE, cudaMemAdviseSetPreferredLocation, device) ==
            cudaErrorInvalidDevice);
    OK(cudaMemAdvise(managed, SIZE, cudaMemAdviseSetPreferredLocation, host));
    OK(cudaMemAdvise(managed, SIZE, cudaMemAdviseSetReadMostly, device));
    launch_fill(managed, SIZE, 1, 0);
    OK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(freeing_waits_for_the_device, EVERY_SEED),
        RULE(freeing_host_memory_waits_for_the_device, EVERY_SEED),
        RULE(freeing_checks_its_pointer, EVERY_SEED),
        RULE(allocating_checks_its_arguments, ONCE),
        RULE(used_memory_is_accounted_for, ONCE, .alone = "what a real one needs itself counts, too"),
        RULE(pointers_are_told_apart, ONCE),
        RULE(freeing_asynchronously_is_ordered_in_its_stream, EVERY_SEED),
        RULE(memory_freed_in_another_stream_may_be_lost, DIFFERS),
        RULE(hints_are_accepted_for_managed_memory_only, ONCE),
        RULE(managed_memory_is_concurrent, ONCE),
        RULE(hints_want_concurrent_managed_memory, ONCE, .environment = "VGPU_CONCURRENT_MANAGED=0"),
        RULE(a_reset_ends_memory, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
