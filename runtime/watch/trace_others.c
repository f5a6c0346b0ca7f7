#include "runtime/watch/trace_others.h"

#include "runtime/watch/activity.h"

#include <stdlib.h>

/* The row of the last one, or a new one. NULL: there is no memory. */
static struct kesco_trace_row *row_of(struct kesco_trace *trace, const struct kesco_activity_other *other,
                                      uint64_t *row_id) {
    struct kesco_trace_row *row = trace->rows;

    if (row != NULL && row->device == (int)other->device && row->number == other->stream)
        return row;
    row = calloc(1, sizeof *row);
    if (row == NULL)
        return NULL;
    row->id = (*row_id)++;
    row->device = (int)other->device;
    row->lane = KESCO_TRACE_OTHERS;
    row->number = other->stream;
    row->next = trace->rows;
    trace->rows = row;
    return row;
}

static struct kesco_slice *new_slice(const struct kesco_activity_other *other, struct kesco_trace_row *row) {
    struct kesco_slice *slice = row == NULL ? NULL : calloc(1, sizeof *slice);

    if (slice == NULL)
        return NULL;
    slice->row = row;
    slice->site = other->site;
    slice->begin.time = other->begin;
    slice->end.time = other->end;
    slice->timed = true;
    return slice;
}

void kesco_trace_add_others(struct kesco_trace *trace, uint64_t row_id, uint64_t slice_id) {
    size_t count, i;
    struct kesco_activity_other *others = kesco_activity_others(&count);
    struct kesco_slice **end = &trace->slices.first;

    for (i = 0; i < count; i++) {
        *end = new_slice(&others[i], row_of(trace, &others[i], &row_id));
        if (*end == NULL) {
            trace->refused++;
            continue;
        }
        (*end)->id = slice_id++;
        trace->slices.last = *end;
        end = &(*end)->next;
    }
    free(others);
}
