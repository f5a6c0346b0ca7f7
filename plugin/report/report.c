#include "plugin/report/report.h"

#include "plugin/report/writer.h"

/*
 * The structure is printed entry by entry and only strings go through jansson: a tree of all entries takes
 * several times as long and all its memory at once.
 */
static void put_strings(struct kesco_writer *writer, const char *const *texts, size_t count) {
    kesco_put(writer, "[");
    for (size_t i = 0; i < count; i++) {
        kesco_put(writer, i ? ", " : "");
        kesco_put_json(writer, texts[i]);
    }
    kesco_put(writer, "]");
}

static void put_op(struct kesco_writer *writer, const struct kesco_report_op *op, size_t id) {
    kesco_put(writer, "{\"id\": %zu, \"kind\": ", id);
    kesco_put_json(writer, kesco_op_kind_name(op->kind));
    kesco_put(writer, ", \"name\": ");
    kesco_put_json(writer, op->name);
    kesco_put(writer, ", \"line\": %u", op->line);
    if (op->source) {
        kesco_put(writer, ", \"source\": ");
        kesco_put_json(writer, op->source);
    }
    kesco_put(writer, ", \"lane\": %u, \"order\": %u, \"reads\": ", op->lane, op->order);
    put_strings(writer, op->touched.reads, op->touched.read_count);
    kesco_put(writer, ", \"writes\": ");
    put_strings(writer, op->touched.writes, op->touched.write_count);
    kesco_put(writer, ", \"priority\": %d, \"zone\": %u, \"region\": %u}", op->priority, op->zone,
              op->region);
}

static void put_edge(struct kesco_writer *writer, const struct kesco_report_edge *edge) {
    kesco_put(writer, "{\"from\": %u, \"to\": %u, \"kind\": ", edge->from, edge->to);
    kesco_put_json(writer, kesco_edge_kind_name(edge->kind));
    kesco_put(writer, ", \"object\": ");
    kesco_put_json(writer, edge->object);
    kesco_put(writer, "}");
}

static void put_guard(struct kesco_writer *writer, const struct kesco_report_guard *guard) {
    kesco_put(writer, "{\"a\": ");
    kesco_put_json(writer, guard->a);
    kesco_put(writer, ", \"b\": ");
    kesco_put_json(writer, guard->b);
    kesco_put(writer, "}");
}

static void put_claim(struct kesco_writer *writer, const struct kesco_report_claim *claim) {
    kesco_put(writer, "{\"line\": %u, \"a\": ", claim->line);
    kesco_put_json(writer, claim->a);
    kesco_put(writer, ", \"b\": ");
    kesco_put_json(writer, claim->b);
    kesco_put(writer, "}");
}

static void put_barrier(struct kesco_writer *writer, const struct kesco_report_barrier *barrier) {
    kesco_put(writer, "{\"line\": %u, \"why\": ", barrier->line);
    kesco_put_json(writer, barrier->why);
    kesco_put(writer, "}");
}

static void put_call(struct kesco_writer *writer, const struct kesco_report_call *call) {
    kesco_put(writer, "{\"line\": %u, \"callee\": ", call->line);
    kesco_put_json(writer, call->callee);
    kesco_put(writer, "}");
}

/* Between the opening bracket and the first entry, and between entries: one entry a line. */
static void put_entry_start(struct kesco_writer *writer, size_t index) {
    kesco_put(writer, index ? ",\n    " : "\n    ");
}

/* A list of regions, which is left out where it is empty. */
static void put_regions(struct kesco_writer *writer, const char *key, const unsigned *regions, size_t count) {
    if (count)
        kesco_put(writer, "],\n   \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        kesco_put(writer, "%s%u", i ? ", " : "", regions[i]);
}

/* The lists that say nothing where they are empty, and are left out there, after another one. */
static void put_optional_lists(struct kesco_writer *writer, const struct kesco_report_function *function) {
    if (function->assumed.claim_count)
        kesco_put(writer, "],\n   \"claims\": [");
    for (size_t i = 0; i < function->assumed.claim_count; i++) {
        put_entry_start(writer, i);
        put_claim(writer, &function->assumed.claims[i]);
    }
    put_regions(writer, "placed", function->regions.placed, function->regions.placed_count);
    put_regions(writer, "joins", function->regions.joins, function->regions.join_count);
    if (function->lend_count)
        kesco_put(writer, "],\n   \"lends\": [");
    for (size_t i = 0; i < function->lend_count; i++) {
        put_entry_start(writer, i);
        put_call(writer, &function->lends[i]);
    }
}

void kesco_report_put_function(struct kesco_writer *writer, const struct kesco_report_function *function) {
    kesco_put(writer, "{\"name\": ");
    kesco_put_json(writer, function->name);
    kesco_put(writer, ", \"lanes\": %u, \"levels\": [", function->lanes);
    for (unsigned lane = 0; lane < function->lanes; lane++)
        kesco_put(writer, "%s%u", lane ? ", " : "", function->levels[lane]);
    kesco_put(writer, "],\n   \"ops\": [");
    for (size_t i = 0; i < function->op_count; i++) {
        put_entry_start(writer, i);
        put_op(writer, &function->ops[i], i);
    }
    kesco_put(writer, "],\n   \"edges\": [");
    for (size_t i = 0; i < function->plan.edge_count; i++) {
        put_entry_start(writer, i);
        put_edge(writer, &function->plan.edges[i]);
    }
    kesco_put(writer, "],\n   \"waits\": [");
    for (size_t i = 0; i < function->plan.wait_count; i++) {
        put_entry_start(writer, i);
        kesco_put(writer, "{\"op\": %u, \"on\": %u}", function->plan.waits[i].op, function->plan.waits[i].on);
    }
    kesco_put(writer, "],\n   \"records\": [");
    for (size_t i = 0; i < function->plan.record_count; i++)
        kesco_put(writer, "%s%u", i ? ", " : "", function->plan.records[i]);
    kesco_put(writer, "],\n   \"guards\": [");
    for (size_t i = 0; i < function->assumed.guard_count; i++) {
        put_entry_start(writer, i);
        put_guard(writer, &function->assumed.guards[i]);
    }
    kesco_put(writer, "],\n   \"barriers\": [");
    for (size_t i = 0; i < function->stops.barrier_count; i++) {
        put_entry_start(writer, i);
        put_barrier(writer, &function->stops.barriers[i]);
    }
    put_optional_lists(writer, function);
    kesco_put(writer, "]");
    if (function->stops.serial) {
        kesco_put(writer, ",\n   \"serial\": ");
        put_barrier(writer, function->stops.serial);
    }
    if (function->file) {
        kesco_put(writer, ",\n   \"file\": ");
        kesco_put_json(writer, function->file);
    }
    kesco_put(writer, "}");
}

int kesco_report_write(const struct kesco_report *report, FILE *out) {
    struct kesco_writer writer = {.out = out};
    kesco_put(&writer, "{\"version\": %d, \"source\": ", KESCO_REPORT_VERSION);
    kesco_put_json(&writer, report->source);
    kesco_put(&writer, ", \"functions\": [");
    for (size_t i = 0; i < report->function_count; i++) {
        kesco_put(&writer, i ? ",\n  " : "\n  ");
        kesco_report_put_function(&writer, &report->functions[i]);
    }
    kesco_put(&writer, "]");
    if (report->folder) {
        kesco_put(&writer, ", \"folder\": ");
        kesco_put_json(&writer, report->folder);
    }
    kesco_put(&writer, "}\n");
    return kesco_writer_finish(&writer);
}
