#include "test/vgpu/event.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/order.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

enum { US_PER_OP = 10 }; /* where virtual time is not kept, whatever the op does */

struct event {
    int device;
    unsigned flags;    /* cudaEvent flags */
    struct op *record; /* its latest record, done or not; NULL: never recorded, or recorded in a capture */
    unsigned long long capture;      /* id of the capture that its latest record is in; 0: in none */
    struct graph_node_list captured; /* nodes of that capture that the record comes after */
    cudaEvent_t handle;
    struct event *next; /* in the list of all events */
};

static struct handle_table handles = {.name = "event", .kind = 0x45};
static struct event *events;

cudaError_t event_create(cudaEvent_t *handle, unsigned flags) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || flags & ~known)
        return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
        vgpu_unmodelled("cudaEventInterprocess", "events of one process only");
    struct event *event = allocate(1, sizeof(*event));
    event->device = thread_state.device;
    event->flags = flags;
    event->handle = handle_new(&handles, event);
    event->next = events;
    events = event;
    *handle = event->handle;
    return cudaSuccess;
}

static void forget_record(struct event *event) {
    op_release(event->record);
    event->record = NULL;
    event->capture = 0;
    graph_node_list_free(&event->captured);
}

static void unlink_event(struct event **link) {
    struct event *event = *link;
    *link = event->next;
    handle_free(&handles, event->handle);
    forget_record(event);
    free(event);
}

cudaError_t event_destroy(cudaEvent_t handle) {
    const struct event *event = handle_get(&handles, handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    struct event **link = &events;
    while (*link != event)
        link = &(*link)->next;
    unlink_event(link);
    return cudaSuccess;
}

void event_reset(int device) {
    for (struct event **link = &events; *link;) {
        if ((*link)->device == device)
            unlink_event(link);
        else
            link = &(*link)->next;
    }
}

/* cudaEventRecordExternal and cudaEventWaitExternal are for capturing streams only. */
static cudaError_t check_flags(const struct stream *stream, unsigned flags, unsigned external) {
    if (flags & ~external)
        return cudaErrorInvalidValue;
    if (!flags)
        return cudaSuccess;
    if (!stream->part.by)
        return cudaErrorIllegalState;
    vgpu_unmodelled(thread_state.api, "external events in a graph");
}

/* In a capture, the event stands for the nodes before it; it is no node itself. */
static void record_captured(struct event *event, const struct stream *stream) {
    event->capture = stream->part.by->id;
    graph_node_list_join(&event->captured, &stream->part.nodes);
    stats.issued.event_records++;
}

cudaError_t event_record(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    struct event *event = handle_get(&handles, handle);
    struct stream *on;
    if (!event)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = stream_open(stream, &on);
    if (!error)
        error = check_flags(on, flags, cudaEventRecordExternal);
    if (!error && on->device != event->device)
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return error;
    forget_record(event);
    if (on->part.by) {
        record_captured(event, on);
        return cudaSuccess;
    }
    event->record = op_new(OP_RECORD);
    stream_issue(on, op_retain(event->record));
    return cudaSuccess;
}

cudaError_t event_wait(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    const struct event *event = handle_get(&handles, handle);
    struct stream *on;
    if (!event)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = stream_open(stream, &on);
    if (!error)
        error = check_flags(on, flags, cudaEventWaitExternal);
    if (error)
        return error;
    if (on->part.by && !event->record && !event->capture)
        return cudaSuccess; /* nothing to wait for, as driver 580 has it on an H100 */
    if (on->part.by || event->capture) {
        error = capture_wait(on, event->capture, &event->captured);
        stats.issued.event_waits += error == cudaSuccess;
        return error;
    }
    struct op *op = op_new(OP_WAIT);
    op_after(op, event->record);
    if (timeline_is_kept() && event->record && event->record->past.component != on->component)
        op->times.awaited = op_retain(event->record);
    stream_issue(on, op);
    return cudaSuccess;
}

/* Adds to `list` what the host is to ask or wait for, and stores on which device that is. */
static cudaError_t find_record(cudaEvent_t handle, struct op_list *list, int *device) {
    const struct event *event = handle_get(&handles, handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    if (event->capture)
        return capture_refuse_event(event->capture);
    if (capture_check_unsafe())
        return cudaErrorStreamCaptureUnsupported;
    *device = event->device;
    op_list_add(list, event->record);
    return cudaSuccess;
}

cudaError_t event_query(cudaEvent_t handle) {
    struct op_list list = {0};
    int device = 0;
    const cudaError_t error = find_record(handle, &list, &device);
    if (error)
        return error;
    const bool done = order_poll(&list);
    op_list_free(&list);
    return done ? engine.gpus[device].fault : cudaErrorNotReady;
}

cudaError_t event_synchronize(cudaEvent_t handle) {
    struct op_list list = {0};
    int device = 0;
    const cudaError_t error = find_record(handle, &list, &device);
    if (error)
        return error;
    order_wait(&list);
    op_list_free(&list);
    stats.issued.syncs++;
    return engine.gpus[device].fault;
}

static double microseconds_between(struct op *from, struct op *to) {
    if (timeline_is_kept())
        return timeline_between(from, to);
    return US_PER_OP * (double)(int64_t)(to->order.finished - from->order.finished);
}

cudaError_t event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (settings.null_mode) {
        *milliseconds = 0;
        return cudaSuccess;
    }
    const struct event *from = handle_get(&handles, start), *to = handle_get(&handles, end);
    if (from && to && (from->capture || to->capture))
        return cudaErrorInvalidValue;
    if (!from || !to || !from->record || !to->record || from->device != to->device ||
        (from->flags | to->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (from->record->state != OP_DONE || to->record->state != OP_DONE)
        return cudaErrorNotReady;
    *milliseconds = (float)(microseconds_between(from->record, to->record) / 1000);
    return cudaSuccess;
}
