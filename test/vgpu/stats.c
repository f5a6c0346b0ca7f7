#include "test/vgpu/stats.h"

#include "test/vgpu/settings.h"

#include <jansson.h>
#include <stdlib.h>

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

void stats_write(void) {
    if (!settings.stats)
        return;
    json_t *root =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "launches",
                  (json_int_t)stats.launches, "copies", (json_int_t)stats.copies, "streams",
                  (json_int_t)stats.streams, "event_records", (json_int_t)stats.event_records, "event_waits",
                  (json_int_t)stats.event_waits, "syncs", (json_int_t)stats.syncs, "races",
                  (json_int_t)stats.races, "summaries_checked", (json_int_t)stats.summaries_checked,
                  "summary_violations", (json_int_t)stats.summary_violations, "calls", calls_to_json());
    const bool dumped = root && json_dumpf(root, settings.stats, JSON_INDENT(2)) == 0;
    const bool closed = fputc('\n', settings.stats) != EOF && fclose(settings.stats) == 0;
    json_decref(root);
    if (!dumped || !closed)
        die(EXIT_FAILURE, "VGPU_STATS: the file cannot be written");
}
