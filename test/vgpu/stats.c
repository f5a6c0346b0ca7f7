#include "test/vgpu/stats.h"

#include "test/vgpu/settings.h"

#include <jansson.h>

struct stats stats;

void stats_count_op(const struct op *op) {
    stats.issued.launches += op->kind == OP_KERNEL;
    stats.issued.copies += op->kind == OP_COPY;
    stats.issued.event_records += op->kind == OP_RECORD;
    stats.issued.event_waits += op->kind == OP_WAIT;
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
    put(root, "launches", stats.issued.launches);
    put(root, "graph_launches", stats.issued.graph_launches);
    put(root, "graph_kernels", stats.issued.graph_kernels);
    put(root, "copies", stats.issued.copies);
    put(root, "streams", stats.issued.streams);
    put(root, "event_records", stats.issued.event_records);
    put(root, "event_waits", stats.issued.event_waits);
    put(root, "syncs", stats.issued.syncs);
    put(root, "races", stats.order.races);
    put(root, "ordered_chain", stats.order.ordered_chain);
    put(root, "data_chain", stats.order.data_chain);
    json_object_set_new(root, "virtual_time_us", json_real(stats.times.virtual_time_us));
    json_object_set_new(root, "timed_us", json_real(stats.times.timed_us));
    json_object_set_new(root, "timed_bound_us", json_real(stats.times.timed_bound_us));
    put(root, "bytes_to_device", stats.moved.bytes_to_device);
    put(root, "bytes_to_host", stats.moved.bytes_to_host);
    put(root, "page_faults", stats.moved.page_faults);
    put(root, "migrated_bytes", stats.moved.migrated_bytes);
    put(root, "evicted_bytes", stats.moved.evicted_bytes);
    put(root, "summaries_checked", stats.held.summaries_checked);
    put(root, "summary_violations", stats.held.summary_violations);
    put(root, "ranges_exact", stats.held.ranges_exact);
    put(root, "ranges_wider", stats.held.ranges_wider);
    put(root, "ranges_whole", stats.held.ranges_whole);
    json_object_set_new(root, "calls", calls_to_json());
    return root;
}

void stats_write(void) {
    if (!settings.stats)
        return;
    settings_finish(settings.stats, "VGPU_STATS", to_json());
}
