#include "test/vgpu/stream.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/component.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/race.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <stdlib.h>

static struct handle_table handles = {.name = "stream", .kind = 0x53};
static struct stream legacy_streams[DEVICE_LIMIT]; /* by device; unused ones are all zero */
static struct stream
    *streams; /* all but the legacy stream, destroyed ones that still order others included */
static unsigned long long last_id = DEVICE_LIMIT; /* below: the legacy streams' first ones */
/* The per-thread default streams, by device; stale after a reset. */
static _Thread_local void *per_thread_handles[DEVICE_LIMIT];

static struct stream *make(unsigned flags, int priority) {
    struct stream *stream = allocate(1, sizeof(*stream));
    stream->device = thread_state.device;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++last_id;
    stream->component = component_take();
    stream->handle = handle_new(&handles, stream);
    stream->next = streams;
    streams = stream;
    return stream;
}

int stream_clamp_priority(int priority) {
    if (priority < STREAM_PRIORITY_GREATEST)
        return STREAM_PRIORITY_GREATEST;
    return priority > STREAM_PRIORITY_LEAST ? STREAM_PRIORITY_LEAST : priority;
}

cudaError_t stream_create(cudaStream_t *handle, unsigned flags, int priority) {
    if (!handle || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *handle = make(flags, stream_clamp_priority(priority))->handle;
    timeline_work(hardware->host.stream_us +
                  (stats.issued.streams % STREAMS_OF_CHANNELS == 1 ? hardware->host.channels_us : 0));
    stats.issued.streams++;
    return cudaSuccess;
}

static struct stream *legacy_stream(int device) {
    struct stream *stream = &legacy_streams[device];
    stream->legacy = true;
    stream->device = device;
    stream->component = (uint32_t)device;
    if (!stream->id)
        stream->id = (unsigned)device + 1;
    return stream;
}

static struct stream *per_thread_stream(void) {
    void **handle = &per_thread_handles[thread_state.device];
    struct stream *stream = handle_find(&handles, *handle);
    if (!stream) {
        stream = make(cudaStreamDefault, 0);
        *handle = stream->handle;
    }
    return stream;
}

struct stream *stream_find(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy)
        return legacy_stream(thread_state.device);
    if (handle == cudaStreamPerThread)
        return per_thread_stream();
    return handle_get(&handles, handle);
}

cudaError_t stream_open(cudaStream_t handle, struct stream **stream) {
    *stream = stream_find(handle);
    if (!*stream)
        return cudaErrorInvalidResourceHandle;
    if ((*stream)->legacy)
        return capture_check_legacy((*stream)->device, true);
    return (*stream)->part.by && (*stream)->part.by->invalid ? cudaErrorStreamCaptureInvalidated
                                                             : cudaSuccess;
}

/* A capture that is invalid already is refused as one that is not, as driver 580 does on an H100. */
cudaError_t stream_open_to_wait(cudaStream_t handle, struct stream **stream) {
    const cudaError_t error = stream_open(handle, stream);
    if (error && error != cudaErrorStreamCaptureInvalidated)
        return error;
    return (*stream)->part.by ? capture_refuse(*stream) : capture_check_unsafe();
}

static void unlink_stream(struct stream **link) {
    struct stream *stream = *link;
    *link = stream->next;
    if (!stream->destroyed)
        component_give_back(stream->component);
    op_release(stream->tail);
    op_release(stream->work);
    free(stream);
}

/* Forgets destroyed streams of a device whose ops all later ops come after anyway. */
static void forget_destroyed(int device, bool covered_by_legacy) {
    for (struct stream **link = &streams; *link;) {
        struct stream *stream = *link;
        const bool outside = stream->flags == cudaStreamNonBlocking || covered_by_legacy;
        if (stream->destroyed && stream->device == device &&
            (outside || !stream->tail || op_known(stream->tail)))
            unlink_stream(link);
        else
            link = &stream->next;
    }
}

cudaError_t stream_destroy(cudaStream_t handle) {
    if (handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    struct stream *stream = handle_get(&handles, handle);
    if (!stream || stream == handle_find(&handles, per_thread_handles[stream->device]))
        return cudaErrorInvalidResourceHandle;
    capture_leave(stream);
    handle_free(&handles, handle);
    component_give_back(stream->component);
    stream->destroyed = true;
    forget_destroyed(stream->device, false);
    return cudaSuccess;
}

static bool is_blocking(const struct stream *stream) {
    return !stream->legacy && stream->flags == cudaStreamDefault;
}

/* True if `legacy` is the legacy stream of the blocking stream's device. */
static bool takes_part(const struct stream *stream, const struct stream *legacy) {
    return is_blocking(stream) && stream->device == legacy->device;
}

static void depend(const struct stream *stream, struct op *op) {
    op_after(op, stream->tail);
    if (is_blocking(stream))
        op_after(op, legacy_stream(stream->device)->tail);
    if (!stream->legacy)
        return;
    for (const struct stream *other = streams; other; other = other->next) {
        if (takes_part(other, stream))
            op_after(op, other->work);
    }
}

static void note_work(struct stream *stream, struct op *op) {
    if (op->kind == OP_WAIT)
        return;
    op_release(stream->work);
    stream->work = op_retain(op);
}

void stream_add(struct stream *stream, struct op *op) {
    op->queue.device = stream->device;
    op->queue.priority = stream->priority;
    op->queue.stream = stream->id;
    depend(stream, op);
    op_stamp(op, stream->component);
    op_release(stream->tail);
    stream->tail = op;
    note_work(stream, op);
    if (stream->legacy)
        forget_destroyed(stream->device, true);
    order_add(op);
}

void stream_issue(struct stream *stream, struct op *op) {
    op->queue.device = stream->device;
    op->queue.priority = stream->priority;
    if (stream->part.by) {
        capture_add(stream, op);
        return;
    }
    stream_add(stream, op);
    order_advance();
}

/* A place in the legacy stream of every device in the mask, each behind `earlier`, which may be NULL. */
static struct op_list add_places(uint32_t devices, struct op *earlier) {
    struct op_list places = {0};
    for (int device = 0; device < settings.devices; device++) {
        if (!(devices >> device & 1))
            continue;
        struct op *place = op_new(OP_EMPTY);
        op_after(place, earlier);
        op_list_add(&places, place);
        stream_add(legacy_stream(device), place);
    }
    return places;
}

void stream_issue_across(struct stream *legacy, uint32_t others, struct op *op) {
    struct op_list before = add_places(others, NULL);
    for (size_t i = 0; i < before.count; i++)
        op_after(op, before.ops[i]);
    stream_add(legacy, op);
    struct op_list after = add_places(others, op);
    op_list_free(&before);
    op_list_free(&after);
    order_advance();
}

/* The ops that the stream's work ends with. */
static struct op_list ends(const struct stream *stream) {
    struct op_list list = {0};
    op_list_add(&list, stream->tail);
    for (const struct stream *other = streams; other && stream->legacy; other = other->next) {
        if (takes_part(other, stream))
            op_list_add(&list, other->tail);
    }
    return list;
}

void stream_synchronize(struct stream *stream) {
    struct op_list list = ends(stream);
    order_wait(&list);
    op_list_free(&list);
}

bool stream_poll(struct stream *stream) {
    struct op_list list = ends(stream);
    const bool done = order_poll(&list);
    op_list_free(&list);
    return done;
}

void stream_synchronize_device(int device) {
    struct vector_clock issued = {0};
    struct op_list pending = order_pending_on(device);
    vector_clock_join(&issued, &engine.gpus[device].issued);
    order_wait(&pending);
    timeline_wait_device(device);
    engine_host_knows(&issued);
    vector_clock_free(&issued);
    op_list_free(&pending);
    forget_destroyed(device, false);
    memory_sweep();
    race_forget_known();
}

static void remove_stream(struct stream **link) {
    if (!(*link)->destroyed)
        handle_free(&handles, (*link)->handle);
    unlink_stream(link);
}

void stream_reset(int device) {
    for (struct stream **link = &streams; *link;) {
        if ((*link)->device == device)
            remove_stream(link);
        else
            link = &(*link)->next;
    }
    op_release(legacy_streams[device].tail);
    op_release(legacy_streams[device].work);
    legacy_streams[device].tail = legacy_streams[device].work = NULL;
    legacy_streams[device].id = ++last_id;
}
