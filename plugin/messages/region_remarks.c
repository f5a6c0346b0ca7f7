#include "plugin/messages/region_remarks.h"

#include "plugin/plan/replay.h"
#include "plugin/schedule/flow.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CLAIM KESCO_VALUE("Claim", "KESCO_DISTINCT(%s, %s) (line %u)")

/* Tells a remark that has no text yet: what printf would print. */
#define TELL(to, remark_kind, remark_name, ...)                                                              \
    tell(to, &(struct kesco_remark){.kind = (remark_kind), .name = (remark_name)},                           \
         kesco_arena_print((to)->memory, __VA_ARGS__))

/* Tells the remark with the text. */
static int tell(const struct kesco_region_remarks *to, struct kesco_remark *remark, const char *text) {
    remark->text = text;
    if (text)
        to->tell(to->to, remark);
    return text ? 0 : -ENOMEM;
}

/* "3 kernels and 2 other ops" */
static const char *print_ops(const struct kesco_region_remarks *to) {
    uint32_t kernels = kesco_region_count_kernels(to->region), others = to->region->ops.count - kernels;
    char first[64] = "";
    if (kernels > 0)
        snprintf(first, sizeof(first), KESCO_VALUE("Kernels", "%u") " kernel%s%s", kernels,
                 kernels == 1 ? "" : "s", others > 0 ? " and " : "");
    if (others == 0)
        return kesco_arena_strdup(to->memory, first);
    return kesco_arena_print(to->memory, "%s" KESCO_VALUE("Others", "%u") "%s op%s", first, others,
                             kernels > 0 ? " other" : "", others == 1 ? "" : "s");
}

/* Under which conditions the plan holds. */
static const char *print_conditions(const struct kesco_region_remarks *to) {
    const struct kesco_distincts *relied = &to->region->claims.relied;
    const uint32_t pairs = to->region->guards.checked.count;
    char guards[128] = "", more[64] = "";
    if (pairs > 0)
        snprintf(guards, sizeof(guards),
                 ", serially where pointers lead to the same memory (" KESCO_VALUE(
                     "Guards", "%u") " checked at run time)",
                 pairs);
    if (relied->count == 0)
        return kesco_arena_strdup(to->memory, guards);
    if (relied->count > 1)
        snprintf(more, sizeof(more), ", and " KESCO_VALUE("MoreClaims", "%u") " more", relied->count - 1);
    const struct kesco_distinct *claim = &relied->items[0];
    return kesco_arena_print(to->memory, "%s, distinct as " CLAIM " claims%s", guards, claim->first,
                             claim->second, claim->line, more);
}

static int tell_concurrent(const struct kesco_region_remarks *to) {
    const struct kesco_plan *plan = to->scheduled->plan;
    const size_t waits = plan->sync.wait_count;
    const char *ops = print_ops(to), *conditions = print_conditions(to);
    if (!ops || !conditions)
        return -ENOMEM;
    return TELL(
        to, KESCO_REMARK_PASSED, "Concurrent",
        "%s run on " KESCO_VALUE("Lanes", "%u") " lanes with " KESCO_VALUE("Waits", "%zu") " wait%s%s", ops,
        plan->lane_count, waits, waits == 1 ? "" : "s", conditions);
}

/* True for what KESCO_DISTINCT takes as it stands: the name of one variable. */
static bool is_variable(const char *name) {
    if (!*name || isdigit((unsigned char)*name))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

static int tell_guards(const struct kesco_region_remarks *to) {
    const struct kesco_pairs *guards = &to->region->guards.checked;
    const struct kesco_object *objects = to->region->objects.items;
    if (guards->count == 0)
        return 0;
    const char *first = objects[guards->items[0].a].name, *second = objects[guards->items[0].b].name;
    const bool are_variables = is_variable(first) && is_variable(second);
    char more[64] = "";
    if (guards->count > 1)
        snprintf(more, sizeof(more), ", and " KESCO_VALUE("More", "%u") " other pair%s,", guards->count - 1,
                 guards->count == 2 ? "" : "s");
    const char *claim = "KESCO_DISTINCT of two variables that they are stored in, and used from,";
    if (are_variables)
        claim = kesco_arena_print(to->memory, "KESCO_DISTINCT(%s, %s)", first, second);
    if (!claim)
        return -ENOMEM;
    return TELL(to, KESCO_REMARK_ANALYSIS, "Guarded",
                "'" KESCO_VALUE("First", "%s") "' and '" KESCO_VALUE(
                    "Second", "%s") "'%s may be the same memory, which is checked at run time; %s claims "
                                    "that they do not overlap",
                first, second, more, claim);
}

static int tell_placed(const struct kesco_region_remarks *to) {
    const bool is_one = to->region->ops.count == 1;
    char why[128] = "passes of a loop overlap where they have none in common that one of them writes";
    if (to->scheduled->too_large)
        snprintf(
            why, sizeof(why),
            "with branches or loops between them, no more than " KESCO_VALUE("Most", "%d") " are planned",
            KESCO_FLOW_MAX_PLACES);
    return TELL(
        to, KESCO_REMARK_PASSED, "Placed",
        KESCO_VALUE("Ops", "%u") " %s when the program issues %s, by the bytes that each accesses: %s",
        to->region->ops.count, is_one ? "op gets its lane" : "ops get their lanes", is_one ? "it" : "them",
        why);
}

static int tell_replayed(const struct kesco_region_remarks *to) {
    const struct kesco_region_ops *ops = &to->region->ops;
    const bool are_kernels = kesco_region_count_kernels(to->region) == ops->count;
    uint32_t launches = 0;
    for (uint32_t op = 0; op < ops->count; op++)
        launches += kesco_op_can_collect(&ops->items[op]);
    return TELL(
        to, KESCO_REMARK_PASSED, "Replayed",
        KESCO_VALUE("Launches", "%u") " %s%s on one stream: what comes again in the same order is "
                                      "launched together, as a CUDA graph, where the run finds that it pays; "
                                      "-fplugin-arg-kesco-mode=lanes leaves %s",
        launches, are_kernels ? "launch" : "op",
        launches == 1 ? ""
        : are_kernels ? "es"
                      : "s",
        launches == 1 ? "it as it is" : "them as they are");
}

int kesco_tell_plan(const struct kesco_region_remarks *to) {
    const struct kesco_scheduled_region *scheduled = to->scheduled;
    /* What joins is told once of all such regions of a function. */
    if (scheduled->placed_lanes > 0 && !scheduled->only_joins)
        return tell_placed(to);
    if (kesco_scheduled_has_lanes(scheduled)) {
        int status = tell_concurrent(to);
        return status != 0 ? status : tell_guards(to);
    }
    return scheduled->may_replay ? tell_replayed(to) : 0;
}

static int tell_no_gain(const struct kesco_region_remarks *to) {
    return TELL(to, KESCO_REMARK_MISSED, "NoGain",
                KESCO_VALUE("Ops", "%u") " ops stay serial: by the profile they take " KESCO_VALUE(
                    "Serial", "%.1f") " microseconds, and what overlap could save, records and waits "
                                      "would cost again; without -fplugin-arg-kesco-profile they get lanes",
                to->region->ops.count, to->scheduled->plan->worth.serial_us);
}

static int tell_too_large(const struct kesco_region_remarks *to) {
    return TELL(to, KESCO_REMARK_MISSED, "TooLarge",
                KESCO_VALUE("Kernels",
                            "%u") " launches with branches or loops between them stay serial: more "
                                  "than " KESCO_VALUE("Most", "%d") " are not analysed; split the function",
                to->region->ops.count, KESCO_FLOW_MAX_PLACES);
}

static int tell_idle_claims(const struct kesco_region_remarks *to) {
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < to->region->claims.idle.count; i++) {
        const struct kesco_distinct *claim = &to->region->claims.idle.items[i];
        status =
            TELL(to, KESCO_REMARK_MISSED, "IdleClaim",
                 CLAIM " holds in one pass of its loop alone, and ops of several passes may be in flight: "
                       "make the claim before the loop",
                 claim->first, claim->second, claim->line);
    }
    return status;
}

/* Whom an op that may touch anything keeps its order to. */
static const char *others_that_may_alias(const struct kesco_region_op *op) {
    for (uint32_t i = 0; i < op->memory.accesses.count; i++) {
        const struct kesco_op_access *access = &op->memory.accesses.items[i];
        if (access->object == KESCO_OBJECT_ANY && access->access == KESCO_WRITE)
            return "to all others";
    }
    return "to all that write";
}

static uint32_t count_alike(const struct kesco_op_region *region, const struct kesco_region_op *op) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->ops.count; i++) {
        const struct kesco_region_op *other = &region->ops.items[i];
        count += other->op.kind == op->op.kind && strcmp(other->op.name, op->op.name) == 0 &&
                 kesco_same_text(other->memory.aliases_all, op->memory.aliases_all);
    }
    return count;
}

/* Tells of an op that may touch anything. */
static int tell_unknown(const struct kesco_region_remarks *to, uint32_t index) {
    const struct kesco_region_op *op = &to->region->ops.items[index];
    struct kesco_remark remark = {.kind = KESCO_REMARK_MISSED, .name = "Unknown", .op = index, .once = ""};
    char more[64];
    uint32_t alike = count_alike(to->region, op);
    if (alike > 1) {
        snprintf(more, sizeof(more), "; so %s " KESCO_VALUE("More", "%u") " more here",
                 alike == 2 ? "does" : "do", alike - 1);
        remark.more = more;
    }
    return tell(
        to, &remark,
        kesco_arena_print(
            to->memory, "%s '" KESCO_VALUE("Kernel", "%s") "' keeps its order %s: " KESCO_VALUE("Why", "%s"),
            kesco_op_kind_name(op->op.kind), op->op.name, others_that_may_alias(op), op->memory.aliases_all));
}

/* What the edges between an op and others say of their order. */
struct trap_orders {
    bool *otherwise;        /* by op: not for traps alone */
    bool *by_trap;          /* by op */
    uint32_t *found, count; /* the ops that are ordered by traps, as the edges have them */
};

static void note_orders(const struct kesco_region_remarks *to, const struct kesco_edges *edges, uint32_t op,
                        struct trap_orders *orders) {
    for (size_t i = 0; i < edges->count; i++) {
        const struct kesco_edge *edge = &edges->items[i];
        uint32_t other = edge->from == op ? edge->to : edge->from;
        if (edge->from != op && edge->to != op)
            continue;
        if (strcmp(kesco_graph_object_name(to->scheduled->graph, edge->object), to->traps) != 0)
            orders->otherwise[other] = true;
        else if (!orders->by_trap[other])
            orders->by_trap[orders->found[orders->count++] = other] = true;
    }
}

/* Finds the ops that keep their order to `op` for no reason but that kernels may trap. */
static int find_trap_orders(const struct kesco_region_remarks *to, uint32_t op, struct trap_orders *orders) {
    const size_t ops = to->region->ops.count;
    const struct kesco_graph_derived *derived = &to->scheduled->graph->derived;
    uint32_t kept = 0;
    *orders = (struct trap_orders){kesco_arena_alloc(to->memory, ops), kesco_arena_alloc(to->memory, ops),
                                   kesco_arena_alloc(to->memory, ops * sizeof(*orders->found)), 0};
    if (!orders->otherwise || !orders->by_trap || !orders->found)
        return -ENOMEM;
    note_orders(to, &derived->edges, op, orders);
    note_orders(to, &derived->carried, op, orders);
    for (uint32_t i = 0; i < orders->count; i++)
        if (!orders->otherwise[orders->found[i]])
            orders->found[kept++] = orders->found[i];
    orders->count = kept;
    return 0;
}

static int tell_order(const struct kesco_region_remarks *to, uint32_t index,
                      const struct trap_orders *orders) {
    const struct kesco_region_op *op = &to->region->ops.items[index];
    const struct kesco_region_op *first = &to->region->ops.items[orders->found[0]];
    struct kesco_remark remark = {
        .kind = KESCO_REMARK_MISSED, .name = "MayTrap", .op = index, .once = op->op.name};
    char line[64] = "", more[64] = "";
    if (first->source.line != 0)
        snprintf(line, sizeof(line), " (line " KESCO_VALUE("Line", "%u") ")", first->source.line);
    if (orders->count > 1)
        snprintf(more, sizeof(more), " and " KESCO_VALUE("More", "%u") " more", orders->count - 1);
    return tell(
        to, &remark,
        kesco_arena_print(
            to->memory,
            "kernel '" KESCO_VALUE("Kernel", "%s") "' may trap, so it keeps its order to '" KESCO_VALUE(
                "Other",
                "%s") "'%s%s, as to whatever lets the host wait, whatever it can "
                      "see, and kernels that may trap, too; where that is an assert, -DNDEBUG leaves it out",
            op->op.name, first->op.name, line, more));
}

/* Returns whether the op has such an order to some other, or -ENOMEM. */
static int tell_traps(const struct kesco_region_remarks *to, uint32_t index) {
    struct trap_orders orders;
    int status = find_trap_orders(to, index, &orders);
    if (status != 0 || orders.count == 0)
        return status;
    status = tell_order(to, index, &orders);
    return status != 0 ? status : 1;
}

/* Returns whether some op is told of, or -ENOMEM. */
static int tell_ops(const struct kesco_region_remarks *to) {
    const struct kesco_region_ops *ops = &to->region->ops;
    int status = 0;
    bool is_told = false;
    for (uint32_t op = 0; status >= 0 && op < ops->count; op++)
        if (ops->items[op].memory.aliases_all) {
            status = tell_unknown(to, op);
            is_told = true;
        }
    for (uint32_t op = 0; status >= 0 && op < ops->count; op++)
        if (ops->items[op].may_trap) {
            status = tell_traps(to, op);
            is_told |= status > 0;
        }
    return status < 0 ? status : is_told;
}

int kesco_tell_serial(const struct kesco_region_remarks *to) {
    const struct kesco_scheduled_region *scheduled = to->scheduled;
    const bool is_no_gain = scheduled->plan->worth.serial == KESCO_SERIAL_NO_GAIN &&
                            (scheduled->placed_lanes == 0 || scheduled->only_joins);
    const bool is_too_large = scheduled->too_large && scheduled->placed_lanes == 0;
    int status = is_no_gain ? tell_no_gain(to) : 0;
    if (status == 0 && is_too_large)
        status = tell_too_large(to);
    if (status == 0)
        status = tell_idle_claims(to);
    if (status == 0)
        status = tell_ops(to);
    return status < 0 ? status : status > 0 || is_no_gain || is_too_large;
}
