#include "test/vgpu/extrapolation.h"

#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An op of the file. */
struct base {
    struct op_identity identity;
    struct op_counts counts;
};

static struct {
    const char *file; /* its path; NULL: off */
    double ratio;
    json_t *root;       /* owns the names */
    struct base *bases; /* sorted by identity */
    size_t count, used;
} extrapolation;

bool extrapolation_is_on(void) {
    return extrapolation.file != NULL;
}

static bool is_prefetch(const struct op_identity *identity) {
    return strcmp(identity->kind, "prefetch") == 0;
}

/* Reading */

static int compare(const void *a, const void *b) {
    const struct op_identity *left = &((const struct base *)a)->identity,
                             *right = &((const struct base *)b)->identity;
    int order = strcmp(left->kind, right->kind);
    if (!order)
        order = strcmp(left->name, right->name);
    if (!order)
        order = (left->allocation > right->allocation) - (left->allocation < right->allocation);
    return order ? order : (left->occurrence > right->occurrence) - (left->occurrence < right->occurrence);
}

static _Noreturn void refuse_op(size_t index, const char *member) {
    die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s is no file of VGPU_COUNTS: its op %zu has no valid '%s'",
        extrapolation.file, index, member);
}

static const char *read_text(const json_t *op, size_t index, const char *member) {
    const char *text = json_string_value(json_object_get(op, member));
    if (!text)
        refuse_op(index, member);
    return text;
}

static uint64_t read_number(const json_t *op, size_t index, const char *member) {
    const json_t *number = json_object_get(op, member);
    if (!json_is_integer(number) || json_integer_value(number) < 0)
        refuse_op(index, member);
    return (uint64_t)json_integer_value(number);
}

static struct base read_base(const json_t *op, size_t index) {
    struct base base = {.identity = {.kind = read_text(op, index, "kind"),
                                     .name = read_text(op, index, "name"),
                                     .occurrence = read_number(op, index, "occurrence")}};
    if (is_prefetch(&base.identity))
        base.identity.allocation = read_number(op, index, "allocation");
    for (int i = 0; i < COUNT_FIELDS; i++)
        *counts_field(&base.counts, &count_fields[i]) = read_number(op, index, count_fields[i].name);
    return base;
}

static void read_file(void) {
    json_error_t error;
    extrapolation.root = json_load_file(extrapolation.file, 0, &error);
    if (!extrapolation.root && error.line < 0) /* there is no text */
        die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s", error.text);
    if (!extrapolation.root)
        die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s, line %d: %s", extrapolation.file, error.line,
            error.text);
    const json_t *ops = json_object_get(extrapolation.root, "ops");
    if (json_integer_value(json_object_get(extrapolation.root, "version")) != COUNTS_VERSION ||
        !json_is_array(ops))
        die(EXIT_BAD_SETTING,
            "VGPU_EXTRAPOLATE: %s is no file of VGPU_COUNTS: it must have \"version\": %d and \"ops\"",
            extrapolation.file, COUNTS_VERSION);
    extrapolation.count = json_array_size(ops);
    extrapolation.bases = allocate(extrapolation.count + 1, sizeof(*extrapolation.bases));
    for (size_t i = 0; i < extrapolation.count; i++)
        extrapolation.bases[i] = read_base(json_array_get(ops, i), i);
    qsort(extrapolation.bases, extrapolation.count, sizeof(*extrapolation.bases), compare);
}

void extrapolation_read(const char *text) {
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    extrapolation.ratio = colon ? strtod(colon + 1, &end) : 0;
    if (!colon || colon == text || end == colon + 1 || *end || !(extrapolation.ratio >= 1) ||
        isinf(extrapolation.ratio))
        die(EXIT_BAD_SETTING,
            "VGPU_EXTRAPOLATE=%s: must be FILE:R, a file of VGPU_COUNTS and a number of at least 1", text);
    char *file = duplicate_text(text);
    file[colon - text] = '\0';
    extrapolation.file = file;
    read_file();
}

/* Applying */

/* That of the same memory which came last before it, or else first. NULL: there is none. */
static const struct base *find_other_prefetch(const struct op_identity *identity) {
    const struct base key = {.identity = *identity}, *found = NULL;
    for (size_t i = 0; i < extrapolation.count; i++) {
        const struct base *each = &extrapolation.bases[i];
        const bool is_of_same =
            is_prefetch(&each->identity) && each->identity.allocation == identity->allocation;
        if (is_of_same && (!found || compare(each, &key) < 0))
            found = each;
    }
    return found;
}

/* NULL: there is none. */
static const struct base *find_base(const struct op_identity *identity) {
    const struct base key = {.identity = *identity};
    const struct base *found = bsearch(&key, extrapolation.bases, extrapolation.count, sizeof(key), compare);
    return found || !is_prefetch(identity) ? found : find_other_prefetch(identity);
}

void extrapolation_apply(const struct op_identity *identity, struct op_counts *counts) {
    if (!extrapolation.file)
        return;
    const struct base *found = find_base(identity);
    if (!found && !is_prefetch(identity))
        die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s has no %s %s of occurrence %zu", extrapolation.file,
            identity->kind, identity->name, identity->occurrence);
    struct base base = found ? *found : (struct base){.identity = *identity};
    extrapolation.used += !is_prefetch(identity);
    for (int i = 0; i < COUNT_FIELDS; i++) {
        uint64_t *field = counts_field(counts, &count_fields[i]);
        const double small = (double)*counts_field(&base.counts, &count_fields[i]);
        double value = round(small + extrapolation.ratio * ((double)*field - small));
        if (value < 0 && is_prefetch(identity))
            value = round(extrapolation.ratio * (double)*field);
        if (value < 0 || value > 0x1p63)
            die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s %s of occurrence %zu would have %.0f %s",
                identity->kind, identity->name, identity->occurrence, value, count_fields[i].name);
        *field = (uint64_t)value;
    }
}

void extrapolation_refuse_touch(void) {
    if (extrapolation.file && !settings.small_touches)
        die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: host code touches managed memory that lives on a device, "
                              "which cannot be extrapolated");
}

void extrapolation_end(void) {
    size_t expected = 0;
    for (size_t i = 0; i < extrapolation.count; i++)
        expected += !is_prefetch(&extrapolation.bases[i].identity);
    if (extrapolation.used < expected)
        die(EXIT_BAD_SETTING, "VGPU_EXTRAPOLATE: %s has %zu ops, but the program issued %zu",
            extrapolation.file, expected, extrapolation.used);
}
