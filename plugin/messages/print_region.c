#include "plugin/messages/print_region.h"

#include "plugin/cuda/cuda_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Empty texts of regions are NULL. */
static const char *text_of(const char *text) {
    return text ? text : "";
}

static const char *stream_of(enum kesco_origin origin) {
    switch (origin) {
    case KESCO_ORIGIN_LEGACY:
        return "the legacy default stream";
    case KESCO_ORIGIN_PER_THREAD:
        return "the per-thread default stream";
    case KESCO_ORIGIN_GIVEN:
        break;
    }
    return "a stream of the program's";
}

static const char *wait_of(enum kesco_host_wait wait) {
    switch (wait) {
    case KESCO_HOST_WAIT_NONE:
        break;
    case KESCO_HOST_WAIT_UNSURE:
        return "; the host may wait for it";
    case KESCO_HOST_WAIT_DONE:
        return "; the host waits for it";
    }
    return "";
}

static void print_lines(FILE *out, const struct kesco_op_source *source) {
    if (source->line != 0)
        fprintf(out, ", line %u", source->line);
    if (kesco_op_is_elsewhere(source))
        fprintf(out, " by %s:%u", text_of(source->own_file), source->own_line);
}

/* The name of what is accessed, for one that writes, or does not; NULL for others. */
static const char *name_of(const struct kesco_op_region *region, const struct kesco_op_access *access,
                           bool writes) {
    if ((access->access == KESCO_WRITE) != writes && (writes || !access->also_reads))
        return NULL;
    return access->object == KESCO_OBJECT_ANY ? "anything" : text_of(region->parts.items[access->object]);
}

/* "; VERB a, b" of the accesses that write, or do not; nothing where there are none. */
static void print_accesses(FILE *out, const struct kesco_op_region *region,
                           const struct kesco_accesses *accesses, bool writes) {
    const char *between = writes ? "; writes " : "; reads ";
    for (uint32_t i = 0; i < accesses->count; i++) {
        const char *name = name_of(region, &accesses->items[i], writes);
        bool is_told = !name;
        for (uint32_t before = 0; before < i && !is_told; before++) {
            const char *other = name_of(region, &accesses->items[before], writes);
            is_told = other && strcmp(other, name) == 0;
        }
        if (!is_told) {
            fprintf(out, "%s%s", between, name);
            between = ", ";
        }
    }
}

static void print_op(FILE *out, const struct kesco_op_region *region, uint32_t index) {
    const struct kesco_region_op *op = &region->ops.items[index];
    fprintf(out, "    op %u", index);
    print_lines(out, &op->source);
    fprintf(out, ": %s %s", kesco_op_kind_name(op->op.kind), text_of(op->op.name));
    print_accesses(out, region, &op->memory.accesses, false);
    print_accesses(out, region, &op->memory.accesses, true);
    fputs(wait_of(op->host.wait), out);
    if (op->memory.aliases_all)
        fprintf(out, "; %s", op->memory.aliases_all);
    for (uint32_t i = 0; i < op->way.next.count; i++)
        fprintf(out, "%s%u", i == 0 ? "; then op " : " or ", op->way.next.items[i]);
    fputc('\n', out);
}

/* True if the op is issued after all ops before it, in whatever order others are. */
static bool keeps_place(const struct kesco_op_region *region, uint32_t op) {
    return op > 0 && region->ops.items[op].op.segment != region->ops.items[op - 1].op.segment;
}

static void print_ops(FILE *out, const struct kesco_op_region *region) {
    bool all_keep = region->ops.count > 2;
    for (uint32_t op = 1; op < region->ops.count; op++)
        all_keep &= keeps_place(region, op);
    if (all_keep)
        fputs("    -- no op changes places\n", out);
    for (uint32_t op = 0; op < region->ops.count; op++) {
        if (!all_keep && keeps_place(region, op))
            fputs("    -- no op changes places across this line\n", out);
        print_op(out, region, op);
    }
}

/* What memory it may be, as "device or managed". */
static void print_object(FILE *out, const struct kesco_object *object) {
    static const struct {
        unsigned bit;
        const char *name;
    } kinds[] = {{KESCO_MEMORY_DEVICE, "device"},
                 {KESCO_MEMORY_MANAGED, "managed"},
                 {KESCO_MEMORY_PINNED, "pinned"},
                 {KESCO_MEMORY_PAGEABLE, "pageable"}};
    const char *between = "";
    fprintf(out, "    object %s: ", text_of(object->name));
    if (object->where == KESCO_MEMORY_ANY)
        fputs("any", out);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && object->where != KESCO_MEMORY_ANY; i++)
        if (object->where & kinds[i].bit) {
            fprintf(out, "%s%s", between, kinds[i].name);
            between = " or ";
        }
    fprintf(out, " memory%s\n", object->written ? ", written" : "");
}

/* The pairs that the run compares, those with one pointer in common in one line. */
static void print_guards(FILE *out, const struct kesco_op_region *region) {
    const struct kesco_pairs *checked = &region->guards.checked;
    for (uint32_t first = 0, end; first < checked->count; first = end) {
        const struct kesco_pair *pairs = checked->items;
        for (end = first + 1; end < checked->count && pairs[end].a == pairs[first].a;)
            end++;
        fprintf(out, "    guard: serial where %s and %s", text_of(region->objects.items[pairs[first].a].name),
                end - first > 1 ? "one of " : "");
        for (uint32_t i = first; i < end; i++)
            fprintf(out, "%s%s", i == first ? "" : ", ", text_of(region->objects.items[pairs[i].b].name));
        fputs(" lead to the same memory\n", out);
    }
}

char *kesco_print_region(const struct kesco_op_region *region, unsigned number) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "  region %u, on %s:\n", number, stream_of(region->origin));
    print_ops(out, region);
    for (uint32_t i = 0; i < region->objects.count; i++)
        print_object(out, &region->objects.items[i]);
    print_guards(out, region);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
