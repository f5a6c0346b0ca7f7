#include "test/vgpu/event.h"

#include "test/vgpu/handle.h"
#include "test/vgpu/order.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>

enum { OPS_PER_MILLISECOND = 100 }; /* an op counts as 10 microseconds of virtual time */

struct event {
    unsigned flags;    /* cudaEvent flags */
    struct op *record; /* its latest record, done or not; NULL: never recorded */
    cudaEvent_t handle;
    struct event *next; /* in the list of all events */
};

static struct handle_table handles = {.kind = 0x45};
static struct event *events;

cudaError_t event_create(cudaEvent_t *handle, unsigned flags) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || flags & ~known)
        return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
        vgpu_unmodelled("cudaEventInterprocess", "events of one process only");
    struct event *event = allocate(1, sizeof(*event));
    event->flags = flags;
    event->handle = handle_new(&handles, event);
    event->next = events;
    events = event;
    *handle = event->handle;
    return cudaSuccess;
}

static void unlink_event(struct event **link) {
    struct event *event = *link;
    *link = event->next;
    op_release(event->record);
    free(event);
}

cudaError_t event_destroy(cudaEvent_t handle) {
    const struct event *event = handle_find(&handles, handle);
    if (!event)
        return cudaErrorInvalidResourceHandle;
    struct event **link = &events;
    while (*link != event)
        link = &(*link)->next;
    handle_free(&handles, handle);
    unlink_event(link);
    return cudaSuccess;
}

void event_reset(void) {
    while (events)
        unlink_event(&events);
    handle_free_all(&handles);
}

cudaError_t event_record(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    struct event *event = handle_find(&handles, handle);
    struct stream *on = stream_find(stream);
    if (!event || !on)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    if (flags & cudaEventRecordExternal)
        return cudaErrorIllegalState; /* only while a stream is captured */
    struct op *op = op_new(OP_RECORD);
    op_release(event->record);
    event->record = op_retain(op);
    stream_issue(on, op);
    return cudaSuccess;
}

cudaError_t event_wait(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    const struct event *event = handle_find(&handles, handle);
    struct stream *on = stream_find(stream);
    if (!event || !on)
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    if (flags & cudaEventWaitExternal)
        return cudaErrorIllegalState; /* only while a stream is captured */
    struct op *op = op_new(OP_WAIT);
    op_after(op, event->record);
    stream_issue(on, op);
    return cudaSuccess;
}

cudaError_t event_query(cudaEvent_t handle) {
    const struct event *event = handle_find(&handles, handle);
    struct op_list list = {0};
    if (!event)
        return cudaErrorInvalidResourceHandle;
    op_list_add(&list, event->record);
    const bool done = order_poll(&list);
    op_list_free(&list);
    return done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t event_synchronize(cudaEvent_t handle) {
    const struct event *event = handle_find(&handles, handle);
    struct op_list list = {0};
    if (!event)
        return cudaErrorInvalidResourceHandle;
    op_list_add(&list, event->record);
    order_wait(&list);
    op_list_free(&list);
    stats.syncs++;
    return cudaSuccess;
}

cudaError_t event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const struct event *from = handle_find(&handles, start), *to = handle_find(&handles, end);
    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (!from || !to || !from->record || !to->record || (from->flags | to->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (from->record->state != OP_DONE || to->record->state != OP_DONE)
        return cudaErrorNotReady;
    const int64_t ops = (int64_t)(to->record->finished - from->record->finished);
    *milliseconds = (float)ops / OPS_PER_MILLISECOND;
    return cudaSuccess;
}
