/*
 * Streams, and CUDA's rules for what they order (CUDA Runtime API, "Stream synchronization behavior"):
 *   - a stream's ops run in the order of their issue;
 *   - an op on the legacy default stream waits for all earlier ops of all blocking streams, and all later ops
 * of blocking streams wait for it. What a blocking stream only waits for, an event with nothing after the
 * wait, is no op of it for that: an H200 (driver 580.159) once gave what can only be had so;
 *   - non-blocking streams take no part in that;
 *   - the per-thread default stream is a blocking stream of its host thread;
 *   - every device has default streams of its own; none of that crosses devices.
 */
#ifndef KESCO_TEST_VGPU_STREAM_H
#define KESCO_TEST_VGPU_STREAM_H

#include "test/vgpu/graph.h"

/* Greatest and least priority that the device knows, as an H200 has them; lower numbers go first. */
enum { STREAM_PRIORITY_GREATEST = -5, STREAM_PRIORITY_LEAST = 0 };

struct stream_capture {
    struct capture *by;           /* that it is part of; NULL: the stream executes what it is asked for */
    struct graph_node_list nodes; /* that its next one will depend on, while it is captured */
    cudaGraphNode_t *shown_nodes; /* `nodes` and their edges as cudaStreamGetCaptureInfo last gave them */
    cudaGraphEdgeData *shown_edges;
};

struct stream {
    void *handle;
    int device;
    unsigned flags; /* cudaStreamDefault or cudaStreamNonBlocking */
    int priority;   /* a preference, in virtual time; every order that is legal without it is legal */
    unsigned long long id;
    uint32_t component; /* in vector clocks */
    bool legacy;        /* its device's legacy default stream */
    bool destroyed;     /* kept for the order that its ops have */
    struct op *tail;    /* its last op, done or not; NULL: none yet */
    struct op *work;    /* the last that is no wait for an event; NULL: none yet */
    struct stream_capture part;
    struct stream *next; /* in the list of all streams but the legacy ones */
};

/* The nearest priority that there is. */
int stream_clamp_priority(int priority);

/* Makes a stream of the calling thread's device; its handle goes to `handle`. Invalid flags:
 * cudaErrorInvalidValue. */
cudaError_t stream_create(cudaStream_t *handle, unsigned flags, int priority);

/* The stream of a handle, default ones included, or NULL. */
struct stream *stream_find(cudaStream_t handle);

/*
 * The stream of a handle that is about to be given work, or be asked or waited for:
 * cudaErrorInvalidResourceHandle where there is none, and errors of stream capture (capture.h).
 */
cudaError_t stream_open(cudaStream_t handle, struct stream **stream);

/* The same for a call that makes the host wait for the stream: none that is captured. */
cudaError_t stream_open_to_wait(cudaStream_t handle, struct stream **stream);

/* Work that the stream has runs all the same. The default streams cannot be destroyed. */
cudaError_t stream_destroy(cudaStream_t handle);

/*
 * Orders `op` behind what CUDA orders it behind, and issues it; a capturing stream makes it a node. Takes
 * over the caller's reference.
 */
void stream_issue(struct stream *stream, struct op *op);

/* The same for a stream that is not captured, but runs nothing yet: order_advance is to follow. */
void stream_add(struct stream *stream, struct op *op);

/*
 * The same for an op in a legacy stream that touches other devices too (one bit each): it takes a place in
 * their legacy streams as well (CUDA Programming Guide, "Peer-to-Peer Memory Copy").
 */
void stream_issue_across(struct stream *legacy, uint32_t others, struct op *op);

/* The host waits for all work of the stream; for the legacy stream, for that of all blocking streams too. */
void stream_synchronize(struct stream *stream);

/* True if stream_synchronize would not wait, which it then has done; else lets the device go on a step. */
bool stream_poll(struct stream *stream);

/* The host waits for all work of the device. */
void stream_synchronize_device(int device);

/* Destroys the device's streams; nothing of theirs is pending. */
void stream_reset(int device);

#endif
