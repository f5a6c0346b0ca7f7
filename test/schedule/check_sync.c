#include "test/schedule/check.h"

#include "test/schedule/relation.h"

#include <string.h>

/* Whether every pair of `part` is in `whole`. */
static bool contained(const struct relation *part, const struct relation *whole, unsigned op_count) {
    for (unsigned op = 0; op < op_count; op++)
        if (part->rows[op] & ~whole->rows[op])
            return false;
    return true;
}

/* Waits. */

static void add_lane_order(const struct kesco_plan *plan, struct relation *relation) {
    for (unsigned a = 0; a < plan->op_count; a++)
        for (unsigned b = 0; b < plan->op_count; b++)
            if (plan->lane[a] == plan->lane[b] && plan->order[a] < plan->order[b])
                relation->rows[a] |= bit(b);
}

/* The closed order that the lanes, the host and all waits but one make; `left_out` past the end leaves none
 * out. */
static void plan_order(const struct model *model, const struct kesco_plan *plan, size_t left_out,
                       struct relation *ordered) {
    memset(ordered, 0, sizeof(*ordered));
    add_lane_order(plan, ordered);
    model_add_host_order(model, ordered);
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        if (i != left_out)
            ordered->rows[plan->sync.waits[i].on] |= bit(plan->sync.waits[i].op);
    relation_close(ordered, plan->op_count);
}

static const char *check_each_wait(const struct kesco_plan *plan) {
    for (size_t i = 0; i < plan->sync.wait_count; i++) {
        struct kesco_wait wait = plan->sync.waits[i];
        if (wait.op >= plan->op_count || wait.on >= plan->op_count)
            return "a wait names an op that is not there";
        if (plan->lane[wait.op] == plan->lane[wait.on])
            return "a wait stays within a lane";
        if (plan->order[wait.on] >= plan->order[wait.op])
            return "a wait is for an op that is issued later";
        if (i == 0)
            continue;
        struct kesco_wait before = plan->sync.waits[i - 1];
        if (plan->order[before.op] > plan->order[wait.op] || (before.op == wait.op && before.on >= wait.on))
            return "the waits are not sorted";
    }
    return NULL;
}

static const char *check_records(const struct kesco_plan *plan) {
    uint64_t waited_for = 0, recorded = 0;
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        waited_for |= bit(plan->sync.waits[i].on);
    for (size_t i = 0; i < plan->sync.record_count; i++) {
        if (i > 0 && plan->sync.records[i - 1] >= plan->sync.records[i])
            return "the records are not ascending";
        recorded |= bit(plan->sync.records[i]);
    }
    return recorded == waited_for ? NULL : "the records are not those that some wait needs";
}

const char *check_waits(const struct model *model, const struct kesco_plan *plan) {
    struct relation conflicts, asked_for, ordered;
    const char *wrong = check_each_wait(plan);
    if (!wrong)
        wrong = check_records(plan);
    if (wrong)
        return wrong;
    model_conflicts(model, &conflicts);
    asked_for = conflicts;
    add_lane_order(plan, &asked_for);
    model_add_host_order(model, &asked_for);
    relation_close(&asked_for, plan->op_count);
    plan_order(model, plan, plan->sync.wait_count, &ordered);
    if (!contained(&conflicts, &ordered, plan->op_count))
        return "lanes and waits leave a conflict without order";
    if (!contained(&ordered, &asked_for, plan->op_count))
        return "a wait adds an order that nothing asks for";
    for (size_t i = 0; i < plan->sync.wait_count; i++) {
        plan_order(model, plan, i, &ordered);
        if (contained(&conflicts, &ordered, plan->op_count))
            return "a wait is redundant";
    }
    return NULL;
}

/* Cuts. */

/* True if all that is issued before a place comes before all that is issued from there on. */
static bool splits(const struct relation *order, const struct kesco_plan *plan, unsigned place) {
    for (unsigned i = 0; i < place; i++)
        for (unsigned j = place; j < plan->op_count; j++)
            if (!related(order, plan->sequence[i], plan->sequence[j]))
                return false;
    return true;
}

static bool is_related_to_all(const struct relation *order, const struct kesco_plan *plan, unsigned op) {
    for (unsigned other = 0; other < plan->op_count; other++)
        if (other != op && !related(order, op, other) && !related(order, other, op))
            return false;
    return true;
}

static unsigned count_waits_across(const struct kesco_plan *plan, unsigned place) {
    unsigned count = 0;
    for (size_t i = 0; i < plan->sync.wait_count; i++)
        count += plan->order[plan->sync.waits[i].on] < place && plan->order[plan->sync.waits[i].op] >= place;
    return count;
}

/* Whether ops at these two places, the first one earlier, have some cut between them or are one. */
static bool are_cut_apart(const struct kesco_plan *plan, unsigned from, unsigned to) {
    bool apart = plan->cut.alone[plan->sequence[from]] || plan->cut.alone[plan->sequence[to]];
    for (unsigned place = from + 1; place <= to; place++)
        apart |= plan->cut.alone[plan->sequence[place]] || plan->cut.aligned[plan->sequence[place]];
    return apart;
}

const char *check_cuts(const struct model *model, const struct kesco_plan *plan) {
    struct relation order;
    if (plan->lane_count == 1)
        return plan->cut.alone ? "cuts of one lane" : NULL;
    model_conflicts(model, &order);
    add_lane_order(plan, &order);
    relation_close(&order, plan->op_count);
    for (unsigned place = 0; place < plan->op_count; place++) {
        unsigned op = plan->sequence[place];
        bool acts = model->ops[op].engine == KESCO_ENGINE_COMPUTE;
        if (plan->cut.alone[op] != (acts && is_related_to_all(&order, plan, op)))
            return "an op is a cut, or is none, that should not be";
        bool pays = place > 0 && !plan->cut.alone[op] && !plan->cut.alone[plan->sequence[place - 1]] &&
                    count_waits_across(plan, place) > 1 && splits(&order, plan, place);
        if (plan->cut.aligned[op] != pays)
            return "a place is a cut, or is none, that should not be";
        for (unsigned later = place + 1; later < plan->op_count; later++)
            if ((plan->cut.epoch[op] != plan->cut.epoch[plan->sequence[later]]) !=
                are_cut_apart(plan, place, later))
                return "epochs are not what is between cuts";
    }
    return NULL;
}

/* Fewest waits. */

struct candidates {
    struct kesco_wait pairs[MODEL_OPS]; /* cross-lane pairs that the graph and the lanes order */
    unsigned count;                     /* entries in pairs */
};

static void find_candidates(const struct model *model, const struct kesco_plan *plan,
                            struct candidates *candidates) {
    struct relation asked_for;
    model_conflicts(model, &asked_for);
    add_lane_order(plan, &asked_for);
    relation_close(&asked_for, plan->op_count);
    candidates->count = 0;
    for (unsigned on = 0; on < plan->op_count; on++)
        for (unsigned op = 0; op < plan->op_count; op++)
            if (related(&asked_for, on, op) && plan->lane[on] != plan->lane[op])
                candidates->pairs[candidates->count++] = (struct kesco_wait){.op = op, .on = on};
}

const char *check_fewest_waits(const struct model *model, const struct kesco_plan *plan) {
    struct relation conflicts, lanes = {{0}};
    struct candidates candidates;
    model_conflicts(model, &conflicts);
    add_lane_order(plan, &lanes);
    model_add_host_order(model, &lanes);
    find_candidates(model, plan, &candidates);
    for (uint64_t subset = 0; subset < bit(candidates.count); subset++) {
        if (size(subset) >= plan->sync.wait_count)
            continue;
        struct relation ordered = lanes;
        for (unsigned i = 0; i < candidates.count; i++)
            if (subset & bit(i))
                ordered.rows[candidates.pairs[i].on] |= bit(candidates.pairs[i].op);
        relation_close(&ordered, plan->op_count);
        if (contained(&conflicts, &ordered, plan->op_count))
            return "fewer waits would do";
    }
    return NULL;
}
