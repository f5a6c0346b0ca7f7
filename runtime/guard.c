#include "runtime/guard.h"

#include "runtime/kesco_abi.h"

#include <stddef.h>
#include <string.h>

void kesco_guard_clear(struct kesco_guard *guard) {
    if (guard->pair_count == 0)
        return;
    guard->pair_count = 0;
    memset(guard->calls, 0, sizeof guard->calls);
}

/* Pointers into one array differ in their low bits, pointers to allocations in their high ones. */
static struct kesco_guard_call *find_call(struct kesco_guard *guard, uint32_t object, const void *pointer) {
    uint64_t hash = ((uintptr_t)pointer ^ (uint64_t)object << 56) * 0x9e3779b97f4a7c15u;

    return &guard->calls[hash >> 32 & (KESCO_GUARD_CALLS - 1)];
}

static bool find_allocation(const struct kesco_guard *guard, const void *pointer,
                            struct kesco_allocation *result) {
    uint32_t i;

    for (i = 0; i < guard->pair_count; i++) {
        *result = guard->pairs[i].allocation;
        if (result->begin <= (uintptr_t)pointer && (uintptr_t)pointer < result->end)
            return true;
    }
    return kesco_allocation_find(pointer, result);
}

static bool may_conflict(const struct kesco_guard_pair *a, const struct kesco_guard_pair *b) {
    uint32_t either = a->flags | b->flags;

    return a->object != b->object && (either & KESCO_GUARD_CHECKED) != 0 &&
           (either & KESCO_GUARD_WRITTEN) != 0 && a->allocation.begin < b->allocation.end &&
           b->allocation.begin < a->allocation.end;
}

/* The known pair of the same object and allocation. NULL: there is none. */
static struct kesco_guard_pair *find_pair(struct kesco_guard *guard, const struct kesco_guard_pair *pair) {
    uint32_t i;

    for (i = 0; i < guard->pair_count; i++)
        if (guard->pairs[i].object == pair->object &&
            guard->pairs[i].allocation.begin == pair->allocation.begin)
            return &guard->pairs[i];
    return NULL;
}

static bool admits_pair(struct kesco_guard *guard, const struct kesco_guard_pair *pair) {
    struct kesco_guard_pair *known = find_pair(guard, pair);
    uint32_t i;

    if (known != NULL && (pair->flags & ~known->flags) == 0)
        return true;
    for (i = 0; i < guard->pair_count; i++)
        if (may_conflict(&guard->pairs[i], pair))
            return false;
    if (known != NULL) {
        known->flags |= pair->flags;
        return true;
    }
    if (guard->pair_count == KESCO_GUARD_PAIRS)
        return false;
    guard->pairs[guard->pair_count++] = *pair;
    return true;
}

bool kesco_guard_admits(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer) {
    struct kesco_guard_call *call = find_call(guard, object, pointer);
    struct kesco_guard_pair pair = {.object = object, .flags = flags};

    if (pointer == NULL || (call->pointer == pointer && call->object == object && call->flags == flags))
        return true;
    if (!find_allocation(guard, pointer, &pair.allocation) || !admits_pair(guard, &pair))
        return false;
    *call = (struct kesco_guard_call){pointer, object, flags};
    return true;
}
