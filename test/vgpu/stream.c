#include "test/vgpu/stream.h"

#include "test/vgpu/capture.h"
#include "test/vgpu/component.h"
#include "test/vgpu/handle.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/race.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"

#include <stdlib.h>

static struct handle_table handles = {.kind = 0x53};
static struct stream legacy_stream = {.legacy = true, .id = 1};
static struct stream
    *streams; /* all but the legacy stream, destroyed ones that still order others included */
static unsigned long long last_id = 2;
static _Thread_local void *per_thread_handle; /* the per-thread default stream; stale after a reset */

static struct stream *make(unsigned flags, int priority) {
    struct stream *stream = allocate(1, sizeof(*stream));
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++last_id;
    stream->component = component_take();
    stream->handle = handle_new(&handles, stream);
    stream->next = streams;
    streams = stream;
    return stream;
}

cudaError_t stream_create(cudaStream_t *handle, unsigned flags, int priority) {
    if (!handle || flags & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    if (priority < STREAM_PRIORITY_GREATEST)
        priority = STREAM_PRIORITY_GREATEST;
    if (priority > STREAM_PRIORITY_LEAST)
        priority = STREAM_PRIORITY_LEAST;
    *handle = make(flags, priority)->handle;
    stats.streams++;
    return cudaSuccess;
}

static struct stream *per_thread_stream(void) {
    struct stream *stream = handle_find(&handles, per_thread_handle);
    if (!stream) {
        stream = make(cudaStreamDefault, 0);
        per_thread_handle = stream->handle;
    }
    return stream;
}

struct stream *stream_find(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy)
        return &legacy_stream;
    if (handle == cudaStreamPerThread)
        return per_thread_stream();
    return handle_find(&handles, handle);
}

cudaError_t stream_open(cudaStream_t handle, struct stream **stream) {
    *stream = stream_find(handle);
    if (!*stream)
        return cudaErrorInvalidResourceHandle;
    if ((*stream)->legacy)
        return capture_check_legacy(true);
    return (*stream)->capture && (*stream)->capture->invalid ? cudaErrorStreamCaptureInvalidated
                                                             : cudaSuccess;
}

cudaError_t stream_open_to_wait(cudaStream_t handle, struct stream **stream) {
    const cudaError_t error = stream_open(handle, stream);
    if (error)
        return error;
    return (*stream)->capture ? capture_refuse(*stream) : capture_check_unsafe();
}

static void unlink_stream(struct stream **link) {
    struct stream *stream = *link;
    *link = stream->next;
    if (!stream->destroyed)
        component_give_back(stream->component);
    op_release(stream->tail);
    free(stream);
}

/* Forgets destroyed streams whose ops all later ops come after anyway. */
static void forget_destroyed(bool covered_by_legacy) {
    for (struct stream **link = &streams; *link;) {
        struct stream *stream = *link;
        const bool outside = stream->flags == cudaStreamNonBlocking || covered_by_legacy;
        if (stream->destroyed && (outside || !stream->tail || op_known(stream->tail)))
            unlink_stream(link);
        else
            link = &stream->next;
    }
}

cudaError_t stream_destroy(cudaStream_t handle) {
    struct stream *stream = handle_find(&handles, handle);
    if (!stream || stream == handle_find(&handles, per_thread_handle))
        return cudaErrorInvalidResourceHandle;
    capture_leave(stream);
    handle_free(&handles, handle);
    component_give_back(stream->component);
    stream->destroyed = true;
    forget_destroyed(false);
    return cudaSuccess;
}

static bool is_blocking(const struct stream *stream) {
    return !stream->legacy && stream->flags == cudaStreamDefault;
}

static void depend(const struct stream *stream, struct op *op) {
    op_after(op, stream->tail);
    if (is_blocking(stream))
        op_after(op, legacy_stream.tail);
    if (!stream->legacy)
        return;
    for (const struct stream *other = streams; other; other = other->next) {
        if (is_blocking(other))
            op_after(op, other->tail);
    }
}

void stream_add(struct stream *stream, struct op *op) {
    depend(stream, op);
    op_stamp(op, stream->component);
    op_release(stream->tail);
    stream->tail = op;
    if (stream->legacy)
        forget_destroyed(true);
    order_add(op);
}

void stream_issue(struct stream *stream, struct op *op) {
    if (stream->capture) {
        capture_add(stream, op);
        return;
    }
    stream_add(stream, op);
    order_advance();
}

/* The ops that the stream's work ends with. */
static struct op_list ends(const struct stream *stream) {
    struct op_list list = {0};
    op_list_add(&list, stream->tail);
    for (const struct stream *other = streams; other && stream->legacy; other = other->next) {
        if (is_blocking(other))
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

void stream_synchronize_all(void) {
    struct vector_clock issued = {0};
    vector_clock_join(&issued, &engine.issued);
    order_drain();
    engine_host_knows(&issued);
    vector_clock_free(&issued);
    forget_destroyed(false);
    memory_sweep();
    race_forget_known();
}

void stream_reset(void) {
    while (streams)
        unlink_stream(&streams);
    handle_free_all(&handles);
    op_release(legacy_stream.tail);
    legacy_stream.tail = NULL;
}
