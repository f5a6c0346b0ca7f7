/*
 * What the alias guard of an open region knows: which objects of the plan have led into which allocations.
 *
 * A pointer into an allocation (allocation.h) that the region has met already needs no look-up, and a pair of
 * object and allocation that is known adds nothing. What is touched of an allocation is told apart by bytes,
 * where they are known: they are taken together by object (touched.h), so a loop that walks through it finds
 * room, and what covers more than was touched only ever makes a region serial. The same goes for memory that
 * the driver does not know, by what the program hands over. That cannot overlap what the driver knows: CUDA
 * refuses a copy whose host operand is registered in part.
 */
#ifndef KESCO_RUNTIME_REGION_GUARD_H
#define KESCO_RUNTIME_REGION_GUARD_H

#include "runtime/kesco_abi.h"
#include "runtime/pieces.h"
#include "runtime/region/allocation.h"
#include "runtime/region/touched.h"

/* Objects whose last calls are remembered word for word: numbers that differ by this share a place. */
#define KESCO_GUARD_OBJECTS 32

/* Addresses that are remembered, by their hash: those with the same one share a place. */
#define KESCO_GUARD_ADDRESSES 1024

struct kesco_guard_addresses {
    uint32_t now;                            /* what was taken in before counts no more */
    uint32_t since[KESCO_GUARD_ADDRESSES];   /* by place, when it was taken in, */
    uintptr_t values[KESCO_GUARD_ADDRESSES]; /* and what was; 0: nothing so far */
};

/* Memory that CUDA was asked for, and that the host cannot touch. */
struct kesco_guard_plain {
    struct kesco_guard_addresses begins; /* of allocations */
    struct kesco_guard_addresses noted;  /* of pointers that kesco_guard_note was given */
};

/* An object, and one of the allocations that its pointers lead into. */
struct kesco_guard_pair {
    struct kesco_allocation allocation;
    struct kesco_touched touched; /* what of it the object's ops touch */
    uint32_t object;              /* the plan's number, and one of what is touched of it */
    uint32_t flags;               /* KESCO_GUARD_ of the ABI, all that were given */
    bool own; /* the driver does not know it: the range that covers all of the object's of that kind */
};

/* Both ends of bytes, counted from where a pointer leads, that may be all of the allocation. */
#define KESCO_GUARD_ALL INT64_MIN

/* The first `size` bytes. */
static inline struct kesco_pieces kesco_guard_first_bytes(uint64_t size) {
    return (struct kesco_pieces){.begin = 0, .end = size > INT64_MAX ? INT64_MAX : (int64_t)size};
}

struct kesco_guard_call {
    const void *pointer; /* NULL: the entry is empty */
    struct kesco_pieces bytes;
    uint32_t object;
    uint32_t flags;
};

struct kesco_guard {
    uint32_t pair_count;                              /* entries in pairs */
    bool visible;                                     /* a noted pointer led to what the host can touch, */
    bool unbounded;                                   /* to memory that is in no pair */
    bool is_full;                                     /* a pair found no room */
    bool touched;                                     /* the host is about to touch what is in one */
    const char *refusal;                              /* why the last call that did not pass did not, */
    bool met;                                         /* and without the calls before it would have */
    struct kesco_guard_pair pairs[KESCO_GUARD_PAIRS]; /* all different */
    struct kesco_guard_call calls[KESCO_GUARD_OBJECTS][2]; /* by object, latest first: those that passed */
    struct kesco_guard_plain plain;
};

/* Forgets everything. */
void kesco_guard_clear(struct kesco_guard *guard);

/* Forgets what ops have been found to lead to, but not what the host may see of it. */
void kesco_guard_forget(struct kesco_guard *guard);

/*
 * Takes in that `object` leads to `pointer`, and says whether the plan still holds: false where what may be
 * touched of the pointer's allocation may be another object's too and that matters (kesco_abi.def), is
 * unknown, is not plain though it has to be, or finds no room. NULL leads nowhere and always passes.
 */
bool kesco_guard_admits(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer);

/*
 * The same for the `size` bytes from `pointer` on: false also where they reach beyond their allocation, and
 * unknown memory passes if it is the program's own (KESCO_GUARD_HOST). Size 0 always passes.
 */
bool kesco_guard_admits_range(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer,
                              uint64_t size);

/*
 * The same for a pointer into an allocation of which only `bytes` may be touched; those beyond it are not.
 * With none, it is as if there were none to check.
 */
bool kesco_guard_admits_part(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer,
                             struct kesco_pieces bytes);

/* Takes in what an op works on, for kesco_guard_lets_host_see alone. Of `flags`, KESCO_GUARD_HOST counts. */
void kesco_guard_note(struct kesco_guard *guard, uint32_t flags, const void *pointer,
                      struct kesco_pieces bytes);

/* True if an allocation that is known to be plain begins there. */
bool kesco_guard_knows_plain(const struct kesco_guard *guard, const void *pointer);

/* Takes in that the host is about to touch what `pointer` leads to. */
void kesco_guard_touch(struct kesco_guard *guard, const void *pointer);

/*
 * True if the host could tell, by what it can touch, whether the noted ops are done; `told`: what it touches
 * was given to kesco_guard_touch, which starts anew with this.
 */
bool kesco_guard_lets_host_see(struct kesco_guard *guard, bool told);

#endif
