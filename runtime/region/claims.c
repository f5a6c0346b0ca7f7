#include "runtime/region/claims.h"

#include "runtime/region/allocation.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void kesco_claims_clear(struct kesco_claims *claims) {
    free(claims->all);
    *claims = (struct kesco_claims){NULL, 0, 0};
}

/* True if `what`, a constant, has not been told of the claim yet, or so much has that this is not remembered.
 */
static bool is_untold(const struct kesco_claim *claim, const char *what) {
    enum { MOST = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const struct kesco_claim *claim;
        const char *what;
    } told[MOST];
    static uint32_t count;
    uint32_t i;
    bool result;

    pthread_mutex_lock(&lock);
    for (i = 0; i < count && (told[i].claim != claim || told[i].what != what); i++)
        ;
    result = i == count;
    if (result && count < MOST) {
        told[count].claim = claim;
        told[count++].what = what;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Tells, once for the claim, what is wrong with it: of the pointers at `one` and `other`. */
static void tell(const struct kesco_claimed *one, const struct kesco_claimed *other, const char *what,
                 const char *why) {
    const struct kesco_claim *claim = one->claim;
    const bool swapped = (one->pointer & KESCO_CLAIM_SECOND) != 0;

    if (is_untold(claim, what))
        fprintf(stderr, "kesco: %s:%u: KESCO_DISTINCT(%s, %s) %s: %s (%s is %p, %s is %p)\n", claim->file,
                claim->line, claim->first, claim->second, what, why, claim->first,
                swapped ? other->at : one->at, claim->second, swapped ? one->at : other->at);
}

static bool may_conflict(const struct kesco_claimed *a, const struct kesco_claimed *b) {
    return a->claim == b->claim && ((a->pointer ^ b->pointer) & KESCO_CLAIM_SECOND) != 0 &&
           ((a->pointer | b->pointer) & KESCO_CLAIM_WRITES) != 0 && a->begin < b->end && b->begin < a->end;
}

/* True if what two ops access is known well enough to say that they meet. */
static bool do_meet(const struct kesco_claimed *one, const struct kesco_claimed *other) {
    const bool in_pieces = ((one->pointer | other->pointer) & KESCO_CLAIM_PIECES) != 0;

    return (one->at == other->at && !in_pieces) || (one->exact && other->exact);
}

/* False: the claim is false. */
static bool is_claim_held(const struct kesco_claimed *one, const struct kesco_claimed *other) {
    static const char is_false[] = "is false", unknown[] = "cannot be checked";

    if (!may_conflict(one, other))
        return true;
    if (do_meet(one, other)) {
        tell(one, other, is_false, "ops access the same memory through both, and run serially from here on");
        return false;
    }
    tell(one, other, unknown,
         "they may lead into one allocation, and what of it kernels access is not known");
    return true;
}

static bool is_known(const struct kesco_claims *claims, const struct kesco_claimed *next) {
    uint32_t i;

    for (i = 0; i < claims->count; i++)
        if (claims->all[i].claim == next->claim && claims->all[i].pointer == next->pointer &&
            claims->all[i].exact == next->exact && claims->all[i].begin == next->begin &&
            claims->all[i].end == next->end && (next->exact || claims->all[i].at == next->at))
            return true;
    return false;
}

static void add(struct kesco_claims *claims, const struct kesco_claimed *next) {
    enum { MOST = 4096 };
    static const char too_many[] = "cannot be checked any more: ops have accessed too many different ranges";
    const uint32_t size = claims->size == 0 ? 16 : 2 * claims->size;
    struct kesco_claimed *grown;

    if (claims->count == claims->size) {
        grown = size > MOST ? NULL : realloc(claims->all, size * sizeof *grown);
        if (grown == NULL) {
            if (is_untold(next->claim, too_many))
                fprintf(stderr, "kesco: %s:%u: KESCO_DISTINCT(%s, %s) %s\n", next->claim->file,
                        next->claim->line, next->claim->first, next->claim->second, too_many);
            return;
        }
        claims->all = grown;
        claims->size = size;
    }
    claims->all[claims->count++] = *next;
}

/* What the bytes are as addresses. False: there are none. */
static bool find_bytes(struct kesco_claimed *next, struct kesco_pieces bytes) {
    struct kesco_allocation allocation;
    const bool is_bounded = bytes.begin != KESCO_GUARD_ALL &&
                            !__builtin_add_overflow((uintptr_t)next->at, bytes.begin, &next->begin) &&
                            !__builtin_add_overflow((uintptr_t)next->at, bytes.end, &next->end);

    next->exact = is_bounded && (next->pointer & KESCO_CLAIM_PIECES) == 0;
    if (!is_bounded) {
        if (!kesco_allocation_find(next->at, &allocation))
            allocation = (struct kesco_allocation){0, UINTPTR_MAX};
        next->begin = allocation.begin;
        next->end = allocation.end;
    }
    return next->at != NULL && next->begin < next->end;
}

bool kesco_claims_hold(struct kesco_claims *claims, const struct kesco_claim *claim, uint32_t pointer,
                       const void *at, struct kesco_pieces bytes) {
    struct kesco_claimed next = {.claim = claim, .pointer = pointer, .at = at};
    bool held = true;
    uint32_t i;

    if (!find_bytes(&next, bytes) || is_known(claims, &next))
        return true;
    for (i = 0; i < claims->count && held; i++)
        held = is_claim_held(&claims->all[i], &next);
    add(claims, &next);
    return held;
}
