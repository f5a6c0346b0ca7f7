#include "test/vgpu/summary_check.h"

#include "plugin/summary/range.h"
#include "plugin/summary/summary_text.h"
#include "test/vgpu/race_report.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts one finding. Returns whether it is to be printed. */
static bool found(void) {
    stats.held.summary_violations++;
    if (stats.held.summary_violations == SUMMARY_REPORT_LIMIT + 1)
        fprintf(stderr, "vgpu: %d findings against summaries printed; further ones are only counted\n",
                SUMMARY_REPORT_LIMIT);
    return stats.held.summary_violations <= SUMMARY_REPORT_LIMIT;
}

/* Loading */

static void report_kernel(const char *mangled, const char *what) {
    char name[SITE_TEXT];
    symbol_describe(mangled, name);
    fprintf(stderr, "vgpu: summary: kernel %s %s\n", name, what);
}

static bool has_parameter(const struct vgpu_kernel *kernel, const struct kesco_parameter_access *access) {
    return access->parameter < kernel->param_count &&
           (uint64_t)access->offset + sizeof(void *) <= kernel->param_sizes[access->parameter];
}

static void check_parameters(const struct vgpu_kernel *kernel, const struct kesco_summary *summary) {
    for (size_t i = 0; i < summary->parameter_count; i++) {
        const struct kesco_parameter_access *access = &summary->parameters[i];
        char what[96];
        if (has_parameter(kernel, access) || !found())
            continue;
        snprintf(what, sizeof(what), "has no pointer at offset %u in parameter %u, as its summary says",
                 access->offset, access->parameter);
        report_kernel(kernel->name, what);
    }
}

void summary_check_load(struct kesco_summaries *summaries, const void *image, size_t size,
                        const struct vgpu_module *content) {
    const char *problem;
    size_t texts;
    const int err = kesco_summary_text_read(summaries, image, size, &texts, &problem);
    if (err == -ENOMEM)
        die(EXIT_FAILURE, "no memory for access summaries");
    if (err && found())
        fprintf(stderr, "vgpu: summary: a device image has a text of access summaries that is unfit: %s\n",
                problem);
    if (err || !texts)
        return;
    for (uint32_t i = 0; i < content->kernel_count; i++) {
        const struct vgpu_kernel *kernel = &content->kernels[i];
        const struct kesco_summary *summary = kesco_summaries_find(summaries, kernel->name);
        if (summary)
            check_parameters(kernel, summary);
        else if (found())
            report_kernel(kernel->name, "has no summary, but its image has summaries");
    }
}

/* Checking */

static bool is_checked(const struct op *op) {
    return op->kind == OP_KERNEL && op->kernel.summary;
}

/* The pointer that the launch passed there. */
static const char *pointer_at(const struct op_kernel *launch, const struct kesco_parameter_access *access) {
    const char *pointer = NULL;
    if (has_parameter(launch->kernel, access))
        memcpy(&pointer, (const char *)launch->args[access->parameter] + access->offset, sizeof(pointer));
    return pointer;
}

static bool leads_to(const char *pointer, const struct allocation *allocation) {
    return pointer >= allocation->base && pointer <= allocation->base + allocation->size;
}

static bool is_named(const struct op *op, const struct allocation *allocation,
                     const struct kesco_variable_access *access) {
    return allocation->kind == MEMORY_SYMBOL && allocation->maker.device == op->queue.device &&
           strcmp(allocation->maker.api, access->name) == 0;
}

/* True if the summary has all that may be done to the allocation: kernels that use the heap may do anything
 * to the memory that they get there. */
static bool may_do_all(const struct kesco_summary *summary, const struct allocation *allocation) {
    return summary->hidden.runs || (summary->flags & KESCO_USES_HEAP && memory_is_heap(allocation));
}

/* What the op may do to the allocation: KESCO_READS, KESCO_WRITES. */
static unsigned allowed(const struct op *op, const struct allocation *allocation) {
    const struct kesco_summary *summary = op->kernel.summary;
    unsigned effect = summary->beyond.effect;
    if (may_do_all(summary, allocation))
        return KESCO_READS | KESCO_WRITES;
    for (size_t i = 0; i < summary->parameter_count; i++)
        if (leads_to(pointer_at(&op->kernel, &summary->parameters[i]), allocation))
            effect |= summary->parameters[i].effect;
    for (size_t i = 0; i < summary->variable_count; i++)
        if (is_named(op, allocation, &summary->variables[i]))
            effect |= summary->variables[i].effect;
    return effect;
}

/* For kesco_range_evaluate: an integer argument of the launch that `context` is. */
static bool argument_of(const void *context, uint32_t parameter, uint32_t offset, uint32_t bits,
                        int64_t *value) {
    const struct op_kernel *launch = context;
    const char *from;
    if (parameter >= launch->kernel->param_count ||
        (uint64_t)offset + bits / 8 > launch->kernel->param_sizes[parameter])
        return false;
    from = (const char *)launch->args[parameter] + offset;
    *value = 0;
    memcpy(value, from, bits / 8); /* little-endian */
    *value = (int64_t)((uint64_t)*value << (64 - bits)) >> (64 - bits);
    return true;
}

static const char *range_of(const struct kesco_parameter_access *access, unsigned effect) {
    return effect == KESCO_WRITES ? access->written_within : access->read_within;
}

/* Where the launch may have the effect through that pointer, by the part that `range` begins with, counted
 * from where the allocation begins. False: anywhere, for no range says more. */
static bool find_range(const struct op_kernel *launched, const struct kesco_parameter_access *access,
                       const char *range, const struct allocation *allocation, struct kesco_pieces *bytes) {
    const struct kesco_range_launch launch = {{launched->grid.x, launched->grid.y, launched->grid.z},
                                              {launched->block.x, launched->block.y, launched->block.z},
                                              argument_of,
                                              launched};
    const int64_t from = pointer_at(launched, access) - allocation->base;
    if (!range || kesco_range_evaluate(range, &launch, bytes) != 0)
        return false;
    bytes->begin += from;
    bytes->end += from;
    bytes->planes.first += from;
    return true;
}

static struct kesco_pieces bytes_of(const struct op_kernel *launched,
                                    const struct kesco_parameter_access *access, const char *range,
                                    const struct allocation *allocation) {
    struct kesco_pieces bytes;
    if (find_range(launched, access, range, allocation, &bytes))
        return bytes;
    return (struct kesco_pieces){.end = (int64_t)allocation->size};
}

/* Where the launch may have the effect through its pointers, into `all`. Returns how many those are. */
static size_t find_bytes(const struct op *op, const struct allocation *allocation, unsigned effect,
                         struct kesco_pieces *all) {
    const struct kesco_summary *summary = op->kernel.summary;
    size_t count = 0;
    for (size_t i = 0; i < summary->parameter_count; i++) {
        const char *range = range_of(&summary->parameters[i], effect);
        if (!(summary->parameters[i].effect & effect) ||
            !leads_to(pointer_at(&op->kernel, &summary->parameters[i]), allocation))
            continue;
        do
            all[count++] = bytes_of(&op->kernel, &summary->parameters[i], range, allocation);
        while (range && kesco_range_next_part(&range));
    }
    return count;
}

static bool lies_within(const struct kesco_pieces *bytes, int64_t at) {
    const struct kesco_places *planes = &bytes->planes;
    return bytes->begin <= at && at < bytes->end &&
           (bytes->distance == 0 || (at - bytes->begin) % bytes->distance < bytes->length) &&
           (planes->distance == 0 ||
            kesco_pieces_place(at - planes->first, planes->distance) < planes->length);
}

/* True if a byte whose bit is set, of the 64 from `at` on, is nowhere in `all`. */
static bool has_stray(const struct kesco_pieces *all, size_t count, int64_t at, uint64_t bits) {
    for (size_t i = 0; i < count && bits; i++)
        for (int bit = 0; bit < RACE_WORD; bit++)
            if (lies_within(&all[i], at + bit))
                bits &= ~(UINT64_C(1) << bit);
    return bits;
}

/* True if only pointers let the launch have the effect there. */
static bool is_by_pointer(const struct op *op, const struct allocation *allocation, unsigned effect) {
    const struct kesco_summary *summary = op->kernel.summary;
    for (size_t i = 0; i < summary->variable_count; i++)
        if (is_named(op, allocation, &summary->variables[i]) && summary->variables[i].effect & effect)
            return false;
    return !may_do_all(summary, allocation) && !(summary->beyond.effect & effect);
}

/* True if some byte of the record is in none of the summary's ranges. */
static bool strays(const struct allocation *allocation, const struct race_record *record, unsigned effect,
                   const uint64_t *bits) {
    struct kesco_pieces *all;
    size_t count;
    bool found = false;
    if (!is_by_pointer(record->op, allocation, effect))
        return false;
    all = calloc(record->op->kernel.summary->parameter_count * KESCO_RANGE_PARTS + 1, sizeof *all);
    if (!all)
        die(EXIT_FAILURE, "no memory for the ranges of a summary");
    count = find_bytes(record->op, allocation, effect, all);
    for (size_t i = 0; i < record->words && !found; i++)
        found = bits[i] && has_stray(all, count, (int64_t)((record->first_word + i) * RACE_WORD), bits[i]);
    free(all);
    return found;
}

static void print_launch(const struct op *op) {
    char name[SITE_TEXT], place[SITE_TEXT];
    op_describe(op, name);
    site_describe(&op->asker.site, place);
    fprintf(stderr, "vgpu: summary: %s, launched at %s, ", name, place);
}

static const char *effect_text(unsigned effect) {
    static const char *const texts[] = {"nothing", "reads", "writes", "reads and writes"};
    return texts[effect & (KESCO_READS | KESCO_WRITES)];
}

static void print_part(const struct op *op, const struct kesco_parameter_access *access, unsigned effect,
                       const char *range, const struct allocation *allocation) {
    const struct kesco_pieces bytes = bytes_of(&op->kernel, access, range, allocation);
    fprintf(stderr, "    and %s from %" PRId64 " up to %" PRId64 " of it", effect_text(effect), bytes.begin,
            bytes.end);
    if (bytes.distance != 0)
        fprintf(stderr, ", the first %" PRId64 " of each %" PRId64 " bytes", bytes.length, bytes.distance);
    if (bytes.planes.distance != 0)
        fprintf(stderr, ", and from %" PRId64 " on of each %" PRId64 " the first %" PRId64,
                bytes.planes.first, bytes.planes.distance, bytes.planes.length);
    fprintf(stderr, ": %.*s\n", (int)strcspn(range, "|"), range);
}

static void print_bytes(const struct op *op, const struct kesco_parameter_access *access, unsigned effect,
                        const struct allocation *allocation) {
    const char *range = range_of(access, effect);
    if (!range || !leads_to(pointer_at(&op->kernel, access), allocation))
        return;
    do
        print_part(op, access, effect, range, allocation);
    while (kesco_range_next_part(&range));
}

/* What the summary has, with where the launch's pointers lead. */
static void print_summary(const struct op *op, const struct allocation *allocation) {
    const struct kesco_summary *summary = op->kernel.summary;
    for (size_t i = 0; i < summary->parameter_count; i++) {
        const struct kesco_parameter_access *access = &summary->parameters[i];
        const char *pointer = pointer_at(&op->kernel, access);
        fprintf(stderr, "  its summary has: %s through parameter %u at offset %u, which is %p, %s\n",
                effect_text(access->effect), access->parameter, access->offset, (const void *)pointer,
                leads_to(pointer, allocation) ? "there" : "elsewhere");
        print_bytes(op, access, KESCO_READS, allocation);
        print_bytes(op, access, KESCO_WRITES, allocation);
    }
    for (size_t i = 0; i < summary->variable_count; i++)
        fprintf(stderr, "  its summary has: %s variable %s\n", effect_text(summary->variables[i].effect),
                summary->variables[i].name);
    fprintf(stderr, "  its summary has: %s anywhere else\n", effect_text(summary->beyond.effect));
}

/* Prints the outermost bytes that a bitmap of the record has. */
static void print_range(const struct race_record *record, const uint64_t *bits) {
    size_t first = 0, last = record->words - 1;
    while (!bits[first])
        first++;
    while (!bits[last])
        last--;
    fprintf(stderr, "bytes %zu to %zu of the ",
            (record->first_word + first) * RACE_WORD + (size_t)__builtin_ctzll(bits[first]),
            (record->first_word + last) * RACE_WORD + (RACE_WORD - 1) - (size_t)__builtin_clzll(bits[last]));
}

static void check_effect(const struct allocation *allocation, const struct race_record *record,
                         unsigned effect, const uint64_t *bits) {
    uint64_t any = 0;
    for (size_t i = 0; i < record->words; i++)
        any |= bits[i];
    if (!any || (allowed(record->op, allocation) & effect && !strays(allocation, record, effect, bits)) ||
        !found())
        return;
    print_launch(record->op);
    fprintf(stderr, "%s ", effect_text(effect));
    print_range(record, bits);
    race_report_allocation(allocation);
    fputs(", against its summary\n", stderr);
    print_summary(record->op, allocation);
}

void summary_check_record(const struct allocation *allocation, const struct race_record *record) {
    if (!is_checked(record->op))
        return;
    check_effect(allocation, record, KESCO_READS, record->reads);
    check_effect(allocation, record, KESCO_WRITES, record->writes);
}

static void check_flag(const struct op *op, unsigned missing, unsigned flag, const char *what) {
    if (!(missing & flag) || !found())
        return;
    print_launch(op);
    fprintf(stderr, "%s, against its summary\n", what);
}

void summary_check_op(const struct op *op, unsigned did) {
    if (!is_checked(op))
        return;
    const struct kesco_summary *summary = op->kernel.summary;
    const unsigned missing = summary->hidden.runs ? 0 : did & ~summary->flags;
    stats.held.summaries_checked++;
    check_flag(op, missing, KESCO_PRINTS, "prints");
    check_flag(op, missing, KESCO_MAY_TRAP, "traps");
}

/* How tight ranges are */

/* True if the bit of that byte of the allocation is set. */
static bool has_byte(const struct race_record *record, const uint64_t *bits, int64_t at) {
    const uint64_t word = (uint64_t)at / RACE_WORD;
    return at >= 0 && word >= record->first_word && word - record->first_word < record->words &&
           (bits[word - record->first_word] >> ((uint64_t)at % RACE_WORD) & 1) != 0;
}

/* Both ends of the range were accessed, or it is empty. */
static bool is_exact(const struct kesco_pieces *range, const struct race_record *record, unsigned effect) {
    const uint64_t *bits = record == NULL ? NULL : effect == KESCO_WRITES ? record->writes : record->reads;
    return range->begin >= range->end ||
           (bits && has_byte(record, bits, range->begin) && has_byte(record, bits, range->end - 1));
}

static void count_range(const struct op *op, const struct kesco_parameter_access *access, unsigned effect,
                        summary_check_find *find) {
    const struct allocation *allocation = memory_find(pointer_at(&op->kernel, access));
    const char *range = range_of(access, effect);
    if (!allocation || !(access->effect & effect))
        return;
    do {
        struct kesco_pieces bytes;
        if (!find_range(&op->kernel, access, range, allocation, &bytes))
            stats.held.ranges_whole++;
        else if (is_exact(&bytes, find(allocation), effect))
            stats.held.ranges_exact++;
        else
            stats.held.ranges_wider++;
    } while (range && kesco_range_next_part(&range));
}

void summary_check_tightness(const struct op *op, summary_check_find *find) {
    if (!is_checked(op) || op->kernel.summary->hidden.runs)
        return;
    for (size_t i = 0; i < op->kernel.summary->parameter_count; i++) {
        count_range(op, &op->kernel.summary->parameters[i], KESCO_READS, find);
        count_range(op, &op->kernel.summary->parameters[i], KESCO_WRITES, find);
    }
}
