#include "runtime/region/managed.h"

#include "runtime/call.h"

#include <stdatomic.h>

enum { DEVICES = 64 }; /* those beyond are asked each time */

enum access { UNKNOWN, CONCURRENT, EXCLUSIVE };

/* By device. Several threads may find out the same at once. */
static _Atomic enum access accesses[DEVICES];

static enum access ask(int device) {
    cudaError_t before = cudaPeekAtLastError();
    int value = 0;

    if (cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, device) != cudaSuccess)
        kesco_call_take_back(before);
    return value != 0 ? CONCURRENT : EXCLUSIVE;
}

bool kesco_managed_is_concurrent(int device) {
    enum access access;

    if (device >= DEVICES)
        return ask(device) == CONCURRENT;
    access = atomic_load_explicit(&accesses[device], memory_order_relaxed);
    if (access == UNKNOWN) {
        access = ask(device);
        atomic_store_explicit(&accesses[device], access, memory_order_relaxed);
    }
    return access == CONCURRENT;
}
