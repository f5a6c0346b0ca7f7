#include "test/runtime/trace_rules.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of numbers with three places, in microseconds. */
#define ROUNDING 0.0001

static const json_t *all_of(const json_t *trace) {
    return json_object_get(trace, "traceEvents");
}

static const char *text_of(const json_t *event, const char *key) {
    const char *text = json_string_value(json_object_get(event, key));

    return text == NULL ? "" : text;
}

static json_int_t integer_of(const json_t *event, const char *key) {
    return json_integer_value(json_object_get(event, key));
}

static double time_of(const json_t *event, const char *key) {
    return json_number_value(json_object_get(event, key));
}

static double end_of(const json_t *slice) {
    return time_of(slice, "ts") + time_of(slice, "dur");
}

static bool is(const json_t *event, const char *phase) {
    return strcmp(text_of(event, "ph"), phase) == 0;
}

static bool is_id(const json_t *event, const char *key) {
    return json_is_integer(json_object_get(event, key)) && integer_of(event, key) > 0;
}

static bool is_time(const json_t *event, const char *key) {
    return json_is_number(json_object_get(event, key)) && isfinite(time_of(event, key)) &&
           time_of(event, key) >= 0;
}

static bool share_row(const json_t *a, const json_t *b) {
    return integer_of(a, "pid") == integer_of(b, "pid") && integer_of(a, "tid") == integer_of(b, "tid");
}

static const json_t *find_metadata(const json_t *trace, const json_t *of, const char *name) {
    const json_t *event;
    size_t i;

    json_array_foreach(all_of(trace), i, event) {
        if (is(event, "M") && strcmp(text_of(event, "name"), name) == 0 &&
            integer_of(event, "pid") == integer_of(of, "pid") &&
            (strncmp(name, "process", 7) == 0 || integer_of(event, "tid") == integer_of(of, "tid")))
            return event;
    }
    return NULL;
}

static bool has_metadata(const json_t *trace, const json_t *event) {
    return find_metadata(trace, event, "process_name") != NULL &&
           find_metadata(trace, event, "thread_name") != NULL &&
           find_metadata(trace, event, "thread_sort_index") != NULL;
}

/* NULL: all is well, here and below. */
static const char *check_metadata(const json_t *trace, const json_t *event) {
    const char *name = text_of(event, "name");
    const json_t *args = json_object_get(event, "args");
    const bool sorts = strcmp(name, "thread_sort_index") == 0;

    if (!sorts && strcmp(name, "process_name") != 0 && strcmp(name, "thread_name") != 0)
        return "metadata of an unknown name";
    if (sorts ? !json_is_integer(json_object_get(args, "sort_index")) : text_of(args, "name")[0] == '\0')
        return "metadata without its argument";
    return find_metadata(trace, event, name) == event ? NULL : "metadata given twice";
}

static const char *check_slice(const json_t *trace, const json_t *event) {
    if (!is_time(event, "dur"))
        return "a complete event without a duration";
    return has_metadata(trace, event) ? NULL : "a row without a name and a place";
}

/* A complete event, where many are compared. */
struct slice {
    json_int_t pid, tid;
    double begin, end;
};

static int compare_slices(const void *a, const void *b) {
    const struct slice *first = a, *second = b;

    if (first->tid != second->tid)
        return first->tid < second->tid ? -1 : 1;
    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return (first->end < second->end) - (first->end > second->end);
}

/* Sorted by row and beginning: an event lies within those that are not over when it begins. KeSCo nests none,
 * so that the one before tells. */
static const char *check_sorted(const struct slice *slices, size_t count) {
    size_t i;

    for (i = 1; i < count; i++) {
        if (slices[i].tid != slices[i - 1].tid)
            continue;
        if (slices[i].pid != slices[i - 1].pid)
            return "a thread of two processes";
        if (slices[i].begin < slices[i - 1].end - ROUNDING)
            return "complete events of a row that overlap";
    }
    return NULL;
}

static const char *check_rows(const json_t *trace) {
    struct slice *slices = calloc(json_array_size(all_of(trace)) + 1, sizeof *slices);
    const char *broken;
    const json_t *event;
    size_t count = 0, i;

    if (slices == NULL)
        return "no memory";
    json_array_foreach(all_of(trace), i, event) {
        if (is(event, "X"))
            slices[count++] = (struct slice){integer_of(event, "pid"), integer_of(event, "tid"),
                                             time_of(event, "ts"), end_of(event)};
    }
    qsort(slices, count, sizeof *slices, compare_slices);
    broken = check_sorted(slices, count);
    free(slices);
    return broken;
}

/* The slice that an end of an arrow binds to: one that has begun and is not over. */
static const json_t *find_slice(const json_t *trace, const json_t *end) {
    const json_t *slice;
    size_t i;

    json_array_foreach(all_of(trace), i, slice) {
        if (is(slice, "X") && share_row(slice, end) &&
            time_of(slice, "ts") <= time_of(end, "ts") + ROUNDING &&
            time_of(end, "ts") < end_of(slice) - ROUNDING)
            return slice;
    }
    return NULL;
}

static const json_t *find_other_end(const json_t *trace, const json_t *end, size_t *count) {
    const json_t *event, *found = NULL;
    size_t i;

    *count = 0;
    json_array_foreach(all_of(trace), i, event) {
        if (event != end && (is(event, "s") || is(event, "f")) &&
            integer_of(event, "id") == integer_of(end, "id") &&
            strcmp(text_of(event, "cat"), text_of(end, "cat")) == 0 &&
            strcmp(text_of(event, "name"), text_of(end, "name")) == 0) {
            found = event;
            ++*count;
        }
    }
    return found;
}

static const char *check_arrow(const json_t *trace, const json_t *event) {
    const json_t *other;
    size_t count;

    if (!is_id(event, "id") || text_of(event, "cat")[0] == '\0')
        return "a flow event without an id or a category";
    if (is(event, "f") && strcmp(text_of(event, "bp"), "e") != 0)
        return "the end of a flow that binds to the next slice";
    if (find_slice(trace, event) == NULL)
        return "an end of an arrow outside of any slice";
    other = find_other_end(trace, event, &count);
    if (count != 1 || is(event, "s") == is(other, "s"))
        return "a flow without exactly two ends";
    return is(event, "s") && time_of(other, "ts") + ROUNDING < time_of(event, "ts") ? "an arrow back in time"
                                                                                    : NULL;
}

static const char *check_event(const json_t *trace, const json_t *event) {
    if (text_of(event, "name")[0] == '\0')
        return "an event without a name";
    if (!is_id(event, "pid") || !is_id(event, "tid"))
        return "an event without a process and a thread";
    if (is(event, "M"))
        return check_metadata(trace, event);
    if (!is_time(event, "ts"))
        return "an event without a time";
    if (is(event, "X"))
        return check_slice(trace, event);
    if (is(event, "s") || is(event, "f"))
        return check_arrow(trace, event);
    return "an event of an unknown phase";
}

static const char *check(const json_t *trace) {
    const char *broken = NULL, *unit = text_of(trace, "displayTimeUnit");
    const json_t *event;
    size_t i;

    if (!json_is_array(all_of(trace)))
        return "no traceEvents";
    if (strcmp(unit, "ns") != 0 && strcmp(unit, "ms") != 0)
        return "a displayTimeUnit other than ns and ms";
    json_array_foreach(all_of(trace), i, event) {
        if (broken == NULL)
            broken = check_event(trace, event);
    }
    return broken != NULL ? broken : check_rows(trace);
}

json_t *trace_rules_load(const char *path) {
    json_error_t error;
    json_t *trace = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const char *broken = trace == NULL ? error.text : check(trace);

    if (broken == NULL)
        return trace;
    fprintf(stderr, "%s: %s\n", path, broken);
    json_decref(trace);
    return NULL;
}

const json_t *trace_rules_find(const json_t *trace, const char *name) {
    const json_t *event;
    size_t i;

    json_array_foreach(all_of(trace), i, event) {
        if (is(event, "X") && strcmp(text_of(event, "name"), name) == 0)
            return event;
    }
    return NULL;
}

const char *trace_rules_row(const json_t *trace, const json_t *event) {
    return text_of(json_object_get(find_metadata(trace, event, "thread_name"), "args"), "name");
}

/* Rows of regions go along with all others. */
static bool overlap(const json_t *trace, const json_t *row, const json_t *other) {
    const json_t *a, *b;
    size_t i, j;

    json_array_foreach(all_of(trace), i, a) {
        if (!is(a, "X") || !share_row(a, row))
            continue;
        json_array_foreach(all_of(trace), j, b) {
            if (is(b, "X") && share_row(b, other) && time_of(a, "ts") < end_of(b) &&
                time_of(b, "ts") < end_of(a))
                return true;
        }
    }
    return false;
}

static bool is_row(const json_t *event) {
    return is(event, "M") && strcmp(text_of(event, "name"), "thread_name") == 0;
}

static void print_row(FILE *file, const json_t *trace, const json_t *row) {
    const json_t *event;
    size_t i;

    fprintf(file, "row %s:", trace_rules_row(trace, row));
    json_array_foreach(all_of(trace), i, event) {
        if (is(event, "X") && share_row(event, row))
            fprintf(file, " %s", text_of(event, "name"));
    }
    putc('\n', file);
}

static void print_overlaps(FILE *file, const json_t *trace, const json_t *row, size_t i) {
    const json_t *other;

    for (i++; (other = json_array_get(all_of(trace), i)) != NULL; i++)
        if (is_row(other) && overlap(trace, row, other))
            fprintf(file, "at once: %s, %s\n", trace_rules_row(trace, row), trace_rules_row(trace, other));
}

static void print_arrow(FILE *file, const json_t *trace, const json_t *begin) {
    size_t count;
    const json_t *end = find_other_end(trace, begin, &count);

    fprintf(file, "arrow %s -> %s\n", text_of(find_slice(trace, begin), "name"),
            text_of(find_slice(trace, end), "name"));
}

void trace_rules_print(FILE *file, const json_t *trace) {
    const json_t *event;
    size_t i;

    json_array_foreach(all_of(trace), i, event) {
        if (is_row(event))
            print_row(file, trace, event);
    }
    json_array_foreach(all_of(trace), i, event) {
        if (is_row(event) && strstr(trace_rules_row(trace, event), "regions") == NULL)
            print_overlaps(file, trace, event, i);
    }
    json_array_foreach(all_of(trace), i, event) {
        if (is(event, "s"))
            print_arrow(file, trace, event);
    }
    json_dumpf(json_object_get(trace, "otherData"), file, JSON_SORT_KEYS);
    putc('\n', file);
}
