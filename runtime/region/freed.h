/*
 * Memory that the program has freed while ops of a region may still use it: it stays until the region is
 * closed, as cudaFree would wait for them (CUDA Programming Guide, "Implicit Synchronization"). There is
 * little of it, so that hardly any program finds the device full for it; and one that does gets it back first
 * (__kesco1_allocate).
 */
#ifndef KESCO_RUNTIME_REGION_FREED_H
#define KESCO_RUNTIME_REGION_FREED_H

#include <stdbool.h>
#include <stdint.h>

enum { KESCO_FREED = 64 }; /* allocations that are kept */

struct kesco_freed {
    void *pointers[KESCO_FREED];
    uint32_t count;
    uint64_t bytes; /* of all of them */
};

/* True if what begins at `pointer` is kept: the program has freed it. */
bool kesco_freed_has(const struct kesco_freed *freed, const void *pointer);

/*
 * Keeps what `pointer` leads to, memory of the current device that is not kept yet, if that is what cudaFree
 * would take back, and there is room. With `is_plain` an allocation of the device's own memory is known to
 * begin there. False if not; CUDA's last error stays as it is.
 */
bool kesco_freed_keep(struct kesco_freed *freed, void *pointer, bool is_plain);

/* Frees all of it. CUDA's last error stays as it is, unless the device has failed. */
void kesco_freed_give_back(struct kesco_freed *freed);

#endif
