#include "runtime/region/prefetch.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/kesco_abi.h"
#include "runtime/region/managed.h"

#include <stdatomic.h>
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

/* Asked once. 0: not known. */
static int runtime_version(void) {
    static atomic_int known;
    int version = atomic_load_explicit(&known, memory_order_relaxed);

    if (version == 0 && cudaRuntimeGetVersion(&version) == cudaSuccess)
        atomic_store_explicit(&known, version, memory_order_relaxed);
    return version;
}

/* Without knowing which form the call has, nothing is fetched. */
static cudaError_t issue(const struct kesco_allocation *allocation, struct cudaMemLocation location,
                         cudaStream_t stream) {
    const void *memory = (const void *)allocation->begin;
    const bool is_host = location.type == cudaMemLocationTypeHost;
    const int version = runtime_version();

    if (version == 0)
        return cudaErrorUnknown;
    if (version < FIRST_WITH_LOCATIONS)
        return older_prefetch(memory, size_of(allocation), is_host ? cudaCpuDeviceId : location.id, stream);
    return cudaMemPrefetchAsync(memory, size_of(allocation), location, 0, stream);
}

void kesco_prefetch_clear(struct kesco_prefetch *prefetch) {
    kesco_stretches_clear(&prefetch->stretches);
    kesco_fetch_calls_clear(&prefetch->fetched.calls);
}

/* The allocation that `pointer` leads into; the byte there where that is not known. */
static struct kesco_allocation allocation_of(const void *pointer) {
    struct kesco_allocation result;

    if (!kesco_allocation_find(pointer, &result))
        result = (struct kesco_allocation){(uintptr_t)pointer, (uintptr_t)pointer + 1};
    return result;
}

void kesco_prefetch_note(struct kesco_prefetch *prefetch, const void *pointer) {
    const struct kesco_use use = {.pointer = pointer};

    if (!kesco_stretches_have(&prefetch->stretches, &use))
        kesco_stretches_take_in(&prefetch->stretches, &use, allocation_of(pointer));
}

void kesco_prefetch_to_device(struct kesco_prefetch *prefetch, const void *pointer, int device,
                              cudaStream_t stream) {
    const struct cudaMemLocation location = {.type = cudaMemLocationTypeDevice, .id = device};
    const struct kesco_use use = {.pointer = pointer};
    struct kesco_allocation allocation;

    if (kesco_stretches_have(&prefetch->stretches, &use) || cudaPeekAtLastError() != cudaSuccess)
        return;
    allocation = kesco_stretches_take_in(&prefetch->stretches, &use, allocation_of(pointer));
    if (is_worth_it(&allocation, pointer, device))
        issue(&allocation, location, stream);
    cudaGetLastError();
}

/* Returns false if CUDA refuses it. */
static bool fetch(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry,
                  const struct kesco_allocation *allocation, const struct kesco_to_fetch *fetch,
                  cudaStream_t stream) {
    const struct cudaMemLocation location = {.type = cudaMemLocationTypeDevice, .id = fetch->device};
    const struct kesco_fetched_ask ask = {.size = size_of(allocation),
                                          .is_vague = fetch->use.part.begin == fetch->use.part.end,
                                          .is_overwritten = fetch->use.is_overwritten,
                                          .op_is_next = fetch->op_is_next};
    uint32_t left = kesco_fetched_begin(&prefetch->fetched, entry, &ask, stream);

    for (; left > 0; left--) {
        if (issue(allocation, location, stream) != cudaSuccess) {
            entry->is_managed = false; /* another allocation has come in its place */
            kesco_fetched_give_up(&prefetch->fetched);
            return false;
        }
        kesco_fetched_mark(&prefetch->fetched);
    }
    return true;
}

/* Returns false if CUDA may have left an error. */
static bool decide(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry,
                   const struct kesco_to_fetch *what, cudaStream_t stream) {
    const struct kesco_allocation whole = allocation_of(what->use.pointer);
    struct kesco_allocation bytes;

    entry->is_managed = entry->is_managed || can_be_fetched(&whole, 1, what->use.pointer, what->device);
    if (!entry->is_managed) {
        kesco_stretches_take_in_all(&prefetch->stretches, &what->use, whole);
        kesco_fetched_refuse(entry);
        return false;
    }
    bytes = kesco_stretches_take_in(&prefetch->stretches, &what->use, whole);
    return bytes.begin >= bytes.end || !kesco_fetched_has_room(&prefetch->fetched, entry, size_of(&bytes)) ||
           fetch(prefetch, entry, &bytes, what, stream);
}

/* That is a call, too: made only where there may be something. */
static void take_back(struct kesco_prefetch *prefetch) {
    if (prefetch->fetched.has_asked)
        cudaGetLastError();
    prefetch->fetched.has_asked = false;
}

/* Of what rests, CUDA is not asked, nor the driver but once. */
static void rest(struct kesco_prefetch *prefetch, const struct kesco_use *use) {
    struct kesco_allocation *unknown = kesco_stretches_rest(&prefetch->stretches, use);

    if (unknown != NULL)
        kesco_allocation_find(use->pointer, unknown);
}

struct kesco_fetched_entry *kesco_prefetch_find(struct kesco_prefetch *prefetch,
                                                const struct kesco_to_fetch *what) {
    const struct kesco_use *use = &what->use;
    struct kesco_fetched_entry *entry = NULL;

    if (kesco_stretches_have(&prefetch->stretches, use))
        return NULL;
    if (!kesco_fetched_rests(&prefetch->fetched, use->pointer)) {
        if (prefetch->fetched.timed != NULL && cudaPeekAtLastError() != cudaSuccess)
            return NULL; /* what is timed is asked for */
        entry = kesco_fetched_find(&prefetch->fetched, use->pointer, use->is_overwritten);
        take_back(prefetch);
        if (entry != NULL && cudaPeekAtLastError() != cudaSuccess)
            return NULL;
    }
    if (entry == NULL)
        rest(prefetch, use);
    return entry;
}

void kesco_prefetch_decide(struct kesco_prefetch *prefetch, struct kesco_fetched_entry *entry,
                           const struct kesco_to_fetch *what, cudaStream_t stream) {
    if (!decide(prefetch, entry, what, stream))
        prefetch->fetched.has_asked = true;
    take_back(prefetch);
}

void kesco_prefetch_end_op(struct kesco_prefetch *prefetch) {
    if (cudaPeekAtLastError() != cudaSuccess) {
        kesco_fetched_give_up(&prefetch->fetched);
        return;
    }
    kesco_fetched_end_op(&prefetch->fetched);
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
