#include "plugin/messages/region_reason.h"

#include <stdio.h>
#include <string.h>

static bool varies(const struct kesco_pointer *pointer) {
    return pointer->varies;
}

static bool is_inside(const struct kesco_pointer *pointer) {
    return pointer->is_inside;
}

/* True if the op is given a pointer into the object `name`, or what that is a part of, of which `is` holds.
 */
static bool has_pointer(const struct kesco_op_region *region, const struct kesco_region_op *op,
                        const char *name, bool (*is)(const struct kesco_pointer *)) {
    for (uint32_t i = 0; i < op->memory.pointers.count; i++) {
        const struct kesco_pointer *pointer = &op->memory.pointers.items[i];
        const char *object = region->objects.items[pointer->object].name;
        if (strncmp(name, object, strlen(object)) == 0 && is(pointer))
            return true;
    }
    return false;
}

/* What helps where the two ops work on the object `name`: parts of it, or another one in each pass. */
static const char *advice_for(const struct kesco_op_region *region, uint32_t from, uint32_t to,
                              const char *name) {
    const struct kesco_region_op *first = &region->ops.items[from], *second = &region->ops.items[to];
    if (has_pointer(region, second, name, varies) && has_pointer(region, first, name, varies))
        return KESCO_INNER_LOOP;
    if (has_pointer(region, second, name, is_inside) || has_pointer(region, first, name, is_inside))
        return "; if they touch different parts of it, allocate each by itself, or store their pointers in "
               "two variables and claim that by KESCO_DISTINCT of these";
    return "";
}

/* The first of `edges` that has a name; NULL where it is told elsewhere why there are some. */
static const struct kesco_edge *first_named(const struct kesco_edges *edges) {
    for (size_t i = 0; i < edges->count; i++)
        if (edges->items[i].object != KESCO_OBJECT_ANY)
            return &edges->items[i];
    return NULL;
}

/* The dependence `edge` as a sentence. */
static struct kesco_region_reason reason_of(const struct kesco_op_region *region,
                                            const struct kesco_scheduled_region *scheduled,
                                            const struct kesco_edge *edge, struct kesco_arena *memory) {
    const char *name = kesco_graph_object_name(scheduled->graph, edge->object);
    const struct kesco_region_op *from = &region->ops.items[edge->from], *to = &region->ops.items[edge->to];
    char line[32] = "";
    if (from->source.line > 0)
        snprintf(line, sizeof(line), " (line %u)", from->source.line);
    return (struct kesco_region_reason){
        edge->to,
        kesco_arena_print(memory, "'%s' comes behind '%s'%s%s%s on '%s'%s", to->op.name, from->op.name, line,
                          edge->from >= edge->to ? " of the pass before: " : ": ",
                          kesco_edge_kind_name(edge->kind), name,
                          advice_for(region, edge->from, edge->to, name))};
}

struct kesco_region_reason kesco_why_one_lane(const struct kesco_op_region *region,
                                              const struct kesco_scheduled_region *scheduled,
                                              unsigned max_lanes, struct kesco_arena *memory) {
    const struct kesco_graph_derived *derived = &scheduled->graph->derived;
    const struct kesco_edge *edge = first_named(&derived->edges);
    if (max_lanes == 1)
        return (struct kesco_region_reason){
            0, "launches stay serial: -fplugin-arg-kesco-max-lanes=1 gives them one lane"};
    if (!edge)
        edge = first_named(&derived->carried);
    return edge ? reason_of(region, scheduled, edge, memory)
                : (struct kesco_region_reason){0, "these ops could not run at once on the device"};
}

bool kesco_region_is_looped_kernel(const struct kesco_op_region *region) {
    return region->ops.count == 1 && kesco_region_count_kernels(region) == 1 &&
           kesco_region_repeats_op(region);
}

struct kesco_region_reason kesco_why_passes_share(const struct kesco_op_region *region,
                                                  struct kesco_arena *memory) {
    const struct kesco_region_op *op = &region->ops.items[0];
    for (uint32_t i = 0; i < op->memory.accesses.count; i++) {
        const struct kesco_op_access *access = &op->memory.accesses.items[i];
        if (access->access != KESCO_WRITE || access->object == KESCO_OBJECT_ANY)
            continue;
        const char *name = region->parts.items[access->object];
        if (!has_pointer(region, op, name, varies))
            return (struct kesco_region_reason){
                0, kesco_arena_print(memory, "'%s' comes behind itself of the pass before: WAW on '%s'%s",
                                     op->op.name, name, advice_for(region, 0, 0, name))};
    }
    return (struct kesco_region_reason){
        0, kesco_arena_print(memory, "'%s' runs pass after pass: " KESCO_PASSES_SHARE KESCO_INNER_LOOP,
                             op->op.name)};
}

const struct kesco_region_op *kesco_region_aliasing(const struct kesco_op_region *region) {
    for (uint32_t op = 0; op < region->ops.count; op++)
        if (region->ops.items[op].memory.aliases_all)
            return &region->ops.items[op];
    return NULL;
}
