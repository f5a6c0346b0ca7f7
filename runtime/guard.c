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

static bool is_same(const struct kesco_guard_call *a, const struct kesco_guard_call *b) {
    return a->pointer == b->pointer && a->object == b->object && a->flags == b->flags;
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
    struct kesco_guard_call *calls = guard->calls[object % KESCO_GUARD_OBJECTS];
    struct kesco_guard_call call = {pointer, object, flags};
    struct kesco_guard_pair pair = {.object = object, .flags = flags};

    if (pointer == NULL || is_same(&calls[0], &call) || is_same(&calls[1], &call))
        return true;
    if (!find_allocation(guard, pointer, &pair.allocation) || !admits_pair(guard, &pair))
        return false;
    calls[1] = calls[0];
    calls[0] = call;
    return true;
}
