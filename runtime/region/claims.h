/*
 * The program's claims that pointers are distinct (KESCO_DISTINCT in kesco.h), checked under KESCO_CHECK=1:
 * which bytes the ops of an open region access through the two pointers of each. A claim is false where an op
 * may write through one of them what an op may access through the other. Where that is not known, for kernels
 * that access what nobody can say and for pointers into one allocation, the claim cannot be checked. Both are
 * told on stderr, once for each claim.
 */
#ifndef KESCO_RUNTIME_REGION_CLAIMS_H
#define KESCO_RUNTIME_REGION_CLAIMS_H

#include "runtime/kesco_abi.h"
#include "runtime/region/guard.h"

#include <stdbool.h>
#include <stdint.h>

/* What is accessed through one of a claim's pointers. */
struct kesco_claimed {
    const struct kesco_claim *claim;
    uint32_t pointer; /* KESCO_CLAIM_ */
    bool exact;       /* from begin to end, as far as is known; else anywhere in that, or in pieces of it */
    const void *at;   /* where the pointer led */
    uintptr_t begin, end;
};

/* What was accessed so far; with zeros, nothing. */
struct kesco_claims {
    struct kesco_claimed *all;
    uint32_t count, size;
};

/* Forgets everything. */
void kesco_claims_clear(struct kesco_claims *claims);

/*
 * Takes in that an op accesses `bytes` from `at` on, a pointer of `claim`; KESCO_GUARD_ALL: all of the
 * allocation. False: the claim is false.
 */
bool kesco_claims_hold(struct kesco_claims *claims, const struct kesco_claim *claim, uint32_t pointer,
                       const void *at, struct kesco_pieces bytes);

#endif
