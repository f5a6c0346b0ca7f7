#include "plugin/report/report.h"

#include "plugin/report/utf8.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

/*
 * The structure is printed entry by entry and only strings go through jansson: a tree of all entries takes
 * several times as long and all its memory at once.
 */
struct writer {
    FILE *out;
    int err; /* the first error; nothing is written after it */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format, ...) {
    va_list arguments;
    if (writer->err)
        return;
    va_start(arguments, format);
    if (vfprintf(writer->out, format, arguments) < 0)
        writer->err = -EIO;
    va_end(arguments);
}

static void put_string(struct writer *writer, const char *text) {
    if (writer->err)
        return;
    json_t *string = json_string(text);
    if (!string) {
        char *repaired = kesco_utf8_repair(text);
        if (repaired)
            string = json_string(repaired);
        free(repaired);
    }
    if (!string)
        writer->err = -ENOMEM;
    else if (json_dumpf(string, writer->out, JSON_ENCODE_ANY))
        writer->err = ferror(writer->out) ? -EIO : -ENOMEM;
    json_decref(string);
}

static void put_strings(struct writer *writer, const char *const *texts, size_t count) {
    put(writer, "[");
    for (size_t i = 0; i < count; i++) {
        put(writer, i ? ", " : "");
        put_string(writer, texts[i]);
    }
    put(writer, "]");
}

static void put_op(struct writer *writer, const struct kesco_report_op *op, size_t id) {
    put(writer, "{\"id\": %zu, \"kind\": ", id);
    put_string(writer, op->kind);
    put(writer, ", \"name\": ");
    put_string(writer, op->name);
    put(writer, ", \"line\": %u, \"lane\": %u, \"order\": %u, \"reads\": ", op->line, op->lane, op->order);
    put_strings(writer, op->reads, op->read_count);
    put(writer, ", \"writes\": ");
    put_strings(writer, op->writes, op->write_count);
    put(writer, ", \"priority\": %d, \"zone\": %u, \"region\": %u}", op->priority, op->zone, op->region);
}

static void put_edge(struct writer *writer, const struct kesco_report_edge *edge) {
    put(writer, "{\"from\": %u, \"to\": %u, \"kind\": ", edge->from, edge->to);
    put_string(writer, edge->kind);
    put(writer, ", \"object\": ");
    put_string(writer, edge->object);
    put(writer, "}");
}

static void put_guard(struct writer *writer, const struct kesco_report_guard *guard) {
    put(writer, "{\"a\": ");
    put_string(writer, guard->a);
    put(writer, ", \"b\": ");
    put_string(writer, guard->b);
    put(writer, "}");
}

static void put_barrier(struct writer *writer, const struct kesco_report_barrier *barrier) {
    put(writer, "{\"line\": %u, \"why\": ", barrier->line);
    put_string(writer, barrier->why);
    put(writer, "}");
}

/* Between the opening bracket and the first entry, and between entries: one entry a line. */
static void put_entry_start(struct writer *writer, size_t index) {
    put(writer, index ? ",\n    " : "\n    ");
}

static void put_function(struct writer *writer, const struct kesco_report_function *function) {
    put(writer, "{\"name\": ");
    put_string(writer, function->name);
    put(writer, ", \"lanes\": %u, \"levels\": [", function->lanes);
    for (unsigned lane = 0; lane < function->lanes; lane++)
        put(writer, "%s%u", lane ? ", " : "", function->levels[lane]);
    put(writer, "],\n   \"ops\": [");
    for (size_t i = 0; i < function->op_count; i++) {
        put_entry_start(writer, i);
        put_op(writer, &function->ops[i], i);
    }
    put(writer, "],\n   \"edges\": [");
    for (size_t i = 0; i < function->edge_count; i++) {
        put_entry_start(writer, i);
        put_edge(writer, &function->edges[i]);
    }
    put(writer, "],\n   \"waits\": [");
    for (size_t i = 0; i < function->wait_count; i++) {
        put_entry_start(writer, i);
        put(writer, "{\"op\": %u, \"on\": %u}", function->waits[i].op, function->waits[i].on);
    }
    put(writer, "],\n   \"records\": [");
    for (size_t i = 0; i < function->record_count; i++)
        put(writer, "%s%u", i ? ", " : "", function->records[i]);
    put(writer, "],\n   \"guards\": [");
    for (size_t i = 0; i < function->guard_count; i++) {
        put_entry_start(writer, i);
        put_guard(writer, &function->guards[i]);
    }
    put(writer, "],\n   \"barriers\": [");
    for (size_t i = 0; i < function->barrier_count; i++) {
        put_entry_start(writer, i);
        put_barrier(writer, &function->barriers[i]);
    }
    put(writer, "]}");
}

int kesco_report_write(const struct kesco_report *report, FILE *out) {
    struct writer writer = {.out = out};
    put(&writer, "{\"version\": %d, \"source\": ", KESCO_REPORT_VERSION);
    put_string(&writer, report->source);
    put(&writer, ", \"functions\": [");
    for (size_t i = 0; i < report->function_count; i++) {
        put(&writer, i ? ",\n  " : "\n  ");
        put_function(&writer, &report->functions[i]);
    }
    put(&writer, "]}\n");
    if (!writer.err && fflush(out) == EOF)
        writer.err = -EIO;
    return writer.err;
}
