#include "runtime/region/stretch.h"

#include <stddef.h>
#include <string.h>

enum { MOST_SLICES = 64 };

/* What a fault brings at least. Parts are rounded to that, and near each other where no more is between. */
#define NEAR ((uintptr_t)64 << 10)

/* Fetched ahead: as much as is used, but no more than half of what faults bring at most; */
#define MOST_AHEAD ((uintptr_t)1 << 20)

/* or of more used memory, this part: by then, that much has been saved. */
#define PART_AHEAD 4

/*
 * Where parts are all over an allocation, they are counted by slices of at least so much. A part of one takes
 * 66 microseconds, by a fault each way; all of one, 75. To have the slice fetched, and back by faults, takes
 * 41: so having all of them pays where five of eight are used.
 */
#define LEAST_SLICE ((uintptr_t)256 << 10)

static uintptr_t size_of(struct kesco_allocation bytes) {
    return bytes.end - bytes.begin;
}

static bool is_none(struct kesco_allocation bytes) {
    return bytes.begin >= bytes.end;
}

static bool is_within(struct kesco_allocation bytes, struct kesco_allocation within) {
    return within.begin <= bytes.begin && bytes.end <= within.end;
}

static bool are_same(struct kesco_allocation a, struct kesco_allocation b) {
    return a.begin == b.begin && a.end == b.end;
}

static bool are_near(struct kesco_allocation a, struct kesco_allocation b) {
    return (a.begin <= b.end || a.begin - b.end <= NEAR) && (b.begin <= a.end || b.begin - a.end <= NEAR);
}

static struct kesco_allocation unite(struct kesco_allocation a, struct kesco_allocation b) {
    return (struct kesco_allocation){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

static struct kesco_allocation intersect(struct kesco_allocation a, struct kesco_allocation b) {
    return (struct kesco_allocation){a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/* By so many bytes on each side, as far as there are any. */
static struct kesco_allocation widen(struct kesco_allocation bytes, uintptr_t before, uintptr_t after) {
    bytes.begin -= before < bytes.begin ? before : bytes.begin;
    bytes.end += after < UINTPTR_MAX - bytes.end ? after : UINTPTR_MAX - bytes.end;
    return bytes;
}

/* To pages of `whole`, within it. */
static struct kesco_allocation round_out(struct kesco_allocation bytes, struct kesco_allocation whole) {
    const uintptr_t before = (bytes.begin - whole.begin) % NEAR, after = (bytes.end - whole.begin) % NEAR;

    return intersect(widen(bytes, before, (NEAR - after) % NEAR), whole);
}

static struct kesco_allocation byte_at(const void *pointer) {
    return (struct kesco_allocation){(uintptr_t)pointer, (uintptr_t)pointer + 1};
}

static bool is_any(const struct kesco_use *use) {
    return is_none(use->part);
}

static struct kesco_allocation first_of(const struct kesco_use *use) {
    return is_any(use) ? byte_at(use->pointer) : use->part;
}

void kesco_stretches_clear(struct kesco_stretches *stretches) {
    if (stretches->count > 0)
        memset(stretches->begun, 0, sizeof stretches->begun);
    stretches->count = 0;
}

/* Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4), of where the bytes begin and end. */
static uint64_t hash(struct kesco_allocation bytes) {
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

    return ((uint64_t)bytes.begin * golden ^ (uint64_t)bytes.end) * golden;
}

enum { BITS = 13 };
_Static_assert(KESCO_STRETCHES_WORDS * 64 == 1 << BITS, "a bit for each number");

static void set_bit(uint64_t *words, uint64_t bit) {
    words[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool has_bit(const uint64_t *words, uint64_t bit) {
    return (words[bit / 64] >> bit % 64 & 1) != 0;
}

static void note_begun(struct kesco_stretches *stretches, struct kesco_allocation first) {
    const uint64_t bits = hash(first) >> (64 - 2 * BITS);

    set_bit(stretches->begun, bits >> BITS);
    set_bit(stretches->begun, bits % (1 << BITS));
}

/* True in a pass with so many that some are forgotten; what is taken for one of them and is not misses a
 * fetch. */
static bool is_forgotten(const struct kesco_stretches *stretches, struct kesco_allocation first) {
    const uint64_t bits = hash(first) >> (64 - 2 * BITS);

    return stretches->count > KESCO_STRETCHES_MOST && has_bit(stretches->begun, bits >> BITS) &&
           has_bit(stretches->begun, bits % (1 << BITS));
}

static uintptr_t slice_of(struct kesco_allocation whole) {
    const uintptr_t slice = size_of(whole) / MOST_SLICES + 1;

    return slice > LEAST_SLICE ? slice : LEAST_SLICE;
}

/* The slices that `bytes` take time of: all that they touch, or where slices are larger, those of which the
 * middle half is among them. */
static uint64_t slices_in(struct kesco_allocation bytes, struct kesco_allocation whole) {
    const uintptr_t slice = slice_of(whole), edge = slice > LEAST_SLICE ? slice / 4 : slice - 1;
    uintptr_t first, end;

    bytes = intersect(bytes, whole);
    if (is_none(bytes))
        return 0;
    first = (bytes.begin - whole.begin + slice - 1 - edge) / slice;
    end = (bytes.end - whole.begin + edge) / slice;
    if (first >= end)
        return 0;
    return (end >= MOST_SLICES ? UINT64_MAX : ((uint64_t)1 << end) - 1) & ~(((uint64_t)1 << first) - 1);
}

static bool is_worth_all(const struct kesco_stretch *stretch) {
    const uintptr_t slice = slice_of(stretch->whole);
    const uint64_t slices = stretch->slices | slices_in(stretch->used, stretch->whole);
    const uintptr_t count = (size_of(stretch->whole) + slice - 1) / slice;

    return stretch->slices != 0 && (uintptr_t)__builtin_popcountll(slices) * 8 >= count * 5;
}

/* Takes in that so much of it is used. */
static void note_use(struct kesco_stretch *stretch, struct kesco_allocation bytes) {
    if (is_within(bytes, stretch->used))
        return;
    if (are_near(bytes, stretch->used))
        stretch->used = unite(stretch->used, bytes);
    else
        stretch->slices |= slices_in(bytes, stretch->whole);
}

/* What is known of all of an allocation, or what may be used is there. */
static bool has_any(const struct kesco_stretch *stretch, const void *pointer) {
    return !stretch->is_scattered && is_within(byte_at(pointer), stretch->there) &&
           (stretch->rests || are_same(stretch->there, stretch->whole));
}

/* What is overwritten next to what is overwritten rests like that. */
static bool rests_with(struct kesco_stretch *stretch, const struct kesco_use *use,
                       struct kesco_allocation bytes) {
    if (!stretch->rests || stretch->is_scattered)
        return false;
    if (stretch->pointer == use->pointer)
        return true;
    if (!stretch->is_overwritten || !use->is_overwritten || is_none(bytes) ||
        !are_near(bytes, stretch->there))
        return false;
    stretch->there = unite(stretch->there, bytes);
    return true;
}

static bool has_part(struct kesco_stretch *stretch, const struct kesco_use *use) {
    const struct kesco_allocation bytes = intersect(use->part, stretch->whole);
    const bool is_inside = !is_none(bytes) && is_within(bytes, stretch->there);

    if (!is_inside && !rests_with(stretch, use, bytes))
        return false;
    if (!is_none(bytes))
        note_use(stretch, bytes);
    return !stretch->is_scattered || !is_worth_all(stretch);
}

static uint32_t count_of(const struct kesco_stretches *stretches) {
    return stretches->count < KESCO_STRETCHES_MOST ? stretches->count : KESCO_STRETCHES_MOST;
}

static struct kesco_stretch *item(struct kesco_stretches *stretches, uint32_t number) {
    return &stretches->items[stretches->now[number]];
}

bool kesco_stretches_have(struct kesco_stretches *stretches, const struct kesco_use *use) {
    struct kesco_stretch *stretch;
    uint32_t i;

    for (i = 0; i < count_of(stretches); i++) {
        stretch = item(stretches, i);
        if (is_any(use) ? has_any(stretch, use->pointer) : has_part(stretch, use))
            return true;
    }
    return is_forgotten(stretches, first_of(use));
}

/* One that began like that, now or before, if need be in another region; NULL: there is none. */
static const struct kesco_stretch *find_begun(const struct kesco_stretches *stretches, const void *region,
                                              struct kesco_allocation first) {
    const struct kesco_stretch *other = NULL;
    uint32_t i;

    for (i = 0; i < KESCO_STRETCHES_MOST; i++) {
        if (!are_same(stretches->items[i].first, first))
            continue;
        if (stretches->items[i].region == region)
            return &stretches->items[i];
        other = &stretches->items[i];
    }
    return other;
}

/* In another region, as much is expected to be used, at first. */
static struct kesco_stretch *find_or_make(struct kesco_stretches *stretches, const struct kesco_use *use) {
    const struct kesco_allocation first = first_of(use);
    const struct kesco_stretch fresh = {.first = first, .whole = first, .used = first, .before = first};
    const struct kesco_stretch *begun = find_begun(stretches, use->region, first);
    struct kesco_stretch *stretch = &stretches->items[stretches->made % KESCO_STRETCHES_MOST];

    if (begun != NULL && begun->region == use->region)
        return &stretches->items[begun - stretches->items];
    stretches->made++;
    *stretch = begun != NULL ? *begun : fresh;
    stretch->region = use->region;
    return stretch;
}

/* In its last pass, whether that is over or not. */
static struct kesco_allocation used_of(const struct kesco_stretch *stretch) {
    return is_worth_all(stretch) ? stretch->whole : stretch->used;
}

/* What was used in both of its last two passes. */
static struct kesco_allocation expected_of(const struct kesco_stretch *stretch) {
    return intersect(used_of(stretch), stretch->before);
}

/* In a new pass; nothing is there yet. */
static void begin(struct kesco_stretches *stretches, struct kesco_stretch *stretch,
                  const struct kesco_use *use) {
    stretches->now[stretches->count++ % KESCO_STRETCHES_MOST] = (uint8_t)(stretch - stretches->items);
    note_begun(stretches, first_of(use));
    stretch->before = used_of(stretch);
    stretch->pointer = use->pointer;
    stretch->used = stretch->first;
    stretch->slices = stretch->extended = 0;
    stretch->rests = stretch->is_scattered = false;
    stretch->is_overwritten = use->is_overwritten;
}

struct kesco_allocation *kesco_stretches_rest(struct kesco_stretches *stretches,
                                              const struct kesco_use *use) {
    struct kesco_stretch *stretch = find_or_make(stretches, use);

    begin(stretches, stretch, use);
    stretch->there = stretch->used = unite(stretch->first, stretch->before);
    stretch->rests = true;
    return !is_any(use) && are_same(stretch->whole, stretch->first) ? &stretch->whole : NULL;
}

struct kesco_allocation kesco_stretches_take_in_all(struct kesco_stretches *stretches,
                                                    const struct kesco_use *use,
                                                    struct kesco_allocation whole) {
    struct kesco_stretch *stretch = find_or_make(stretches, use);

    begin(stretches, stretch, use);
    stretch->whole = stretch->there = stretch->used = whole;
    return whole;
}

static struct kesco_allocation take_in_part(struct kesco_stretches *stretches, const struct kesco_use *use,
                                            struct kesco_allocation part, struct kesco_allocation whole) {
    struct kesco_stretch *stretch = find_or_make(stretches, use);
    const struct kesco_allocation expected = intersect(expected_of(stretch), whole);

    begin(stretches, stretch, use);
    stretch->whole = whole;
    stretch->used = part;
    stretch->there = round_out(is_none(expected) ? part : unite(part, expected), whole);
    return stretch->there;
}

/* True of one of this pass, in that allocation, with what may be fetched of it near the part. */
static bool is_near(const struct kesco_stretch *stretch, struct kesco_allocation part,
                    struct kesco_allocation whole) {
    return !stretch->rests && are_same(stretch->whole, whole) && are_near(stretch->there, part);
}

static uintptr_t ahead_of(const struct kesco_stretch *stretch, struct kesco_allocation part) {
    const uintptr_t used = size_of(unite(stretch->used, part));

    if (stretch->extended == 0)
        return 0;
    return used < MOST_AHEAD ? used : used < MOST_AHEAD * PART_AHEAD ? MOST_AHEAD : used / PART_AHEAD;
}

/* Some of the part is not there; and what is between comes along. */
static struct kesco_allocation extend(struct kesco_stretch *stretch, struct kesco_allocation part) {
    const uintptr_t ahead = ahead_of(stretch, part);
    const bool is_before = part.begin < stretch->there.begin;
    const bool is_after = part.end > stretch->there.end;
    struct kesco_allocation bytes = widen(part, is_before ? ahead : 0, is_after ? ahead : 0);

    if (!is_before)
        bytes.begin = stretch->there.end;
    if (!is_after)
        bytes.end = stretch->there.begin;
    bytes = round_out(intersect(bytes, stretch->whole), stretch->whole);
    stretch->there = unite(stretch->there, bytes);
    stretch->extended++;
    note_use(stretch, part);
    return bytes;
}

/* The first one of this pass in that allocation; NULL: there is none. `count`: of all. */
static struct kesco_stretch *find_of(struct kesco_stretches *stretches, struct kesco_allocation whole,
                                     uint32_t *count) {
    struct kesco_stretch *first = NULL;
    uint32_t i;

    *count = 0;
    for (i = 0; i < count_of(stretches); i++)
        if (are_same(item(stretches, i)->whole, whole)) {
            first = first == NULL ? item(stretches, i) : first;
            (*count)++;
        }
    return first;
}

/* The first one stands for all that the allocation has, and is known of all of them. */
static struct kesco_allocation scatter(struct kesco_stretches *stretches, struct kesco_stretch *first,
                                       struct kesco_allocation part) {
    uint32_t i;

    for (i = 0; i < count_of(stretches); i++)
        if (are_same(item(stretches, i)->whole, first->whole))
            first->slices |= item(stretches, i)->slices | slices_in(item(stretches, i)->used, first->whole);
    first->there = first->whole;
    note_use(first, part);
    first->is_scattered = !is_worth_all(first);
    return first->is_scattered ? (struct kesco_allocation){0, 0} : first->whole;
}

struct kesco_allocation kesco_stretches_take_in(struct kesco_stretches *stretches,
                                                const struct kesco_use *use, struct kesco_allocation whole) {
    const struct kesco_allocation part = intersect(use->part, whole);
    struct kesco_stretch *first;
    uint32_t i, count;

    if (is_none(part))
        return kesco_stretches_take_in_all(stretches, use, whole);
    first = find_of(stretches, whole, &count);
    if (first != NULL && first->is_scattered)
        return scatter(stretches, first, part);
    for (i = 0; i < count_of(stretches); i++)
        if (is_near(item(stretches, i), part, whole))
            return extend(item(stretches, i), part);
    return count < KESCO_STRETCHES_APART ? take_in_part(stretches, use, part, whole)
                                         : scatter(stretches, first, part);
}
