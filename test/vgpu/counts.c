#include "test/vgpu/counts.h"

#include "test/vgpu/copy.h"
#include "test/vgpu/extrapolation.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"

#include <jansson.h>
#include <stddef.h>
#include <string.h>

/* How often ops came so far that are the same but for their occurrence. */
struct series {
    struct op_identity of;
    size_t count;
};

/* Guarded by the engine's lock. */
static struct {
    struct series *series;
    size_t series_count, series_capacity;
    json_t *ops; /* noted ones; NULL: none yet */
} counts;

const struct count_field count_fields[COUNT_FIELDS] = {
    {"blocks", offsetof(struct op_counts, blocks)},
    {"work", offsetof(struct op_counts, work[VGPU_WORK_ALL])},
    {"singles", offsetof(struct op_counts, work[VGPU_WORK_SINGLE])},
    {"doubles", offsetof(struct op_counts, work[VGPU_WORK_DOUBLE])},
    {"read", offsetof(struct op_counts, traffic.read)},
    {"written", offsetof(struct op_counts, traffic.written)},
    {"bytes", offsetof(struct op_counts, bytes)},
    {"moved", offsetof(struct op_counts, moved)},
    {"faults", offsetof(struct op_counts, faults)},
};

uint64_t *counts_field(struct op_counts *of, const struct count_field *field) {
    return (uint64_t *)(void *)((char *)of + field->offset);
}

/* Names live as long as the process: in images, and in the table of API functions. */
static struct series *find_series(const struct op_identity *of) {
    for (size_t i = 0; i < counts.series_count; i++) {
        struct series *series = &counts.series[i];
        if (strcmp(series->of.kind, of->kind) == 0 && strcmp(series->of.name, of->name) == 0 &&
            series->of.allocation == of->allocation)
            return series;
    }
    counts.series =
        with_room(counts.series, counts.series_count, &counts.series_capacity, sizeof(*counts.series));
    struct series *series = &counts.series[counts.series_count++];
    *series = (struct series){*of, 0};
    return series;
}

static const char *kind_of(const struct op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        return "kernel";
    case OP_COPY:
        return "copy";
    case OP_SET:
        return "set";
    case OP_PREFETCH:
        return "prefetch";
    default:
        return NULL;
    }
}

bool counts_identify(const struct op *op, struct op_identity *identity) {
    const char *kind = kind_of(op);
    if (!kind)
        return false;
    *identity = (struct op_identity){
        .kind = kind,
        .name = op->kind == OP_KERNEL ? op->kernel.kernel->name : op->asker.api,
        .allocation = op->kind == OP_PREFETCH ? op->prefetch.allocation : 0,
    };
    identity->occurrence = find_series(identity)->count++;
    return true;
}

static void put(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_extent(json_t *object, const char *name, const struct vgpu_dim3 *extent) {
    json_t *array = json_array();
    json_array_append_new(array, json_integer(extent->x));
    json_array_append_new(array, json_integer(extent->y));
    json_array_append_new(array, json_integer(extent->z));
    json_object_set_new(object, name, array);
}

static void note(const struct op_identity *identity, struct op *op) {
    json_t *object = json_object();
    if (!counts.ops)
        counts.ops = json_array();
    json_object_set_new(object, "kind", json_string(identity->kind));
    json_object_set_new(object, "name", json_string(identity->name));
    put(object, "occurrence", identity->occurrence);
    if (op->kind == OP_PREFETCH)
        put(object, "allocation", identity->allocation);
    if (op->kind == OP_KERNEL) {
        put_extent(object, "grid", &op->kernel.grid);
        put_extent(object, "block", &op->kernel.block);
        put(object, "shared", op->kernel.kernel->static_shared + op->kernel.dynamic_shared);
    }
    for (int i = 0; i < COUNT_FIELDS; i++)
        put(object, count_fields[i].name, *counts_field(&op->counts, &count_fields[i]));
    json_array_append_new(counts.ops, object);
}

/* What is known without running it. */
static void add_known(struct op *op) {
    const struct vgpu_dim3 *grid = &op->kernel.grid;
    if (op->kind == OP_KERNEL)
        op->counts.blocks = (uint64_t)grid->x * grid->y * grid->z;
    else if (op->kind == OP_COPY)
        op->counts.bytes = copy_size(&op->copy);
    else if (op->kind == OP_SET)
        op->counts.bytes = op->set.width * op->set.height;
    else if (op->kind == OP_PREFETCH)
        op->counts.bytes = op->prefetch.size;
}

void counts_settle(struct op *op) {
    struct op_identity identity;
    add_known(op);
    if ((!settings.counts && !extrapolation_is_on()) || !counts_identify(op, &identity))
        return;
    extrapolation_apply(&identity, &op->counts);
    if (settings.counts)
        note(&identity, op);
}

void counts_write(void) {
    if (!settings.counts)
        return;
    json_t *root = json_object();
    put(root, "version", COUNTS_VERSION);
    json_object_set_new(root, "ops", counts.ops ? counts.ops : json_array());
    settings_finish(settings.counts, "VGPU_COUNTS", root);
}
