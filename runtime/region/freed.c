#include "runtime/region/freed.h"

#include "runtime/call.h"
#include "runtime/region/allocation.h"

#include <pthread.h>
#include <stddef.h>

/* One part in so many of the device's memory may be kept. */
enum { KEPT_PART = 64 };

static uint64_t most_bytes;
static pthread_once_t most_bytes_once = PTHREAD_ONCE_INIT;

static void find_most_bytes(void) {
    const cudaError_t before = cudaPeekAtLastError();
    size_t free_bytes, bytes;

    if (cudaMemGetInfo(&free_bytes, &bytes) == cudaSuccess)
        most_bytes = bytes / KEPT_PART;
    else
        kesco_call_take_back(before);
}

bool kesco_freed_has(const struct kesco_freed *freed, const void *pointer) {
    uint32_t i;

    for (i = 0; i < freed->count; i++)
        if (freed->pointers[i] == pointer)
            return true;
    return false;
}

bool kesco_freed_keep(struct kesco_freed *freed, void *pointer, bool is_plain) {
    struct kesco_allocation found;

    if (freed->count == KESCO_FREED || !kesco_allocation_find(pointer, &found) ||
        found.begin != (uintptr_t)pointer || !kesco_allocation_is_of_current(pointer) ||
        !(is_plain || kesco_allocation_is_plain(pointer) || kesco_allocation_is_managed(pointer)))
        return false;
    pthread_once(&most_bytes_once, find_most_bytes);
    if (freed->bytes + (found.end - found.begin) > most_bytes)
        return false;
    freed->pointers[freed->count++] = pointer;
    freed->bytes += found.end - found.begin;
    return true;
}

void kesco_freed_give_back(struct kesco_freed *freed) {
    enum cudaStreamCaptureMode mode;
    cudaError_t before;
    uint32_t i;

    if (freed->count == 0)
        return;
    before = cudaPeekAtLastError();
    mode = kesco_call_relax(); /* another thread may capture by now */
    for (i = 0; i < freed->count; i++)
        if (cudaFree(freed->pointers[i]) != cudaSuccess)
            kesco_call_take_back(before);
    kesco_call_unrelax(mode);
    freed->count = 0;
    freed->bytes = 0;
}
