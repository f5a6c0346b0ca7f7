#include "test/vgpu/stats.h"

#include "test/vgpu/settings.h"

#include <jansson.h>

struct stats stats;

void stats_count_op(const struct op *op) {
    stats.launches += op->kind == OP_KERNEL;
    stats.copies += op->kind == OP_COPY;
    stats.event_records += op->kind == OP_RECORD;
    stats.event_waits += op->kind == OP_WAIT;
}

static json_t *calls_to_json(void) {
    json_t *calls = json_object();
    for (int id = 0; id < API_COUNT; id++) {
        if (stats.calls[id])
            json_object_set_new(calls, api_table[id].name, json_integer((json_int_t)stats.calls[id]));
    }
    return calls;
}

static void put(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *to_json(void) {
    json_t *root = json_object();
    put(root, "launches", stats.launches);
    put(root, "graph_launches", stats.graph_launches);
    put(root, "graph_kernels", stats.graph_kernels);
    put(root, "copies", stats.copies);
    put(root, "streams", stats.streams);
    put(root, "event_records", stats.event_records);
    put(root, "event_waits", stats.event_waits);
    put(root, "syncs", stats.syncs);
    put(root, "races", stats.races);
    put(root, "ordered_chain", stats.ordered_chain);
    put(root, "data_chain", stats.data_chain);
    json_object_set_new(root, "virtual_time_us", json_real(stats.virtual_time_us));
    json_object_set_new(root, "timed_us", json_real(stats.timed_us));
    json_object_set_new(root, "timed_bound_us", json_real(stats.timed_bound_us));
    put(root, "bytes_to_device", stats.bytes_to_device);
    put(root, "bytes_to_host", stats.bytes_to_host);
    put(root, "page_faults", stats.page_faults);
    put(root, "migrated_bytes", stats.migrated_bytes);
    put(root, "summaries_checked", stats.summaries_checked);
    put(root, "summary_violations", stats.summary_violations);
    put(root, "ranges_exact", stats.ranges_exact);
    put(root, "ranges_wider", stats.ranges_wider);
    put(root, "ranges_whole", stats.ranges_whole);
    json_object_set_new(root, "calls", calls_to_json());
    return root;
}

void stats_write(void) {
    if (!settings.stats)
        return;
    settings_finish(settings.stats, "VGPU_STATS", to_json());
}
