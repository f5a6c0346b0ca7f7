/*
 * Stream capture (CUDA Programming Guide, "Creating a Graph Using Stream Capture"; CUDA Runtime API,
 * cudaStreamBeginCapture and cudaThreadExchangeStreamCaptureMode): what a capturing stream is asked to do
 * becomes nodes of a graph. A stream that waits for an event recorded in a capturing stream is drawn into the
 * capture. What cannot be captured, or would tie captured work to other work, fails, and makes the capture
 * invalid until it is ended.
 */
#ifndef KESCO_TEST_VGPU_CAPTURE_H
#define KESCO_TEST_VGPU_CAPTURE_H

#include "test/vgpu/graph.h"
#include "test/vgpu/stream.h"

/* One cudaStreamBeginCapture, until its cudaStreamEndCapture. */
struct capture {
    unsigned long long id; /* no other capture has it; from 1 */
    enum cudaStreamCaptureMode mode;
    uint64_t thread;               /* that began it (thread_id) */
    struct stream *origin;         /* that it began in */
    struct stream **streams;       /* that are captured, the origin among them */
    size_t stream_count;           /* number of those */
    struct graph *graph;           /* what they become */
    struct graph_node_list strays; /* the last nodes of captured streams that were destroyed */
    bool invalid;                  /* broke a rule */
    struct capture *next;          /* in the list of all captures */
};

cudaError_t capture_begin(cudaStream_t handle, enum cudaStreamCaptureMode mode);
cudaError_t capture_end(cudaStream_t handle, cudaGraph_t *graph);

/* What cudaStreamGetCaptureInfo tells; NULL: not asked for. */
struct capture_query {
    enum cudaStreamCaptureStatus *status;
    unsigned long long *id;
    cudaGraph_t *graph;
    const cudaGraphNode_t **nodes;
    const cudaGraphEdgeData **edges;
    size_t *count;
};
cudaError_t capture_get(cudaStream_t handle, const struct capture_query *query);

/* Makes a node of an op for a capturing stream. Takes over the caller's reference. */
void capture_add(struct stream *stream, struct op *op);

/*
 * A stream waits for an event that was recorded in the capture with this id (0: in none), behind `nodes`. At
 * least one of event and stream is of a capture.
 */
cudaError_t capture_wait(struct stream *stream, unsigned long long id, const struct graph_node_list *nodes);

/* A capturing stream is asked for what cannot be captured: cudaErrorStreamCaptureUnsupported. */
cudaError_t capture_refuse(const struct stream *stream);

/* The host waits for or asks about an event of a capture: cudaErrorCapturedEvent; cudaErrorInvalidValue once
 * that has ended (as driver 580 does on an H100). */
cudaError_t capture_refuse_event(unsigned long long id);

/*
 * cudaErrorStreamCaptureImplicit if a blocking stream of the device is captured, which its legacy stream is
 * about to touch; `invalidates`: and ends that capture's validity.
 */
cudaError_t capture_check_legacy(int device, bool invalidates);

/* The host waits for the whole device: cudaErrorStreamCaptureUnsupported if a stream of it is captured. */
cudaError_t capture_check_device(int device);

/*
 * The calling thread makes a "potentially unsafe API call": cudaErrorStreamCaptureUnsupported if its mode and
 * the captures under way prohibit that.
 */
cudaError_t capture_check_unsafe(void);

/* The stream is about to be destroyed. A capture that began in it is dropped. */
void capture_leave(struct stream *stream);

/* Drops the captures that have a stream of the device. */
void capture_reset(int device);

#endif
