#include "test/vgpu/race.h"

#include "test/vgpu/chain.h"
#include "test/vgpu/exec.h"
#include "test/vgpu/module.h"
#include "test/vgpu/order.h"
#include "test/vgpu/page_record.h"
#include "test/vgpu/race_report.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/summary_check.h"
#include "test/vgpu/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the running op did to one allocation so far. */
struct touch {
    struct allocation *allocation;
    const char *base;             /* the allocation's */
    size_t size;                  /* the allocation's, in bytes */
    uint64_t *reads, *writes;     /* one bit per byte */
    size_t first_word, last_word; /* words touched; first > last: none */
    struct race_record *record;   /* of the op, once it has ended; NULL: it touched none */
};

/* The op that is being recorded. */
static struct {
    struct op *op; /* NULL: none */
    struct touch *touches;
    size_t count, capacity;
    size_t recent;  /* the touch that the last access belonged to */
    unsigned flags; /* what device code does beside its accesses: KESCO_PRINTS, KESCO_MAY_TRAP */
} recorder;

__attribute__((visibility("default"))) int vgpu_recording;

void race_begin(struct op *op) {
    if (op->kind == OP_KERNEL) {
        const bool pages = page_record_begin(), traffic = traffic_begin();
        vgpu_recording = pages || traffic || settings.check_races;
    }
    if (settings.check_races)
        recorder.op = op;
    recorder.flags = 0;
}

static bool covers(const struct touch *touch, const char *address, size_t size) {
    const size_t offset = (size_t)(address - touch->base);
    return offset < touch->size && size <= touch->size - offset;
}

static struct touch *add_touch(struct allocation *allocation) {
    recorder.touches =
        with_room(recorder.touches, recorder.count, &recorder.capacity, sizeof(*recorder.touches));
    const size_t words = (allocation->size + RACE_WORD - 1) / RACE_WORD;
    struct touch *touch = &recorder.touches[recorder.count];
    *touch = (struct touch){
        .allocation = allocation,
        .base = allocation->base,
        .size = allocation->size,
        .reads = allocate(words, sizeof(uint64_t)),
        .writes = allocate(words, sizeof(uint64_t)),
        .first_word = SIZE_MAX,
    };
    recorder.recent = recorder.count++;
    return touch;
}

/* True if the allocation's free comes before the running op: the op may not use it any more. */
static bool is_freed(const struct allocation *allocation) {
    const struct op *freed = allocation->freed;
    return freed && freed != recorder.op && op_ordered(freed, recorder.op);
}

/* True if the running op is a kernel of another device without access to the memory. Copies find their way.
 */
static bool is_out_of_reach(const struct allocation *allocation) {
    return recorder.op->kind == OP_KERNEL && !memory_is_reachable(allocation, recorder.op->queue.device);
}

/* The touch of the allocation that holds the whole range; NULL: there is none. */
static struct touch *find_touch(const char *address, size_t size) {
    for (size_t i = 0; i < recorder.count; i++) {
        if (covers(&recorder.touches[i], address, size)) {
            recorder.recent = i;
            return &recorder.touches[i];
        }
    }
    struct allocation *allocation = memory_find(address);
    if (!allocation || is_freed(allocation) || is_out_of_reach(allocation) ||
        size > allocation->size - (size_t)(address - allocation->base))
        return NULL;
    for (size_t i = 0; i < recorder.count; i++) {
        if (recorder.touches[i].allocation == allocation)
            return NULL;
    }
    return add_touch(allocation);
}

/* `count` ones from bit `from` on, both within a word. */
static uint64_t ones(size_t from, size_t bits) {
    return (bits == RACE_WORD ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1) << from;
}

/* Returns whether some of the bits were not set. */
static bool set_bits(uint64_t *bitmap, size_t offset, size_t size) {
    uint64_t missing = 0;
    while (size) {
        const size_t from = offset % RACE_WORD;
        const size_t bits = size < RACE_WORD - from ? size : RACE_WORD - from;
        missing |= ~bitmap[offset / RACE_WORD] & ones(from, bits);
        bitmap[offset / RACE_WORD] |= ones(from, bits);
        offset += bits;
        size -= bits;
    }
    return missing != 0;
}

static void record(struct touch *touch, const char *address, size_t size, uint32_t kind) {
    const size_t offset = (size_t)(address - touch->base);
    const size_t first = offset / RACE_WORD, last = (offset + size - 1) / RACE_WORD;
    if (first < touch->first_word)
        touch->first_word = first;
    if (last > touch->last_word)
        touch->last_word = last;
    if (kind & VGPU_READ)
        (void)set_bits(touch->reads, offset, size);
    if (kind & VGPU_WRITE)
        (void)set_bits(touch->writes, offset, size);
}

void race_touch(const void *address, size_t size, uint32_t kind) {
    struct touch *touch = recorder.op && size ? find_touch(address, size) : NULL;
    if (touch)
        record(touch, address, size, kind);
}

/*
 * Constants and the like of the kernel's own image are no allocations, but no fault either. All else is: the
 * op ends as a kernel does that a GPU's memory management stops.
 */
static void access_outside(const void *address, size_t size, uint32_t kind) {
    if (module_holds(address))
        return;
    const struct allocation *allocation = memory_find(address);
    if (allocation && is_out_of_reach(allocation))
        race_report_out_of_reach(recorder.op, allocation);
    else
        race_report_outside(recorder.op, address, size, kind);
    engine_fault(recorder.op->queue.device, cudaErrorIllegalAddress);
    vgpu_grid_abort(-EFAULT);
}

__attribute__((visibility("default"))) void vgpu_access(const void *address, uint64_t size, uint32_t kind) {
    page_record_touch(address, size);
    traffic_touch(address, size, kind);
    if (!recorder.op || !size)
        return;
    struct touch *touch = recorder.recent < recorder.count ? &recorder.touches[recorder.recent] : NULL;
    if (!touch || !covers(touch, address, size))
        touch = find_touch(address, size);
    if (touch)
        record(touch, address, size, kind);
    else
        access_outside(address, size, kind);
}

__attribute__((visibility("default"))) void vgpu_printed(void) {
    recorder.flags |= KESCO_PRINTS;
}

__attribute__((visibility("default"))) void vgpu_trapped(void) {
    recorder.flags |= KESCO_MAY_TRAP;
}

/* Comparing */

static struct race_record *to_record(const struct touch *touch) {
    struct race_record *record = allocate(1, sizeof(*record));
    record->op = op_retain(recorder.op);
    record->first_word = touch->first_word;
    record->words = touch->last_word - touch->first_word + 1;
    record->reads = duplicate(touch->reads + record->first_word, record->words * sizeof(uint64_t));
    record->writes = duplicate(touch->writes + record->first_word, record->words * sizeof(uint64_t));
    return record;
}

static void free_record(struct race_record *record) {
    op_release(record->op);
    op_list_free(&record->reported);
    free(record->reads);
    free(record->writes);
    free(record);
}

/* The words that both records have: [first, end) of the allocation. */
static size_t common_words(const struct race_record *a, const struct race_record *b, size_t *first) {
    const size_t a_end = a->first_word + a->words, b_end = b->first_word + b->words;
    *first = a->first_word > b->first_word ? a->first_word : b->first_word;
    return a_end < b_end ? a_end : b_end;
}

/* Reports the two records' ops if they touch a byte that one of them writes. Returns whether they do. */
static bool compare(const struct allocation *allocation, const struct race_record *a,
                    const struct race_record *b) {
    struct race race = {.a = a->op, .b = b->op, .allocation = allocation, .first = SIZE_MAX};
    size_t word;
    const size_t end = common_words(a, b, &word);
    for (; word < end; word++) {
        const uint64_t a_reads = a->reads[word - a->first_word], a_writes = a->writes[word - a->first_word];
        const uint64_t b_reads = b->reads[word - b->first_word], b_writes = b->writes[word - b->first_word];
        const uint64_t clash = (a_writes & (b_reads | b_writes)) | (a_reads & b_writes);
        if (!clash)
            continue;
        if (race.first == SIZE_MAX)
            race.first = word * RACE_WORD + (size_t)__builtin_ctzll(clash);
        race.last = word * RACE_WORD + (RACE_WORD - 1) - (size_t)__builtin_clzll(clash);
        race.a_writes |= (a_writes & clash) != 0;
        race.b_writes |= (b_writes & clash) != 0;
    }
    if (race.first == SIZE_MAX)
        return false;
    race_report(&race);
    return true;
}

/* Takes from `old` what the later, ordered `record` covers. True if nothing is left. */
static bool covered(struct race_record *old, const struct race_record *record) {
    size_t word;
    const size_t end = common_words(old, record, &word);
    for (; word < end; word++) {
        const uint64_t writes = record->writes[word - record->first_word];
        old->reads[word - old->first_word] &= ~(writes | record->reads[word - record->first_word]);
        old->writes[word - old->first_word] &= ~writes;
    }
    for (size_t i = 0; i < old->words; i++) {
        if (old->reads[i] | old->writes[i])
            return false;
    }
    return true;
}

static void add_to_history(struct allocation *allocation, struct race_record *record) {
    for (struct race_record **link = &allocation->history; *link;) {
        struct race_record *old = *link;
        if (!op_ordered(old->op, record->op)) {
            (void)compare(allocation, old, record);
        } else if (covered(old, record)) {
            *link = old->next;
            free_record(old);
            continue;
        }
        link = &old->next;
    }
    record->next = allocation->history;
    allocation->history = record;
}

static void end_touch(struct touch *touch) {
    if (touch->first_word <= touch->last_word) {
        touch->record = to_record(touch);
        summary_check_record(touch->allocation, touch->record);
        chain_follow(recorder.op, touch->allocation, touch->record);
    }
    free(touch->reads);
    free(touch->writes);
}

/* For summary_check_tightness: of the running op. */
static const struct race_record *find_record(const struct allocation *allocation) {
    for (size_t i = 0; i < recorder.count; i++)
        if (recorder.touches[i].allocation == allocation)
            return recorder.touches[i].record;
    return NULL;
}

/* What the running op did is known. */
static void keep_touch(const struct touch *touch) {
    if (!touch->record)
        return;
    chain_leave(recorder.op, touch->allocation, touch->record);
    add_to_history(touch->allocation, touch->record);
}

void race_end(void) {
    vgpu_recording = 0;
    if (!recorder.op)
        return;
    summary_check_op(recorder.op, recorder.flags);
    for (size_t i = 0; i < recorder.count; i++)
        end_touch(&recorder.touches[i]);
    summary_check_tightness(recorder.op, find_record);
    chain_end(recorder.op, recorder.flags & KESCO_PRINTS);
    for (size_t i = 0; i < recorder.count; i++)
        keep_touch(&recorder.touches[i]);
    recorder.count = 0;
    recorder.op = NULL;
}

/* A record of nothing yet, that has these words. */
static struct race_record *new_record(struct op *op, size_t first_word, size_t words) {
    struct race_record *record = allocate(1, sizeof(*record));
    record->op = op_retain(op);
    record->first_word = first_word;
    record->words = words;
    record->reads = allocate(words, sizeof(uint64_t));
    record->writes = allocate(words, sizeof(uint64_t));
    return record;
}

/* What `op` did to the allocation so far. */
static struct race_record *record_beside(struct op *op, struct allocation *allocation) {
    struct race_record *record = allocation->history;
    while (record && record->op != op)
        record = record->next;
    if (record)
        return record;
    record = new_record(op, 0, (allocation->size + RACE_WORD - 1) / RACE_WORD);
    record->next = allocation->history;
    allocation->history = record;
    return record;
}

static bool was_reported(const struct race_record *record, const struct op *op) {
    for (size_t i = 0; i < record->reported.count; i++) {
        if (record->reported.ops[i] == op)
            return true;
    }
    return false;
}

/* Compares a range that `record` has now with the records of other ops. */
static void compare_range(const struct allocation *allocation, struct race_record *record, size_t offset,
                          size_t size, uint32_t kind) {
    const size_t first = offset / RACE_WORD;
    struct race_record *range = new_record(record->op, first, (offset + size - 1) / RACE_WORD - first + 1);
    (void)set_bits(kind == VGPU_READ ? range->reads : range->writes, offset - first * RACE_WORD, size);
    for (struct race_record *old = allocation->history; old; old = old->next) {
        if (op_ordered(old->op, record->op) || was_reported(record, old->op))
            continue;
        if (compare(allocation, old, range))
            op_list_add(&record->reported, old->op);
    }
    free_record(range);
}

void race_touch_beside(struct op *op, struct allocation *allocation, const char *address, size_t size,
                       uint32_t kind) {
    const size_t offset = (size_t)(address - allocation->base);
    if (size > allocation->size - offset)
        size = allocation->size - offset;
    struct race_record *record = record_beside(op, allocation);
    uint64_t *bitmap = kind == VGPU_READ ? record->reads : record->writes;
    if (set_bits(bitmap, offset, size))
        compare_range(allocation, record, offset, size, kind);
}

void race_forget(struct allocation *allocation) {
    chain_forget(allocation);
    while (allocation->history) {
        struct race_record *record = allocation->history;
        allocation->history = record->next;
        free_record(record);
    }
}

/* Clears the bits of a range, as far as the bitmap has them. */
static void clear_bits(struct race_record *record, size_t offset, size_t size) {
    for (size_t word = offset / RACE_WORD; word * RACE_WORD < offset + size; word++) {
        const size_t from = word * RACE_WORD < offset ? offset % RACE_WORD : 0;
        const size_t left = offset + size - word * RACE_WORD;
        const uint64_t mask = ones(from, (left < RACE_WORD ? left : RACE_WORD) - from);
        if (word < record->first_word || word >= record->first_word + record->words)
            continue;
        record->reads[word - record->first_word] &= ~mask;
        record->writes[word - record->first_word] &= ~mask;
    }
}

void race_forget_range(struct allocation *allocation, size_t offset, size_t size) {
    chain_forget_range(allocation, offset, size);
    for (struct race_record *record = allocation->history; record; record = record->next)
        clear_bits(record, offset, size);
}

static void forget_known(struct allocation *allocation) {
    for (struct race_record **link = &allocation->history; *link;) {
        struct race_record *record = *link;
        if (op_known(record->op)) {
            *link = record->next;
            free_record(record);
        } else {
            link = &record->next;
        }
    }
}

void race_forget_known(void) {
    if (!order_pending())
        memory_each(forget_known);
}
