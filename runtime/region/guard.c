#include "runtime/region/guard.h"

#include "runtime/kesco_abi.h"

#include <stddef.h>
#include <string.h>

/* The object of what is only noted, which is beside all others. */
#define NOBODYS UINT32_MAX

enum { PART_STEP = 5 };

/* Where calls for an object are remembered: those for its parts have others. */
static uint32_t place_of_object(uint32_t object) {
    return (object + (object >> KESCO_GUARD_PART) * PART_STEP) % KESCO_GUARD_OBJECTS;
}

static uint32_t group_of(uint32_t object) {
    return object >> KESCO_GUARD_GROUP & ((UINT32_C(1) << (KESCO_GUARD_PART - KESCO_GUARD_GROUP)) - 1);
}

/* The plan has it that parts of one object touch what the whole does. */
static bool are_compared(uint32_t a, uint32_t b) {
    const bool are_of_one = (a ^ b) << (32 - KESCO_GUARD_GROUP) == 0;

    return !are_of_one || (group_of(a) != 0 && group_of(b) != 0 && group_of(a) != group_of(b));
}

static void forget_addresses(struct kesco_guard_addresses *addresses) {
    if (++addresses->now != 0)
        return;
    memset(addresses->since, 0, sizeof addresses->since);
    addresses->now = 1;
}

static uint32_t place_of(uintptr_t address) {
    return (uint32_t)((uint64_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 32) % KESCO_GUARD_ADDRESSES;
}

/* `address` is not 0. */
static bool has_address(const struct kesco_guard_addresses *addresses, uintptr_t address) {
    const uint32_t place = place_of(address);

    return addresses->since[place] == addresses->now && addresses->values[place] == address;
}

static void take_in_address(struct kesco_guard_addresses *addresses, uintptr_t address) {
    const uint32_t place = place_of(address);

    addresses->since[place] = addresses->now;
    addresses->values[place] = address;
}

static void forget_pairs(struct kesco_guard *guard) {
    forget_addresses(&guard->plain.begins);
    forget_addresses(&guard->plain.noted);
    if (guard->pair_count == 0)
        return;
    guard->pair_count = 0;
    guard->is_full = false;
    memset(guard->calls, 0, sizeof guard->calls);
}

void kesco_guard_clear(struct kesco_guard *guard) {
    guard->visible = guard->unbounded = guard->touched = false;
    forget_pairs(guard);
}

void kesco_guard_forget(struct kesco_guard *guard) {
    guard->unbounded |= guard->visible;
    forget_pairs(guard);
}

/* True if the allocation that begins there is plain. CUDA is asked once for most allocations. */
static bool is_plain(struct kesco_guard *guard, uintptr_t begin) {
    if (has_address(&guard->plain.begins, begin))
        return true;
    if (!kesco_allocation_is_plain((const void *)begin))
        return false;
    take_in_address(&guard->plain.begins, begin);
    return true;
}

static bool refuse(struct kesco_guard *guard, const char *why) {
    guard->refusal = why;
    guard->met = false;
    return false;
}

static bool refuse_beside(struct kesco_guard *guard, const char *why) {
    guard->refusal = why;
    guard->met = true;
    return false;
}

static bool is_same(const struct kesco_guard_call *a, const struct kesco_guard_call *b) {
    return a->pointer == b->pointer && kesco_pieces_are_same(&a->bytes, &b->bytes) &&
           a->object == b->object && a->flags == b->flags;
}

static bool find_allocation(const struct kesco_guard *guard, const void *pointer,
                            struct kesco_allocation *result) {
    uint32_t i;

    for (i = 0; i < guard->pair_count; i++) {
        *result = guard->pairs[i].allocation;
        if (!guard->pairs[i].own && result->begin <= (uintptr_t)pointer && (uintptr_t)pointer < result->end)
            return true;
    }
    return kesco_allocation_find(pointer, result);
}

/* `offset` bytes from `address`, but not out of `within`. */
static uintptr_t at_offset(uintptr_t address, int64_t offset, const struct kesco_allocation *within) {
    uintptr_t result;

    if (__builtin_add_overflow(address, offset, &result))
        return offset < 0 ? within->begin : within->end;
    return result < within->begin ? within->begin : result > within->end ? within->end : result;
}

/* What of the allocation the bytes are; where they begin before it, not in pieces. */
static struct kesco_touched within(const struct kesco_allocation *allocation, uintptr_t address,
                                   const struct kesco_pieces *bytes) {
    struct kesco_touched touched = kesco_touched_bytes(at_offset(address, bytes->begin, allocation),
                                                       at_offset(address, bytes->end, allocation));

    if (bytes->distance != 0 && touched.begin == address + (uintptr_t)bytes->begin) {
        touched.distance = (uintptr_t)bytes->distance;
        touched.length = (uintptr_t)bytes->length;
        touched.planes = bytes->planes;
        touched.planes.first += (int64_t)address;
    }
    return touched;
}

/* Fills in the pair's memory. False: what it is cannot be told. */
static bool find_memory(const struct kesco_guard *guard, const struct kesco_guard_call *call,
                        struct kesco_guard_pair *pair) {
    const struct kesco_pieces *bytes = &call->bytes;
    const uintptr_t begin = (uintptr_t)call->pointer;
    uintptr_t end = begin;

    if ((call->flags & KESCO_GUARD_HOST) != 0 &&
        (__builtin_add_overflow(begin, bytes->end, &end) || bytes->end < 0))
        return false;
    if (find_allocation(guard, call->pointer, &pair->allocation)) {
        pair->touched = kesco_touched_bytes(pair->allocation.begin, pair->allocation.end);
        if (bytes->begin != KESCO_GUARD_ALL)
            pair->touched = within(&pair->allocation, begin, bytes);
        return end <= pair->allocation.end;
    }
    pair->own = true;
    pair->allocation.begin = begin;
    pair->allocation.end = end;
    pair->touched = kesco_touched_bytes(begin, end);
    return begin != end && (call->flags & KESCO_GUARD_HOST) != 0;
}

static bool may_conflict(const struct kesco_guard_pair *a, const struct kesco_guard_pair *b) {
    uint32_t either = a->flags | b->flags;

    return are_compared(a->object, b->object) && a->own == b->own && (either & KESCO_GUARD_APART) == 0 &&
           (either & KESCO_GUARD_CHECKED) != 0 && (either & KESCO_GUARD_WRITTEN) != 0 &&
           kesco_touched_meets(&a->touched, &b->touched);
}

/* The known pair of the same object and allocation. NULL: there is none. */
static struct kesco_guard_pair *find_pair(struct kesco_guard *guard, const struct kesco_guard_pair *pair) {
    struct kesco_guard_pair *known;

    for (known = guard->pairs; known < guard->pairs + guard->pair_count; known++)
        if (known->object == pair->object && known->own == pair->own &&
            (known->own || known->allocation.begin == pair->allocation.begin))
            return known;
    return NULL;
}

static bool covers(const struct kesco_guard_pair *known, const struct kesco_guard_pair *pair) {
    return (pair->flags & ~known->flags) == 0 && known->allocation.begin <= pair->allocation.begin &&
           pair->allocation.end <= known->allocation.end &&
           kesco_touched_holds(&known->touched, &pair->touched);
}

/* Takes what `known` has into the pair of the same object. */
static void take_in(struct kesco_guard_pair *pair, const struct kesco_guard_pair *known) {
    struct kesco_touched touched = known->touched;

    kesco_touched_add(&touched, &pair->touched);
    pair->touched = touched;
    pair->flags |= known->flags;
    if (pair->allocation.begin > known->allocation.begin)
        pair->allocation.begin = known->allocation.begin;
    if (pair->allocation.end < known->allocation.end)
        pair->allocation.end = known->allocation.end;
}

/* True if the pair's memory is plain, or need not be. */
static bool is_plain_enough(struct kesco_guard *guard, const struct kesco_guard_pair *pair) {
    return (pair->flags & KESCO_GUARD_PLAIN) == 0 || is_plain(guard, pair->allocation.begin);
}

static bool admits_pair(struct kesco_guard *guard, struct kesco_guard_pair *pair) {
    static const char shared[] = "two pointers may share an allocation";
    struct kesco_guard_pair *known = find_pair(guard, pair);
    uint32_t i;

    if (known != NULL && covers(known, pair))
        return true;
    if (pair->own && (pair->flags & KESCO_GUARD_LOCKED) != 0)
        return refuse(guard, "memory that may be pageable");
    if (!is_plain_enough(guard, pair))
        return refuse(guard, "memory that the host may touch");
    if (known != NULL)
        take_in(pair, known);
    for (i = 0; i < guard->pair_count; i++)
        if (may_conflict(&guard->pairs[i], pair))
            return refuse_beside(guard, shared);
    if (known == NULL && guard->pair_count < KESCO_GUARD_PAIRS)
        known = &guard->pairs[guard->pair_count++];
    guard->is_full |= known == NULL;
    if (guard->is_full && (pair->flags & KESCO_GUARD_CHECKED) != 0)
        return refuse_beside(guard, "more allocations than the guard tells apart");
    if (known != NULL)
        *known = *pair;
    else
        guard->unbounded = true;
    return true;
}

/* True if the plan holds wherever the pointer leads. */
static bool is_only_noted(uint32_t flags) {
    return (flags & KESCO_GUARD_APART) != 0 && (flags & (KESCO_GUARD_PLAIN | KESCO_GUARD_LOCKED)) == 0;
}

static void note(struct kesco_guard *guard, const struct kesco_guard_pair *pair) {
    if ((pair->flags & KESCO_GUARD_NOTED) != 0 && !guard->visible)
        guard->visible = pair->own || !is_plain(guard, pair->allocation.begin);
}

static bool admits_new(struct kesco_guard *guard, const struct kesco_guard_call *call) {
    struct kesco_guard_call *calls = guard->calls[place_of_object(call->object)];
    struct kesco_guard_pair pair = {.object = call->object, .flags = call->flags};

    if (!find_memory(guard, call, &pair)) {
        guard->visible = guard->unbounded = true;
        return is_only_noted(call->flags) || refuse(guard, "a pointer's allocation is not known");
    }
    note(guard, &pair);
    if (!admits_pair(guard, &pair)) {
        guard->unbounded = true;
        return is_only_noted(call->flags);
    }
    calls[1] = calls[0];
    calls[0] = *call;
    return true;
}

static bool admits(struct kesco_guard *guard, const struct kesco_guard_call *call) {
    const struct kesco_guard_call *calls = guard->calls[place_of_object(call->object)];

    return call->pointer == NULL || is_same(&calls[0], call) || is_same(&calls[1], call) ||
           admits_new(guard, call);
}

bool kesco_guard_admits_part(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer,
                             struct kesco_pieces bytes) {
    const struct kesco_guard_call call = {
        .pointer = pointer, .bytes = bytes, .object = object, .flags = flags};

    return (bytes.begin >= bytes.end && bytes.begin != KESCO_GUARD_ALL) || admits(guard, &call);
}

bool kesco_guard_admits(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer) {
    const struct kesco_pieces all = {.begin = KESCO_GUARD_ALL, .end = KESCO_GUARD_ALL};

    return kesco_guard_admits_part(guard, object, flags & ~(uint32_t)KESCO_GUARD_HOST, pointer, all);
}

bool kesco_guard_admits_range(struct kesco_guard *guard, uint32_t object, uint32_t flags, const void *pointer,
                              uint64_t size) {
    return kesco_guard_admits_part(guard, object, flags, pointer, kesco_guard_first_bytes(size));
}

void kesco_guard_note(struct kesco_guard *guard, uint32_t flags, const void *pointer,
                      struct kesco_pieces bytes) {
    const uint32_t noted = KESCO_GUARD_NOTED | KESCO_GUARD_APART | (flags & KESCO_GUARD_HOST);
    struct kesco_allocation found;

    if (pointer == NULL || has_address(&guard->plain.noted, (uintptr_t)pointer))
        return;
    if (find_allocation(guard, pointer, &found) && is_plain(guard, found.begin))
        take_in_address(&guard->plain.noted, (uintptr_t)pointer); /* the host touches nothing in that */
    else
        kesco_guard_admits_part(guard, NOBODYS, noted, pointer, bytes);
}

bool kesco_guard_knows_plain(const struct kesco_guard *guard, const void *pointer) {
    return has_address(&guard->plain.begins, (uintptr_t)pointer);
}

static bool leads_into(const struct kesco_allocation *allocation, uintptr_t address) {
    return allocation->begin <= address && address < allocation->end;
}

void kesco_guard_touch(struct kesco_guard *guard, const void *pointer) {
    const uintptr_t address = (uintptr_t)pointer;
    uint32_t i;

    for (i = 0; i < guard->pair_count && !guard->touched; i++)
        guard->touched = leads_into(&guard->pairs[i].allocation, address) ||
                         leads_into(&guard->pairs[i].allocation, address - 1);
}

bool kesco_guard_lets_host_see(struct kesco_guard *guard, bool told) {
    const bool touched = guard->touched;

    guard->touched = false;
    return guard->visible && (!told || touched || guard->unbounded);
}
