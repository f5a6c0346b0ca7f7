#include "plugin/region/touches.h"

#include "plugin/cuda/cuda_calls.h"

#include <errno.h>

static struct kesco_object *object_at(const struct kesco_op_region *region, uint32_t number) {
    return &region->objects.items[number];
}

static struct kesco_region_op *op_of(const struct kesco_op_region *region, const struct kesco_touch *touch) {
    return &region->ops.items[touch->op];
}

/* Goes over touches. */
#define EACH(touch, list)                                                                                    \
    (touch) = (list)->items;                                                                                 \
    (touch) < (list)->items + (list)->count;                                                                 \
    (touch)++

static void note_written(const struct kesco_op_region *region, const struct kesco_touches *touches) {
    const struct kesco_touch *touch;

    for (EACH(touch, touches))
        if (touch->object != KESCO_OBJECT_ANY)
            object_at(region, touch->object)->written |= touch->write;
}

static bool is_variable(const struct kesco_object *object) {
    return object->known.is_variable || object->known.is_constant;
}

static bool is_written_by_transfer(const struct kesco_touches *touches, uint32_t object) {
    const struct kesco_touch *touch;

    for (EACH(touch, touches))
        if (touch->object == object && touch->write && touch->is_transfer)
            return true;
    return false;
}

/* True if the object, an unknown one, may be a device variable that it conflicts with. Kernels cannot write
 * constants. */
static bool conflicts_with_variables(const struct kesco_op_region *region,
                                     const struct kesco_touches *touches, uint32_t object) {
    const bool is_transferred = is_written_by_transfer(touches, object);
    const struct kesco_object *other;

    for (EACH(other, &region->objects))
        if ((other->known.is_variable && (object_at(region, object)->written || other->written)) ||
            (other->known.is_constant && (is_transferred || other->written)))
            return true;
    return false;
}

/* True if the op has a variable in common with the touch, by another op's, and they conflict on it. */
static bool shares_variable(const struct kesco_op_region *region, const struct kesco_touches *touches,
                            uint32_t op, const struct kesco_touch *other) {
    const struct kesco_touch *own;

    for (EACH(own, touches))
        if (own->op == op && own->object == other->object && own->object != KESCO_OBJECT_ANY &&
            is_variable(object_at(region, own->object)) && (own->write || other->write))
            return true;
    return false;
}

/*
 * A touch of a device variable, one with a write first; NULL for none. With `op`: of another op, that has to
 * keep its order to it because of the variable.
 */
static const struct kesco_touch *find_variable(const struct kesco_op_region *region,
                                               const struct kesco_touches *touches, const uint32_t *op) {
    const struct kesco_touch *touch, *found = NULL;

    for (EACH(touch, touches))
        if (touch->object != KESCO_OBJECT_ANY && is_variable(object_at(region, touch->object)) &&
            (op == NULL || (touch->op != *op && shares_variable(region, touches, *op, touch))) &&
            (found == NULL || (touch->write && !found->write)))
            found = touch;
    return found;
}

/*
 * What is said of a touch of an object that may be a device variable. Where its op has such a variable in
 * common with another op as well, it stays after that one whatever is known of the object. NULL: no memory.
 */
static const char *why_aliasing(struct kesco_op_region *region, const struct kesco_touches *touches,
                                const struct kesco_touch *touch) {
    const struct kesco_touch *variable = find_variable(region, touches, NULL),
                             *other = find_variable(region, touches, &touch->op);
    const char *begin = kesco_arena_print(
        &region->memory,
        "the allocation behind argument '%s' is unknown, and may be device variable '%s', which '%s' uses; "
        "allocate it in this function",
        object_at(region, touch->object)->name, object_at(region, variable->object)->name,
        op_of(region, variable)->op.name);
    const char *line = "";

    if (other == NULL || begin == NULL)
        return begin;
    if (op_of(region, other)->source.line > 0)
        line = kesco_arena_print(&region->memory, " (line %u)", op_of(region, other)->source.line);
    return line == NULL
               ? NULL
               : kesco_arena_print(
                     &region->memory, "%s, and give each kernel a variable of its own: '%s'%s uses '%s', too",
                     begin, op_of(region, other)->op.name, line, object_at(region, other->object)->name);
}

static void drop_forgotten(const struct kesco_op_region *region, struct kesco_pointers *pointers) {
    uint32_t i, kept = 0;

    for (i = 0; i < pointers->count; i++)
        if (!object_at(region, pointers->items[i].object)->known.is_forgotten ||
            pointers->items[i].must_be_locked)
            pointers->items[kept++] = pointers->items[i];
    pointers->count = kept;
}

/* Against a device variable there is no guard: where the two would conflict, a pointer may lead to any
 * memory. */
static int forget_unknowns(struct kesco_op_region *region, const struct kesco_touches *touches) {
    const struct kesco_touch *touch;
    struct kesco_object *object;
    uint32_t i;

    for (i = 0; i < region->objects.count; i++) {
        object = object_at(region, i);
        object->known.is_forgotten = object->known.is_unknown && (object->where & KESCO_MEMORY_DEVICE) != 0 &&
                                     conflicts_with_variables(region, touches, i);
    }
    for (EACH(touch, touches)) {
        if (touch->object == KESCO_OBJECT_ANY || !object_at(region, touch->object)->known.is_forgotten ||
            op_of(region, touch)->memory.aliases_all != NULL)
            continue;
        op_of(region, touch)->memory.aliases_all = why_aliasing(region, touches, touch);
        if (op_of(region, touch)->memory.aliases_all == NULL)
            return -ENOMEM;
    }
    for (i = 0; i < region->ops.count; i++)
        drop_forgotten(region, &region->ops.items[i].memory.pointers);
    for (EACH(object, &region->objects)) {
        object->known.is_unguarded |= object->known.is_forgotten;
        object->known.is_unknown &= !object->known.is_forgotten;
    }
    return 0;
}

static bool needs_guard(const struct kesco_op_region *region, uint32_t a, uint32_t b) {
    const struct kesco_object *first = object_at(region, a), *second = object_at(region, b);
    const uint32_t whole = first->known.whole;
    const bool are_of_one = whole != KESCO_OBJECT_ANY && whole == second->known.whole;

    if (are_of_one && (whole == a || whole == b))
        return false; /* the plan has it */
    return (first->known.is_unknown || second->known.is_unknown || are_of_one) &&
           (first->written || second->written) && (first->where & second->where) != 0 &&
           !first->known.is_unguarded && !second->known.is_unguarded;
}

static int add_guards(struct kesco_op_region *region, const struct kesco_claim_question *claims) {
    uint32_t a, b;
    int status = 0;

    for (a = 0; a < region->objects.count; a++)
        for (b = a + 1; b < region->objects.count && status == 0; b++)
            if (needs_guard(region, a, b) && (claims == NULL || !claims->are_distinct(claims->context, a, b)))
                status = object_at(region, a)->known.is_unknown
                             ? kesco_region_add_pair(region, &region->guards.checked, a, b)
                             : kesco_region_add_pair(region, &region->guards.checked, b, a);
    return status;
}

static void note_pairs(const struct kesco_op_region *region, const struct kesco_pairs *pairs) {
    uint32_t i;

    for (i = 0; i < pairs->count; i++)
        object_at(region, pairs->items[i].a)->may_meet = object_at(region, pairs->items[i].b)->may_meet =
            true;
}

/* Which objects may have bytes that ops conflict on. */
static void note_meetings(const struct kesco_op_region *region) {
    struct kesco_object *object;

    note_pairs(region, &region->guards.checked);
    note_pairs(region, &region->guards.not_compared);
    for (EACH(object, &region->objects))
        object->may_meet |= object->written || object->known.whole != KESCO_OBJECT_ANY;
}

/* Whether the host can see what ops do to an object. */
enum sight { HIDDEN, VISIBLE, MAYBE_VISIBLE /* the run will tell */ };

static enum sight sight_of(const struct kesco_object *object) {
    if (object->where == 0)
        return object->known.is_printed ? VISIBLE : HIDDEN;
    if (object->where == KESCO_MEMORY_DEVICE && !object->known.is_forgotten)
        return HIDDEN;
    return object->known.is_unknown && (object->where & KESCO_MEMORY_DEVICE) != 0 ? MAYBE_VISIBLE : VISIBLE;
}

static bool has_number(const struct kesco_numbers *numbers, uint32_t number) {
    uint32_t i;

    for (i = 0; i < numbers->count; i++)
        if (numbers->items[i] == number)
            return true;
    return false;
}

static int add_once(struct kesco_op_region *region, struct kesco_numbers *numbers, uint32_t number) {
    int status;

    if (has_number(numbers, number))
        return 0;
    status = kesco_region_reserve(region, (void **)&numbers->items, numbers->count, &numbers->room,
                                  sizeof *numbers->items);
    if (status == 0)
        numbers->items[numbers->count++] = number;
    return status;
}

/* Notes what the host may see of an op by what it touches: what touches all of an object touches its parts.
 */
static int note_sight(struct kesco_op_region *region, const struct kesco_touch *touch) {
    struct kesco_op_host *host = &op_of(region, touch)->host;
    const struct kesco_object *object = object_at(region, touch->object);
    const enum sight sight = sight_of(object);
    int status = 0;

    if (sight == VISIBLE && !has_number(&host->visible, object->known.whole))
        status = add_once(region, &host->visible, touch->object);
    else if (sight == MAYBE_VISIBLE && host->seen == NULL)
        status = add_once(region, &host->may_be_seen, touch->object);
    if (status != 0 || sight != VISIBLE || host->seen != NULL)
        return status;
    host->seen = kesco_arena_print(&region->memory, "'%s'", object->name);
    return host->seen == NULL ? -ENOMEM : 0;
}

static int note_visible(struct kesco_op_region *region, const struct kesco_touches *touches) {
    const struct kesco_touch *touch;
    struct kesco_region_op *op;
    int status = 0;

    for (EACH(op, &region->ops))
        if (op->memory.aliases_all != NULL)
            op->host.seen = "memory that nobody names";
    for (EACH(touch, touches))
        if (status == 0 && touch->object != KESCO_OBJECT_ANY)
            status = note_sight(region, touch);
    return status;
}

/* The touches of each op: the first and, by touch, the next, both counted from 1; 0 for none. */
struct by_op {
    const struct kesco_touches *touches;
    uint32_t *first, *next;
};

static int sort_by_op(struct kesco_op_region *region, const struct kesco_touches *touches,
                      struct by_op *sorted) {
    uint32_t i;

    *sorted = (struct by_op){touches,
                             kesco_arena_alloc(&region->memory, (region->ops.count + 1) * sizeof(uint32_t)),
                             kesco_arena_alloc(&region->memory, (touches->count + 1) * sizeof(uint32_t))};
    if (sorted->first == NULL || sorted->next == NULL)
        return -ENOMEM;
    for (i = touches->count; i-- > 0;) {
        sorted->next[i] = sorted->first[touches->items[i].op];
        sorted->first[touches->items[i].op] = i + 1;
    }
    return 0;
}

static const struct kesco_touch *touch_at(const struct by_op *sorted, uint32_t number) {
    return &sorted->touches->items[number - 1];
}

/* True if any byte of the object may be touched. */
static bool is_of_all(const struct kesco_op_region *region, const struct kesco_touch *touch) {
    const struct kesco_region_op *of = op_of(region, touch);
    const struct kesco_pointer *pointer;

    if (of->op.kind != KESCO_OP_KERNEL)
        return false;
    for (EACH(pointer, &of->memory.pointers))
        if (pointer->object == touch->object && pointer->reach.within.count > 0)
            return false;
    return true;
}

/* True if the two have bytes in common: of parts of an object, they may have none. */
static bool meet(const struct kesco_op_region *region, const struct kesco_touch *a,
                 const struct kesco_touch *b) {
    if (a->object == KESCO_OBJECT_ANY || b->object == KESCO_OBJECT_ANY)
        return true;
    return a->object == b->object && (is_of_all(region, a) || is_of_all(region, b));
}

/* True if what two ops touch orders them, one of which is a kernel. */
static bool conflict(const struct kesco_op_region *region, const struct by_op *sorted, uint32_t kernel,
                     uint32_t other) {
    const struct kesco_touch *a, *b;
    uint32_t i, j;

    for (i = sorted->first[kernel]; i != 0; i = sorted->next[i - 1])
        for (j = sorted->first[other]; j != 0; j = sorted->next[j - 1]) {
            a = touch_at(sorted, i);
            b = touch_at(sorted, j);
            if ((a->write || b->write) && meet(region, a, b))
                return true;
        }
    return false;
}

static bool is_ordered_anyway(const struct kesco_op_region *region, const struct by_op *sorted, uint32_t op) {
    uint32_t other;

    for (other = 0; other < region->ops.count; other++)
        if (region->ops.items[other].may_trap && !conflict(region, sorted, other, op))
            return false;
    return true;
}

/* True if the op writes an object of that sight; with `is_plain`, the plan holds only if it is none. */
static bool writes(const struct kesco_op_region *region, const struct by_op *sorted, uint32_t op,
                   enum sight sight, bool is_plain) {
    const struct kesco_touch *touch;
    bool found = false;
    uint32_t i;

    for (i = sorted->first[op]; i != 0; i = sorted->next[i - 1]) {
        touch = touch_at(sorted, i);
        if (!touch->write || touch->object == KESCO_OBJECT_ANY ||
            sight_of(object_at(region, touch->object)) != sight)
            continue;
        found = true;
        object_at(region, touch->object)->must_be_plain |= is_plain;
    }
    return found;
}

static int add_read(struct kesco_op_region *region, struct kesco_touches *touches, uint32_t op,
                    uint32_t object) {
    const int status = kesco_region_reserve(region, (void **)&touches->items, touches->count, &touches->room,
                                            sizeof *touches->items);

    if (status == 0)
        touches->items[touches->count++] = (struct kesco_touch){.op = op, .object = object};
    return status;
}

/*
 * Kernels that may trap keep their order to whatever lets the host wait, which then has to say so, and to
 * whatever writes where the host can see it: that is there, or is not, once the device is dead.
 */
static int order_traps(struct kesco_op_region *region, struct kesco_touches *touches, uint32_t trap) {
    const struct kesco_touches before = *touches;
    const struct kesco_op_host *host;
    struct by_op sorted;
    int status = sort_by_op(region, &before, &sorted);
    uint32_t op;

    for (op = 0; op < region->ops.count && status == 0; op++) {
        if (region->ops.items[op].may_trap)
            continue;
        host = &region->ops.items[op].host;
        if (host->wait != KESCO_HOST_WAIT_NONE || (host->waits_elsewhere && host->seen != NULL) ||
            writes(region, &sorted, op, VISIBLE, false))
            status = add_read(region, touches, op, trap);
        else if (writes(region, &sorted, op, MAYBE_VISIBLE, false) && !is_ordered_anyway(region, &sorted, op))
            writes(region, &sorted, op, MAYBE_VISIBLE, true);
    }
    return status;
}

/* True if pointers lead to all of the object that ops touch. */
static bool is_wholly_told(const struct kesco_object *object) {
    return !object->known.is_forgotten && !object->known.is_unguarded && !is_variable(object);
}

/* Notes of each op whether its pointers lead to all that it touches, or to all of that which is written. */
static void note_told(const struct kesco_op_region *region, const struct kesco_touches *touches) {
    const struct kesco_object *object;
    const struct kesco_touch *touch;
    struct kesco_op_memory *memory;
    bool is_known;

    for (EACH(touch, touches)) {
        memory = &op_of(region, touch)->memory;
        is_known = touch->object != KESCO_OBJECT_ANY;
        object = is_known ? object_at(region, touch->object) : NULL;
        memory->is_wholly_told &= is_known && is_wholly_told(object);
        memory->is_told &=
            is_known && (is_wholly_told(object) || (!object->known.is_forgotten && !object->written));
    }
}

int kesco_touches_settle(struct kesco_op_region *region, struct kesco_touches *touches, uint32_t trap,
                         const struct kesco_claim_question *claims) {
    int status;

    note_written(region, touches);
    status = forget_unknowns(region, touches);
    if (status == 0)
        status = add_guards(region, claims);
    note_meetings(region);
    if (status == 0)
        status = note_visible(region, touches);
    if (status == 0 && trap != KESCO_OBJECT_ANY)
        status = order_traps(region, touches, trap);
    note_told(region, touches);
    return status;
}
