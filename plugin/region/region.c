#include "plugin/region/region.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kesco_region_clear(struct kesco_op_region *region) {
    kesco_arena_free(&region->memory);
    *region = (struct kesco_op_region){0};
}

int kesco_region_reserve(struct kesco_op_region *region, void **items, uint32_t count, uint32_t *room,
                         size_t size) {
    if (count < *room)
        return 0;
    uint32_t more = count < 2 ? 4 : 2 * count;
    void *new = kesco_arena_alloc(&region->memory, more * size);
    if (!new)
        return -ENOMEM;
    if (count > 0)
        memcpy(new, *items, count * size);
    *items = new;
    *room = more;
    return 0;
}

int kesco_region_add_pair(struct kesco_op_region *region, struct kesco_pairs *pairs, uint32_t a, uint32_t b) {
    const int status = kesco_region_reserve(region, (void **)&pairs->items, pairs->count, &pairs->room,
                                            sizeof *pairs->items);
    if (status == 0)
        pairs->items[pairs->count++] = (struct kesco_pair){a, b};
    return status;
}

const char *kesco_region_text(struct kesco_op_region *region, const char *text, size_t length) {
    char *copy = kesco_arena_alloc(&region->memory, length + 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

void kesco_region_keep_order(struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        region->ops.items[op].op.segment = op;
}

static const struct kesco_numbers *next_of(const struct kesco_op_region *region, uint32_t op) {
    return &region->ops.items[op].way.next;
}

bool kesco_region_is_straight(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++) {
        bool is_last = op + 1 == region->ops.count;
        const struct kesco_numbers *next = next_of(region, op);
        if (next->count != !is_last || (!is_last && next->items[0] != op + 1))
            return false;
    }
    return true;
}

uint32_t kesco_region_count_kernels(const struct kesco_op_region *region) {
    uint32_t count = 0;
    for (uint32_t op = 0; op < region->ops.count; op++)
        count += region->ops.items[op].op.kind == KESCO_OP_KERNEL;
    return count;
}

bool kesco_region_has_ranges(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_pointers *pointers = &region->ops.items[op].memory.pointers;
        for (uint32_t i = 0; i < pointers->count; i++)
            if (pointers->items[i].reach.range != 0)
                return true;
    }
    return false;
}

bool kesco_region_has_loop(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        for (uint32_t i = 0; i < next_of(region, op)->count; i++)
            if (next_of(region, op)->items[i] <= op)
                return true;
    return false;
}

bool kesco_region_repeats_op(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        for (uint32_t i = 0; i < next_of(region, op)->count; i++)
            if (next_of(region, op)->items[i] == op)
                return true;
    return false;
}

/* Sets what control may come to after `from`; `work` has room for all ops and one more. */
static void reach_from(const struct kesco_op_region *region, uint32_t from, bool *found, uint32_t *work) {
    uint32_t left = 0;
    for (work[left++] = from; left > 0;) {
        const struct kesco_numbers *next = next_of(region, work[--left]);
        for (uint32_t i = 0; i < next->count; i++)
            if (!found[next->items[i]]) {
                found[next->items[i]] = true;
                work[left++] = next->items[i];
            }
    }
}

int kesco_region_reach(const struct kesco_op_region *region, struct kesco_reached *reached) {
    size_t count = region->ops.count;
    uint32_t *work = malloc((count + 1) * sizeof(*work));
    reached->count = region->ops.count;
    reached->ops = calloc(count * count + 1, sizeof(*reached->ops));
    for (uint32_t op = 0; work && reached->ops && op < count; op++)
        reach_from(region, op, reached->ops + op * count, work);
    bool is_there = work && reached->ops;
    free(work);
    if (!is_there)
        kesco_reached_clear(reached);
    return is_there ? 0 : -ENOMEM;
}

bool kesco_reached_has(const struct kesco_reached *reached, uint32_t from, uint32_t to) {
    return reached->ops[(size_t)from * reached->count + to];
}

void kesco_reached_clear(struct kesco_reached *reached) {
    free(reached->ops);
    *reached = (struct kesco_reached){0};
}

const struct kesco_pointer *kesco_op_pointer_into(const struct kesco_region_op *op, uint32_t object) {
    const struct kesco_pointers *pointers = &op->memory.pointers;
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->items[i].object == object)
            return &pointers->items[i];
    return NULL;
}

bool kesco_op_is_elsewhere(const struct kesco_op_source *source) {
    return source->own_line != 0 &&
           (source->own_line != source->line || !kesco_same_text(source->own_file, source->file));
}

bool kesco_ops_are_copies(const struct kesco_region_op *a, const struct kesco_region_op *b) {
    return kesco_same_text(a->op.name, b->op.name) && a->source.own_line == b->source.own_line &&
           kesco_same_text(a->source.own_file, b->source.own_file);
}

bool kesco_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}
