#include "plugin/plan/placed.h"

#include "plugin/plan/replay.h"
#include "runtime/kesco_abi.h"

#include <errno.h>
#include <string.h>

/* Regions of more ops are too large for what follows. */
#define MOST_OPS 1024

/* What the op touches is known when it is issued, and the runtime issues it, or chooses its stream. */
static bool can_place(const struct kesco_region_op *op) {
    enum kesco_op_kind kind = op->op.kind;
    if (!op->memory.is_told || op->memory.aliases_all)
        return false;
    return kind == KESCO_OP_KERNEL
               ? kesco_op_can_collect(op)
               : kind == KESCO_OP_COPY || kind == KESCO_OP_MEMSET || kind == KESCO_OP_PREFETCH;
}

/* Ops that control comes back to, and what it comes through then. */
struct loops {
    const struct kesco_op_region *region;
    struct kesco_reached reached;
};

/* True if control may come from each of the two to the other. */
static bool are_in_one(const struct loops *loops, uint32_t a, uint32_t b) {
    return kesco_reached_has(&loops->reached, a, b) && kesco_reached_has(&loops->reached, b, a);
}

static bool writes_in_place(const struct kesco_region_op *op, uint32_t object) {
    const struct kesco_pointers *pointers = &op->memory.pointers;
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->items[i].object == object && pointers->items[i].writes && !pointers->items[i].moves)
            return true;
    return false;
}

/* True if what the pointer, of `op`, leads to stays in its place, and is written in the loop. */
static bool stays_and_is_written(const struct loops *loops, uint32_t op,
                                 const struct kesco_pointer *pointer) {
    for (uint32_t other = 0; !pointer->moves && other < loops->region->ops.count; other++)
        if (are_in_one(loops, op, other) &&
            writes_in_place(&loops->region->ops.items[other], pointer->object))
            return true;
    return false;
}

/*
 * True if passes of the loop around `op` may be independent, by what it touches: what is in one place is not
 * written in the loop.
 */
static bool may_be_independent(const struct loops *loops, uint32_t op) {
    const struct kesco_region_op *it = &loops->region->ops.items[op];
    bool writes = false;
    if (it->op.kind != KESCO_OP_KERNEL || !are_in_one(loops, op, op))
        return false;
    for (uint32_t i = 0; i < it->memory.pointers.count; i++) {
        const struct kesco_pointer *pointer = &it->memory.pointers.items[i];
        if (stays_and_is_written(loops, op, pointer))
            return false;
        writes |= pointer->writes;
    }
    return writes;
}

/* True if `op`, in a loop, may write beside what its kernel writes before, by the arguments of both. */
static bool may_be_beside(const struct loops *loops, uint32_t op) {
    const struct kesco_pointers *pointers = &loops->region->ops.items[op].memory.pointers;
    if (!are_in_one(loops, op, op))
        return false;
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->items[i].is_beside && pointers->items[i].writes)
            return true;
    return false;
}

/* True if the plan has the ops in the loop around `op` on one lane, but for copies of it, and for prefetches,
 * which save nothing beside each other. */
static bool is_one_lane(const struct loops *loops, const struct kesco_plan *plan, uint32_t op) {
    const struct kesco_region_op *ops = loops->region->ops.items;
    for (uint32_t other = 0; other < loops->region->ops.count; other++)
        if (are_in_one(loops, op, other) && plan->lane[other] != plan->lane[op] &&
            !kesco_ops_are_copies(&ops[other], &ops[op]) && ops[other].op.kind != KESCO_OP_PREFETCH)
            return false;
    return true;
}

/* True if control goes on from the two to the same ops: in one pass of a loop, one of them runs. */
static bool are_ways(const struct kesco_region_op *a, const struct kesco_region_op *b) {
    const struct kesco_numbers *next = &a->way.next, *other = &b->way.next;
    return !kesco_ops_are_copies(a, b) && next->count == other->count && next->count > 0 &&
           memcmp(next->items, other->items, next->count * sizeof(*next->items)) == 0;
}

static bool is_one_of_many_ways(const struct loops *loops, uint32_t op) {
    const struct kesco_region_op *ops = loops->region->ops.items;
    for (uint32_t other = 0; other < loops->region->ops.count; other++)
        if (are_in_one(loops, op, other) && are_ways(&ops[op], &ops[other]))
            return true;
    return false;
}

/* Marks the lanes that the plan has copies of `op` on, itself among them, in the loop around it. */
static void mark_lanes_of_copies(const struct loops *loops, const struct kesco_plan *plan, uint32_t op,
                                 bool has_copy[MOST_OPS]) {
    const struct kesco_region_op *ops = loops->region->ops.items;
    for (uint32_t lane = 0; lane < plan->lane_count; lane++)
        has_copy[lane] = false;
    for (uint32_t other = 0; other < loops->region->ops.count; other++)
        if (other == op || (are_in_one(loops, op, other) && kesco_ops_are_copies(&ops[other], &ops[op])))
            has_copy[plan->lane[other]] = true;
}

/*
 * True if `op` is on one of the ways that a pass of the loop around it may go, and the plan has the loop on
 * one lane, or on one for each of a few passes that are copies of each other: each then has a copy of `op`.
 */
static bool is_lane_of_ways(const struct loops *loops, const struct kesco_plan *plan, uint32_t op) {
    const struct kesco_region_op *ops = loops->region->ops.items;
    bool has_copy[MOST_OPS]; /* by lane, of which there are no more than ops */
    if (!is_one_of_many_ways(loops, op))
        return false;
    mark_lanes_of_copies(loops, plan, op, has_copy);
    for (uint32_t other = 0; other < loops->region->ops.count; other++)
        if (are_in_one(loops, op, other) && !has_copy[plan->lane[other]] &&
            ops[other].op.kind != KESCO_OP_PREFETCH)
            return false;
    return true;
}

static bool can_place_all(const struct kesco_op_region *region) {
    if (region->must_fetch)
        return false;
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (!can_place(&region->ops.items[op]))
            return false;
    return true;
}

static bool is_guarded(const struct kesco_op_region *region, uint32_t object) {
    const struct kesco_pairs *checked = &region->guards.checked;
    for (uint32_t i = 0; i < checked->count; i++)
        if (checked->items[i].a == object || checked->items[i].b == object)
            return true;
    return false;
}

/* True if the plan has more objects told apart than the guard will. */
static bool is_beyond_guard(const struct kesco_op_region *region) {
    uint32_t guarded = 0;
    for (uint32_t object = 0; object < region->objects.count; object++)
        guarded += is_guarded(region, object);
    return guarded > KESCO_GUARD_PAIRS;
}

/* True if helpers have ops of the region: left where they are, they may be planned there, and replayed. */
static bool is_in_helpers(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++) {
        const struct kesco_op_source *source = &region->ops.items[op].source;
        if (source->own_line != source->line || !kesco_same_text(source->own_file, source->file))
            return true;
    }
    return false;
}

int kesco_region_should_place(const struct kesco_op_region *region, const struct kesco_plan *plan,
                              bool *should_place) {
    struct loops loops = {.region = region};
    *should_place = plan == NULL && can_place_all(region) && !is_in_helpers(region);
    if (plan == NULL || region->ops.count > MOST_OPS || !can_place_all(region))
        return 0;
    *should_place = is_beyond_guard(region);
    if (kesco_region_reach(region, &loops.reached))
        return -ENOMEM;
    for (uint32_t op = 0; op < region->ops.count; op++)
        *should_place |= (may_be_independent(&loops, op) &&
                          (is_one_lane(&loops, plan, op) || is_lane_of_ways(&loops, plan, op))) ||
                         (may_be_beside(&loops, op) && is_one_lane(&loops, plan, op));
    kesco_reached_clear(&loops.reached);
    return 0;
}

/* Such an op waits for its stream alone, or is a memset or copy without one, which the runtime makes. */
static bool is_of_a_stream(const struct kesco_region_op *op) {
    if (op->call.is_plain_copy)
        return true;
    return op->host.wait == KESCO_HOST_WAIT_NONE &&
           (op->call.takes_stream ? !op->host.waits_elsewhere
                                  : op->op.kind != KESCO_OP_KERNEL && op->call.can_be_node);
}

bool kesco_region_may_join(const struct kesco_op_region *region, bool with_waits) {
    const bool has_waits = region->left_out > 0 || region->put_off > 0;
    if (region->ops.count > MOST_OPS || !can_place_all(region) || (has_waits && !with_waits))
        return false;
    for (uint32_t i = 0; i < region->ops.count; i++) {
        const struct kesco_region_op *op = &region->ops.items[i];
        if (!is_of_a_stream(op) || !op->memory.is_wholly_told)
            return false;
    }
    return true;
}

bool kesco_region_has_plain_copies(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (region->ops.items[op].call.is_plain_copy)
            return true;
    return false;
}
