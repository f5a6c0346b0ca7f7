/*
 * What the alias guard of an open region knows: which objects of the plan have led into which allocations.
 *
 * Allocations are told apart whole (allocation.h), so a pointer into one that the region has met already
 * needs no look-up, and a pair of object and allocation that is known adds nothing.
 */
#ifndef KESCO_RUNTIME_GUARD_H
#define KESCO_RUNTIME_GUARD_H

#include "runtime/allocation.h"

/* More pairs of object and allocation than this in one region are not told apart. */
#define KESCO_GUARD_PAIRS 64

/* Objects whose last calls are remembered word for word: numbers that differ by this share a place. */
#define KESCO_GUARD_OBJECTS 32

/* An object, and one of the allocations that its pointers lead into. */
struct kesco_guard_pair {
    struct kesco_allocation allocation;
    uint32_t object; /* the plan's number */
    uint32_t flags;  /* KESCO_GUARD_ of the ABI, all that were given */
};

struct kesco_guard_call {
    const void *pointer; /* NULL: the entry is empty */
    uint32_t object;
    uint32_t flags;
};

struct kesco_guard {
    uint32_t pair_count;                                   /* entries in pairs */
    struct kesco_guard_pair pairs[KESCO_GUARD_PAIRS];      /* all different */
    struct kesco_guard_call calls[KESCO_GUARD_OBJECTS][2]; /* by object, latest first: those that passed */
};

/* Forgets everything. */
void kesco_guard_clear(struct kesco_guard *guard);

/*
 * Takes in that `object` leads to `pointer`, and says whether the plan still holds: false where the pointer's
 * allocation may be another object's too and that matters (kesco_abi.h), is unknown, or finds no room. NULL
 * leads nowhere and always passes.
 */
bool kesco_guard_admits(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer);

#endif
