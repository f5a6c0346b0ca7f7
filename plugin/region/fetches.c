#include "plugin/region/region.h"

#include "plugin/cuda/cuda_calls.h"

#include <errno.h>

static bool fetches_itself(const struct kesco_op_region *region, uint32_t object) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (region->ops.items[op].op.kind == KESCO_OP_PREFETCH &&
            kesco_op_pointer_into(&region->ops.items[op], object))
            return true;
    return false;
}

/* True if the host may wait between ops, and then use their memory. */
static bool lets_host_in(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (region->ops.items[op].host.wait != KESCO_HOST_WAIT_NONE)
            return true;
    return region->put_off > 0;
}

/* True if no op that stands before `op`, and may have come before it, uses the object. */
static bool has_none_before(const struct kesco_op_region *region, const struct kesco_reached *reached,
                            uint32_t op, uint32_t object) {
    for (uint32_t other = 0; other < op; other++)
        if (kesco_reached_has(reached, other, op) && kesco_op_pointer_into(&region->ops.items[other], object))
            return false;
    return true;
}

/* True of an op that is the first to use the object, and of the same in further passes of a loop, before
 * which the host may have used it: the run knows whether it has waited. */
static bool is_first(const struct kesco_op_region *region, const struct kesco_reached *reached, uint32_t op,
                     uint32_t object) {
    const struct kesco_region_op *ops = region->ops.items;
    if (has_none_before(region, reached, op, object))
        return true;
    for (uint32_t other = 0; lets_host_in(region) && other < op; other++)
        if (kesco_ops_are_copies(&ops[other], &ops[op]) && kesco_op_pointer_into(&ops[other], object))
            return has_none_before(region, reached, other, object);
    return false;
}

static bool overwrites(const struct kesco_region_op *op, uint32_t object) {
    const struct kesco_pointers *pointers = &op->memory.pointers;
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->items[i].object == object && pointers->items[i].reads)
            return false;
    return true;
}

/* True if ops alone use the object that are kernels, and of which bytes are known that each uses at most. */
static bool is_bounded(const struct kesco_op_region *region, uint32_t object) {
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_pointers *pointers = &region->ops.items[op].memory.pointers;
        for (uint32_t i = 0; i < pointers->count; i++)
            if (pointers->items[i].object == object && (region->ops.items[op].op.kind != KESCO_OP_KERNEL ||
                                                        pointers->items[i].reach.within.count == 0))
                return false;
    }
    return true;
}

static int add_fetch(struct kesco_op_region *region, uint32_t op, const struct kesco_pointer *pointer,
                     bool is_part) {
    struct kesco_fetches *fetches = &region->fetches;
    int status = kesco_region_reserve(region, (void **)&fetches->items, fetches->count, &fetches->room,
                                      sizeof(*fetches->items));
    if (status == 0)
        fetches->items[fetches->count++] =
            (struct kesco_fetch){op, *pointer, overwrites(&region->ops.items[op], pointer->object), is_part};
    return status;
}

/* Each op says what it uses. */
static int add_fetches_of_parts(struct kesco_op_region *region, uint32_t object) {
    int status = 0;
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_pointers *pointers = &region->ops.items[op].memory.pointers;
        for (uint32_t i = 0; status == 0 && i < pointers->count; i++)
            if (pointers->items[i].object == object)
                status = add_fetch(region, op, &pointers->items[i], true);
    }
    return status;
}

/* The first ones have all of it fetched. */
static int add_fetches_of_all(struct kesco_op_region *region, const struct kesco_reached *reached,
                              uint32_t object) {
    int status = 0;
    for (uint32_t op = 0; status == 0 && op < region->ops.count; op++) {
        const struct kesco_pointer *pointer = kesco_op_pointer_into(&region->ops.items[op], object);
        if (region->ops.items[op].op.kind == KESCO_OP_KERNEL && pointer &&
            is_first(region, reached, op, object))
            status = add_fetch(region, op, pointer, false);
    }
    return status;
}

int kesco_region_add_fetches(struct kesco_op_region *region, bool all) {
    struct kesco_reached reached;
    int status = kesco_region_reach(region, &reached);
    if (status)
        return status;
    for (uint32_t object = 0; status == 0 && object < region->objects.count; object++) {
        if (!(region->objects.items[object].where & KESCO_MEMORY_MANAGED) || fetches_itself(region, object))
            continue;
        status = !all && is_bounded(region, object) ? add_fetches_of_parts(region, object)
                                                    : add_fetches_of_all(region, &reached, object);
    }
    kesco_reached_clear(&reached);
    return status;
}
