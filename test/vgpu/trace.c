#include "test/vgpu/trace.h"

#include "test/vgpu/settings.h"
#include "test/vgpu/storage.h"

#include <jansson.h>
#include <stdio.h>

/* Behind the ids of streams: rows of graph nodes, by component. */
enum { GRAPH_ROWS = 1 << 24 };

/* Something that has a name in the trace. */
struct row {
    int device;
    unsigned long long id;
};

/* Guarded by the engine's lock. */
static struct {
    json_t *events; /* NULL: none yet */
    struct row *rows;
    size_t row_count, row_capacity;
} trace;

static void append(json_t *event) {
    if (!trace.events)
        trace.events = json_array();
    json_array_append_new(trace.events, event);
}

static void name_row(const char *what, const struct row *row, const char *name) {
    append(json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "name", what, "ph", "M", "pid", row->device, "tid",
                     (json_int_t)row->id, "args", "name", name));
}

/* Names the row, and its device with its first row. */
static void add_row(const struct row *row) {
    char name[64];
    bool is_first = true;
    for (size_t i = 0; i < trace.row_count; i++) {
        is_first &= trace.rows[i].device != row->device;
        if (trace.rows[i].device == row->device && trace.rows[i].id == row->id)
            return;
    }
    trace.rows = with_room(trace.rows, trace.row_count, &trace.row_capacity, sizeof(*trace.rows));
    trace.rows[trace.row_count++] = *row;
    snprintf(name, sizeof(name), "device %d", row->device);
    if (is_first)
        name_row("process_name", row, name);
    if (row->id > GRAPH_ROWS)
        snprintf(name, sizeof(name), "graph row %llu", row->id - GRAPH_ROWS);
    else
        snprintf(name, sizeof(name), row->id <= DEVICE_LIMIT ? "default stream" : "stream %llu", row->id);
    name_row("thread_name", row, name);
}

static json_int_t bytes_of(const struct op *op) {
    const struct op_counts *counts = &op->counts;
    return (json_int_t)(op->kind == OP_KERNEL ? counts->traffic.read + counts->traffic.written
                                              : counts->bytes);
}

void trace_op(const struct op *op, double began_us, double ended_us) {
    char name[SITE_TEXT];
    const struct row row = {op->queue.device,
                            op->queue.stream ? op->queue.stream : GRAPH_ROWS + op->past.component};
    if (!settings.trace || !(ended_us > began_us))
        return;
    add_row(&row);
    op_describe(op, name);
    append(json_pack("{s:s, s:s, s:f, s:f, s:i, s:I, s:{s:I, s:I}}", "name", name, "ph", "X", "ts", began_us,
                     "dur", ended_us - began_us, "pid", row.device, "tid", (json_int_t)row.id, "args", "op",
                     (json_int_t)op->order.number, "bytes", bytes_of(op)));
}

void trace_write(void) {
    if (settings.trace)
        settings_finish(settings.trace, "VGPU_TRACE",
                        json_pack("{s:o}", "traceEvents", trace.events ? trace.events : json_array()));
}
