#include "runtime/watch/trace_file.h"

#include "runtime/watch/json.h"
#include "runtime/watch/output.h"

#include <inttypes.h>

/* The format's times have three places; nothing is shorter than that, so that arrows have something to begin
 * at. */
#define LEAST 0.001

enum { ROWS_OF_THREAD = 1000 }; /* more than lanes, for the order of rows */

static const char *separator; /* before the next event */

struct counts {
    uint64_t left_out;
    uint64_t captured;
};

static void print_number_member(FILE *file, const char *key, uint64_t value) {
    fprintf(file, ", \"%s\": %" PRIu64, key, value);
}

static void print_text_member(FILE *file, const char *key, const char *value) {
    fprintf(file, ", \"%s\": ", key);
    kesco_json_print_text(file, value);
}

static void print_time_member(FILE *file, const char *key, double microseconds) {
    fprintf(file, ", \"%s\": ", key);
    kesco_json_print_number(file, microseconds);
}

/* Ids of processes are from 1, too: 0 is the idle process to Perfetto. */
static void print_place(FILE *file, const struct kesco_trace_row *row) {
    fprintf(file, ", \"pid\": %d, \"tid\": %" PRIu64, row->device + 1, row->id);
}

static void begin_event(FILE *file, const char *phase) {
    fprintf(file, "%s\n{\"ph\": \"%s\"", separator, phase);
    separator = ",";
}

static void print_metadata(FILE *file, const char *name, const struct kesco_trace_row *row) {
    begin_event(file, "M");
    fprintf(file, ", \"name\": \"%s\"", name);
    print_place(file, row);
    fputs(", \"args\": {", file);
}

static bool is_default_stream(const struct kesco_trace_row *row) {
    return row->lane == KESCO_TRACE_ORIGIN && row->stream == cudaStreamLegacy;
}

static void print_row_name(FILE *file, const struct kesco_trace *trace, const struct kesco_trace_row *row) {
    fputs("\"name\": \"kesco ", file);
    if (row->lane == KESCO_TRACE_HOST)
        fputs("regions", file);
    else if (row->lane == KESCO_TRACE_OTHERS)
        fprintf(file, "does not manage: stream %" PRIu32, row->number);
    else if (is_default_stream(row))
        fputs("default stream", file);
    else if (row->lane == KESCO_TRACE_ORIGIN)
        fputs("lane 0 (origin)", file);
    else
        fprintf(file, "lane %" PRIu32, row->lane);
    if (row->twins > 0)
        fprintf(file, " #%" PRIu32, row->twins + 1);
    if (trace->thread > 1 && row->lane != KESCO_TRACE_OTHERS)
        fprintf(file, ", thread %" PRIu32, trace->thread);
    fputs("\"}}", file);
}

static uint32_t place_in_thread(const struct kesco_trace_row *row) {
    return row->lane == KESCO_TRACE_HOST     ? 0
           : row->lane == KESCO_TRACE_ORIGIN ? 1
           : row->lane == KESCO_TRACE_OTHERS ? row->number % ROWS_OF_THREAD
                                             : row->lane + 2;
}

static void print_row(FILE *file, const struct kesco_trace *trace, const struct kesco_trace_row *row) {
    print_metadata(file, "thread_name", row);
    print_row_name(file, trace, row);
    print_metadata(file, "thread_sort_index", row);
    fprintf(file, "\"sort_index\": %" PRIu32 "}}", trace->thread * ROWS_OF_THREAD + place_in_thread(row));
}

static bool is_first_of_device(const struct kesco_trace *traces, const struct kesco_trace_row *row) {
    const struct kesco_trace_row *other;

    for (; traces != NULL; traces = traces->next)
        for (other = traces->rows; other != NULL; other = other->next)
            if (other->device == row->device)
                return other == row;
    return false;
}

static void print_device(FILE *file, const struct kesco_trace_row *row) {
    print_metadata(file, "process_name", row);
    fprintf(file, "\"name\": \"device %d\"}}", row->device);
}

static void print_source(FILE *file, const struct kesco_site *site) {
    char line[16];

    if (site->file[0] == '\0')
        return;
    fputs(", \"source\": ", file);
    snprintf(line, sizeof line, ":%" PRIu32, site->line);
    kesco_json_print_texts(file, site->file, line);
}

static void print_arguments(FILE *file, const struct kesco_slice *slice) {
    if (slice->row->lane == KESCO_TRACE_OTHERS) {
        fprintf(file, ", \"args\": {\"op\": %" PRIu64 "}}", slice->id);
        return;
    }
    fprintf(file, ", \"args\": {\"%s\": %" PRIu64, slice->region == NULL ? "region" : "op", slice->id);
    print_text_member(file, "kind", slice->site->kind);
    print_text_member(file, "function", slice->site->function);
    print_source(file, slice->site);
    if (slice->site->call_line != slice->site->line)
        print_number_member(file, "call_line", slice->site->call_line);
    if (slice->region != NULL) {
        if (!is_default_stream(slice->row))
            print_number_member(file, "lane", slice->row->lane == KESCO_TRACE_ORIGIN ? 0 : slice->row->lane);
        print_number_member(file, "region", slice->region->id);
    } else {
        print_number_member(file, "lanes", slice->about.lanes);
        if (slice->about.serial != NULL)
            print_text_member(file, "serial", slice->about.serial);
        if (slice->about.captured)
            print_text_member(file, "note", "captured: its ops are not timed");
    }
    fputs("}}", file);
}

/* True for what could not run beside anything: in a serial region, or in none. */
static bool is_serial(const struct kesco_slice *slice) {
    const struct kesco_slice *region = slice->region != NULL ? slice->region : slice;

    return slice->row->lane == KESCO_TRACE_OTHERS || region->about.lanes == 1 || region->about.serial != NULL;
}

/* As it is printed. */
static double round_time(double microseconds) {
    return (double)(uint64_t)(microseconds * 1000 + 0.5) / 1000;
}

/* A row's slices come in order, and one after another: the clock may round. */
static void straighten(struct kesco_slice *slice) {
    slice->begin.time = round_time(slice->begin.time);
    slice->end.time = round_time(slice->end.time);
    if (slice->begin.time < slice->row->end)
        slice->begin.time = slice->row->end;
    if (slice->end.time < slice->begin.time + LEAST)
        slice->end.time = slice->begin.time + LEAST;
    slice->row->end = slice->end.time;
}

static void print_slice(FILE *file, struct kesco_slice *slice) {
    straighten(slice);
    begin_event(file, "X");
    print_text_member(file, "name", slice->site->name);
    print_text_member(file, "cat", slice->site->kind);
    print_place(file, slice->row);
    print_time_member(file, "ts", slice->begin.time);
    print_time_member(file, "dur", slice->end.time - slice->begin.time);
    if (is_serial(slice))
        print_text_member(file, "cname", "grey");
    print_arguments(file, slice);
    slice->printed = true;
}

static void print_slices(FILE *file, struct kesco_trace *trace, struct counts *counts) {
    struct kesco_slice *slice;

    counts->left_out += trace->refused;
    for (slice = trace->slices.first; slice != NULL; slice = slice->next) {
        counts->captured += slice->about.captured;
        if (slice->timed)
            print_slice(file, slice);
        else
            counts->left_out += slice->region != NULL;
    }
}

static void print_arrow_end(FILE *file, const char *phase, uint64_t id, const struct kesco_slice *slice,
                            double time) {
    begin_event(file, phase);
    fprintf(file, ", \"name\": \"wait\", \"cat\": \"wait\", \"id\": %" PRIu64, id);
    if (phase[0] == 'f')
        fputs(", \"bp\": \"e\"", file);
    print_place(file, slice->row);
    print_time_member(file, "ts", time);
    putc('}', file);
}

/* An arrow begins within its slice: at the very end, the slice is over. */
static void print_arrows(FILE *file, const struct kesco_trace *trace, uint64_t *id) {
    size_t i;

    for (i = 0; i < trace->waits.found; i++) {
        const struct kesco_trace_wait *wait = &trace->waits.items[i];

        if (wait->to == NULL || !wait->from->printed || !wait->to->printed)
            continue;
        ++*id;
        print_arrow_end(file, "s", *id, wait->from, wait->from->end.time - LEAST);
        print_arrow_end(file, "f", *id, wait->to, wait->to->begin.time);
    }
}

bool kesco_trace_file_print(FILE *file, struct kesco_trace *traces, const char *times, bool has_others) {
    const struct kesco_trace_row *row;
    struct counts counts = {0, 0};
    struct kesco_trace *trace;
    uint64_t arrows = 0;

    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", file);
    separator = "";
    for (trace = traces; trace != NULL; trace = trace->next)
        for (row = trace->rows; row != NULL; row = row->next) {
            if (is_first_of_device(traces, row))
                print_device(file, row);
            print_row(file, trace, row);
        }
    for (trace = traces; trace != NULL; trace = trace->next)
        print_slices(file, trace, &counts);
    for (trace = traces; trace != NULL; trace = trace->next)
        print_arrows(file, trace, &arrows);
    fputs("],\n\"otherData\": {\"times\": ", file);
    kesco_json_print_text(file, times);
    print_number_member(file, "ops_left_out", counts.left_out);
    print_number_member(file, "captured_regions", counts.captured);
    fprintf(file, "}, \"metadata\": {\"outside_of_regions\": \"%s\"}}\n",
            has_others ? "grey" : "not traced, as there is no CUPTI");
    return kesco_output_is_written(file);
}
