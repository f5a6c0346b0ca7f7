#include "test/vgpu/capture.h"

#include "test/vgpu/storage.h"

#include <stdlib.h>

static struct capture *captures;
static unsigned long long last_id;

static bool is_mode(enum cudaStreamCaptureMode mode) {
    return (unsigned)mode <= cudaStreamCaptureModeRelaxed;
}

static void add_stream(struct capture *capture, struct stream *stream) {
    const size_t count = capture->stream_count + 1;
    capture->streams = resize(capture->streams, count * sizeof(struct stream *));
    capture->streams[capture->stream_count++] = stream;
    stream->part.by = capture;
}

/* The stream executes again what it is asked for. */
static void release_stream(struct stream *stream) {
    stream->part.by = NULL;
    graph_node_list_free(&stream->part.nodes);
    free(stream->part.shown_nodes);
    stream->part.shown_nodes = NULL;
    free(stream->part.shown_edges);
    stream->part.shown_edges = NULL;
}

/* Ends the capture, but for its graph. */
static void drop(struct capture *capture) {
    struct capture **link = &captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    for (size_t i = 0; i < capture->stream_count; i++)
        release_stream(capture->streams[i]);
    graph_node_list_free(&capture->strays);
    free(capture->streams);
    free(capture);
}

static void discard(struct capture *capture) {
    graph_free(capture->graph);
    drop(capture);
}

static cudaError_t invalidate(struct capture *capture, cudaError_t error) {
    capture->invalid = true;
    return error;
}

cudaError_t capture_begin(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!is_mode(mode))
        return cudaErrorInvalidValue;
    if (stream->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (stream->part.by)
        return cudaErrorIllegalState;
    struct capture *capture = allocate(1, sizeof(*capture));
    capture->id = ++last_id;
    capture->mode = mode;
    capture->thread = thread_id();
    capture->origin = stream;
    capture->graph = graph_new();
    capture->graph->capturing = true;
    capture->next = captures;
    captures = capture;
    add_stream(capture, stream);
    return cudaSuccess;
}

/* True if the last nodes of all streams come before the end of the origin. */
static bool is_joined(const struct capture *capture) {
    const struct graph_node_list *end = &capture->origin->part.nodes;
    for (size_t i = 0; i < capture->stream_count; i++) {
        if (!graph_all_before(&capture->streams[i]->part.nodes, end))
            return false;
    }
    return graph_all_before(&capture->strays, end);
}

/* All of these end the capture, that by another thread too, as driver 580 does on an H100. */
static cudaError_t why_without_graph(const struct capture *capture) {
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != thread_id())
        return cudaErrorStreamCaptureWrongThread;
    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    return is_joined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

cudaError_t capture_end(cudaStream_t handle, cudaGraph_t *graph) {
    const struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    struct capture *capture = stream->part.by;
    cudaGraph_t unused;
    if (!capture)
        return cudaErrorIllegalState;
    graph = graph ? graph : &unused;
    *graph = NULL;
    if (capture->origin != stream)
        return invalidate(capture, cudaErrorStreamCaptureUnmatched);
    const cudaError_t error = why_without_graph(capture);
    if (error) {
        discard(capture);
        return error;
    }
    *graph = capture->graph->handle;
    capture->graph->capturing = false;
    drop(capture);
    return cudaSuccess;
}

/* Arrays of the nodes that the stream's next node will depend on; the stream keeps them. */
static void show_dependencies(struct stream *stream, const struct capture_query *query) {
    const size_t count = stream->part.nodes.count;
    stream->part.shown_nodes = resize(stream->part.shown_nodes, count * sizeof(*stream->part.shown_nodes));
    free(stream->part.shown_edges);
    stream->part.shown_edges = allocate(count, sizeof(*stream->part.shown_edges));
    for (size_t i = 0; i < count; i++)
        stream->part.shown_nodes[i] = stream->part.nodes.nodes[i]->handle;
    if (query->nodes)
        *query->nodes = stream->part.shown_nodes;
    if (query->edges)
        *query->edges = stream->part.shown_edges;
    if (query->count)
        *query->count = count;
}

cudaError_t capture_get(cudaStream_t handle, const struct capture_query *query) {
    struct stream *stream = stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!query->status || (query->edges && !query->nodes))
        return cudaErrorInvalidValue;
    if (stream->legacy && capture_check_legacy(stream->device, false))
        return cudaErrorStreamCaptureImplicit;
    const struct capture *capture = stream->part.by;
    *query->status = !capture           ? cudaStreamCaptureStatusNone
                     : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    if (*query->status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (query->id)
        *query->id = capture->id;
    if (query->graph)
        *query->graph = capture->graph->handle;
    show_dependencies(stream, query);
    return cudaSuccess;
}

void capture_add(struct stream *stream, struct op *op) {
    struct graph_node *node = graph_add(stream->part.by->graph, op, &stream->part.nodes);
    graph_node_list_free(&stream->part.nodes);
    graph_node_list_add(&stream->part.nodes, node);
}

static struct capture *find(unsigned long long id) {
    struct capture *capture = captures;
    while (capture && capture->id != id)
        capture = capture->next;
    return capture;
}

/* A capturing stream waits for an event of no capture under way, or of another one. */
static cudaError_t refuse_wait(struct capture *capture, struct capture *other) {
    if (!other)
        return invalidate(capture, cudaErrorStreamCaptureIsolation);
    invalidate(other, cudaErrorStreamCaptureMerge);
    return invalidate(capture, cudaErrorStreamCaptureMerge);
}

cudaError_t capture_wait(struct stream *stream, unsigned long long id, const struct graph_node_list *nodes) {
    struct capture *capture = find(id);
    if (stream->part.by && stream->part.by != capture)
        return refuse_wait(stream->part.by, capture);
    if (!capture)
        return cudaErrorInvalidValue;
    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->legacy)
        return invalidate(capture, cudaErrorStreamCaptureImplicit);
    if (!stream->part.by)
        add_stream(capture, stream);
    graph_node_list_join(&stream->part.nodes, nodes);
    return cudaSuccess;
}

cudaError_t capture_refuse(const struct stream *stream) {
    return invalidate(stream->part.by, cudaErrorStreamCaptureUnsupported);
}

cudaError_t capture_refuse_event(unsigned long long id) {
    struct capture *capture = find(id);
    return capture ? invalidate(capture, cudaErrorCapturedEvent) : cudaErrorInvalidValue;
}

/* True if a stream of the device is captured; `blocking`: a blocking one. */
static bool has_stream(const struct capture *capture, int device, bool blocking) {
    for (size_t i = 0; i < capture->stream_count; i++) {
        const struct stream *stream = capture->streams[i];
        if (stream->device == device && (!blocking || stream->flags == cudaStreamDefault))
            return true;
    }
    return false;
}

cudaError_t capture_check_legacy(int device, bool invalidates) {
    cudaError_t error = cudaSuccess;
    for (struct capture *capture = captures; capture; capture = capture->next) {
        if (!has_stream(capture, device, true))
            continue;
        error = cudaErrorStreamCaptureImplicit;
        capture->invalid |= invalidates;
    }
    return error;
}

cudaError_t capture_check_device(int device) {
    cudaError_t error = cudaSuccess;
    for (struct capture *capture = captures; capture; capture = capture->next) {
        if (has_stream(capture, device, false))
            error = invalidate(capture, cudaErrorStreamCaptureUnsupported);
    }
    return error;
}

/* CUDA Runtime API, cudaThreadExchangeStreamCaptureMode. */
static bool prohibits_unsafe(const struct capture *capture) {
    if (thread_state.capture_mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == thread_id())
        return capture->mode != cudaStreamCaptureModeRelaxed;
    return thread_state.capture_mode == cudaStreamCaptureModeGlobal &&
           capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t capture_check_unsafe(void) {
    cudaError_t error = cudaSuccess;
    for (struct capture *capture = captures; capture; capture = capture->next) {
        if (prohibits_unsafe(capture))
            error = invalidate(capture, cudaErrorStreamCaptureUnsupported);
    }
    return error;
}

void capture_leave(struct stream *stream) {
    struct capture *capture = stream->part.by;
    if (!capture)
        return;
    if (capture->origin == stream) {
        discard(capture);
        return;
    }
    size_t place = 0;
    while (capture->streams[place] != stream)
        place++;
    capture->streams[place] = capture->streams[--capture->stream_count];
    graph_node_list_join(&capture->strays, &stream->part.nodes);
    release_stream(stream);
}

void capture_reset(int device) {
    struct capture *next;
    for (struct capture *capture = captures; capture; capture = next) {
        next = capture->next;
        if (has_stream(capture, device, false))
            discard(capture);
    }
}
