#include "runtime/region/prefetch.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/kesco_abi.h"
#include "runtime/region/managed.h"

#include <stddef.h>

enum { FIRST_WITH_LOCATIONS = 13000 }; /* of CUDA's runtime */

static bool is_managed(const void *pointer) {
    struct cudaPointerAttributes attributes;

    return cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess &&
           attributes.type == cudaMemoryTypeManaged;
}

static uintptr_t size_of(const struct kesco_allocation *allocation) {
    return allocation->end - allocation->begin;
}

/* `allocation` is the one that `pointer` leads into, or none. */
static bool can_be_fetched(const struct kesco_allocation *allocation, uintptr_t least, const void *pointer,
                           int device) {
    return size_of(allocation) >= least && kesco_managed_is_concurrent(device) && is_managed(pointer);
}

static bool is_worth_it(const struct kesco_allocation *allocation, const void *pointer, int device) {
    return can_be_fetched(allocation, KESCO_PREFETCH_LEAST, pointer, device);
}

/* The function as CUDA 12 has it: a device's number, or that of the host, in the place of location and flags.
 */
cudaError_t older_prefetch(const void *memory, size_t size, int device,
                           cudaStream_t stream) __asm__("cudaMemPrefetchAsync");

/* Without knowing which form the call has, nothing is fetched. */
static void issue(const struct kesco_allocation *allocation, struct cudaMemLocation location,
                  cudaStream_t stream) {
    const void *memory = (const void *)allocation->begin;
    const bool is_host = location.type == cudaMemLocationTypeHost;
    int version;

    if (cudaRuntimeGetVersion(&version) != cudaSuccess)
        return;
    if (version < FIRST_WITH_LOCATIONS)
        older_prefetch(memory, size_of(allocation), is_host ? cudaCpuDeviceId : location.id, stream);
    else
        cudaMemPrefetchAsync(memory, size_of(allocation), location, 0, stream);
}

void kesco_prefetch_clear(struct kesco_prefetch *prefetch) {
    prefetch->count = 0;
    kesco_fetched_open(&prefetch->fetched);
}

static bool is_known(const struct kesco_prefetch *prefetch, const void *pointer) {
    uint32_t i;

    for (i = 0; i < prefetch->count && i < KESCO_PREFETCH_SEEN; i++)
        if (prefetch->seen[i].begin <= (uintptr_t)pointer && (uintptr_t)pointer < prefetch->seen[i].end)
            return true;
    return false;
}

/* Takes in the allocation that `pointer` leads into, at least the byte there. */
static const struct kesco_allocation *take_in(struct kesco_prefetch *prefetch, const void *pointer) {
    struct kesco_allocation *allocation = &prefetch->seen[prefetch->count++ % KESCO_PREFETCH_SEEN];

    if (!kesco_allocation_find(pointer, allocation)) {
        allocation->begin = (uintptr_t)pointer;
        allocation->end = allocation->begin + 1;
    }
    return allocation;
}

void kesco_prefetch_note(struct kesco_prefetch *prefetch, const void *pointer) {
    if (!is_known(prefetch, pointer))
        take_in(prefetch, pointer);
}

void kesco_prefetch_to_device(struct kesco_prefetch *prefetch, const void *pointer, int device,
                              cudaStream_t stream) {
    const struct cudaMemLocation location = {.type = cudaMemLocationTypeDevice, .id = device};
    const struct kesco_allocation *allocation;

    if (is_known(prefetch, pointer) || cudaPeekAtLastError() != cudaSuccess)
        return;
    allocation = take_in(prefetch, pointer);
    if (is_worth_it(allocation, pointer, device))
        issue(allocation, location, stream);
    cudaGetLastError();
}

static void fetch(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry,
                  const struct kesco_allocation *allocation, int device, cudaStream_t stream) {
    const struct cudaMemLocation location = {.type = cudaMemLocationTypeDevice, .id = device};
    const bool is_timed = kesco_fetched_begin(&prefetch->fetched, entry, stream);
    uint32_t fetches;

    issue(allocation, location, stream);
    for (fetches = 1; is_timed && fetches <= 2; fetches++) {
        kesco_fetched_mark(&prefetch->fetched, fetches, stream);
        if (fetches == 1)
            issue(allocation, location, stream);
    }
}

static void decide(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry, const void *pointer,
                   int device, cudaStream_t stream) {
    const struct kesco_allocation *allocation = take_in(prefetch, pointer);

    if (!can_be_fetched(allocation, 1, pointer, device))
        kesco_fetched_refuse(entry);
    else if (kesco_fetched_has_room(entry, size_of(allocation)))
        fetch(prefetch, entry, allocation, device, stream);
}

void kesco_prefetch_decide(struct kesco_prefetch *prefetch, const void *pointer, int device,
                           cudaStream_t stream) {
    struct kesco_fetched_entry *entry;
    enum cudaStreamCaptureMode mode;

    if (is_known(prefetch, pointer) || cudaPeekAtLastError() != cudaSuccess)
        return;
    if (kesco_fetched_rests(&prefetch->fetched, pointer))
        return;
    mode = kesco_call_relax();
    entry = kesco_fetched_find(&prefetch->fetched, pointer);
    if (entry != NULL)
        decide(prefetch, entry, pointer, device, stream);
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

/*
 * Lets `stream` of the current device fetch the managed allocation that `pointer` leads into to the device,
 * or bring it back to the host, unless the stream is being captured.
 */
static void prefetch_on(cudaStream_t stream, const void *pointer, enum cudaMemLocationType to) {
    struct cudaMemLocation location = {.type = to};
    struct kesco_allocation allocation;
    int device;

    if (kesco_environment()->disable || cudaPeekAtLastError() != cudaSuccess)
        return;
    if (kesco_allocation_find(pointer, &allocation) && cudaGetDevice(&device) == cudaSuccess &&
        is_worth_it(&allocation, pointer, device) && !kesco_call_is_captured(stream)) {
        location.id = to == cudaMemLocationTypeDevice ? device : 0;
        issue(&allocation, location, stream);
    }
    cudaGetLastError();
}

void __kesco1_prefetch_device(void *origin, const void *pointer) {
    prefetch_on(origin, pointer, cudaMemLocationTypeDevice);
}

void __kesco1_prefetch_host(void *origin, const void *pointer) {
    prefetch_on(origin, pointer, cudaMemLocationTypeHost);
}
