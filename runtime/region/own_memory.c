#include "runtime/region/own_memory.h"

#include <cuda_runtime_api.h>
#include <string.h>

void kesco_own_memory_clear(struct kesco_own_memory *memory) {
    memset(memory->known, 0, sizeof memory->known);
}

/* True if the allocation has all of these bytes. */
static bool holds(const struct kesco_allocation *allocation, uintptr_t address, uint64_t bytes) {
    return allocation->begin <= address && address < allocation->end && bytes <= allocation->end - address;
}

bool kesco_own_memory_has(struct kesco_own_memory *memory, const void *pointer, uint64_t bytes) {
    const uintptr_t address = (uintptr_t)pointer;
    struct kesco_allocation found;
    uint32_t i;
    int device;

    for (i = 0; i < KESCO_OWN_ALLOCATIONS; i++)
        if (holds(&memory->known[i], address, bytes))
            return true;
    if (!kesco_allocation_find(pointer, &found) || !holds(&found, address, bytes) ||
        !kesco_allocation_is_plain(pointer) || cudaGetDevice(&device) != cudaSuccess ||
        kesco_allocation_is_elsewhere(pointer, device))
        return false;
    memory->known[memory->next++ % KESCO_OWN_ALLOCATIONS] = found;
    return true;
}
