/*
 * Memory that is the current device's alone, as far as it was asked for: a few allocations are remembered,
 * until the caller says that they may be others.
 */
#ifndef KESCO_RUNTIME_REGION_OWN_MEMORY_H
#define KESCO_RUNTIME_REGION_OWN_MEMORY_H

#include "runtime/region/allocation.h"

enum { KESCO_OWN_ALLOCATIONS = 4 }; /* that are remembered */

struct kesco_own_memory {
    struct kesco_allocation known[KESCO_OWN_ALLOCATIONS];
    uint32_t next; /* what the next one takes the place of */
};

/* Forgets all of them. */
void kesco_own_memory_clear(struct kesco_own_memory *memory);

/* True if these bytes are memory of the current device that the host cannot touch. */
bool kesco_own_memory_has(struct kesco_own_memory *memory, const void *pointer, uint64_t bytes);

#endif
