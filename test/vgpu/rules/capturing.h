/* What rules of stream capture share. */
#ifndef KESCO_TEST_VGPU_RULES_CAPTURING_H
#define KESCO_TEST_VGPU_RULES_CAPTURING_H

#include "test/vgpu/rules/rules.h"

#include <pthread.h>

static const enum cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
                                        thread_local_mode = cudaStreamCaptureModeThreadLocal,
                                        relaxed = cudaStreamCaptureModeRelaxed;

static inline cudaStream_t begin(unsigned flags, enum cudaStreamCaptureMode mode) {
    const cudaStream_t stream = new_stream(flags);
    OK(cudaStreamBeginCapture(stream, mode));
    return stream;
}

static inline cudaGraph_t end(cudaStream_t stream) {
    cudaGraph_t graph = NULL;
    OK(cudaStreamEndCapture(stream, &graph));
    REQUIRE(graph);
    return graph;
}

static inline enum cudaStreamCaptureStatus status_of(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    return status;
}

static inline bool is_active(cudaStream_t stream) {
    return status_of(stream) == cudaStreamCaptureStatusActive;
}

/* The capture broke a rule: nothing more can be captured, it ends without a graph, and the stream works
 * again. */
static inline void require_invalid(cudaStream_t stream) {
    cudaGraph_t graph = (cudaGraph_t)&graph;
    const cudaEvent_t event = new_event();
    REQUIRE(status_of(stream) == cudaStreamCaptureStatusInvalidated);
    REQUIRE(launch(&trap_stub, NULL, stream) == cudaErrorStreamCaptureInvalidated);
    REQUIRE(cudaEventRecord(event, stream) == cudaErrorStreamCaptureInvalidated);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    REQUIRE(!graph);
    REQUIRE(status_of(stream) == cudaStreamCaptureStatusNone);
    launch_note(1, stream);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(place_of(1) == 0);
}

static inline size_t count_nodes(cudaGraph_t graph) {
    size_t count;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

static inline size_t count_edges(cudaGraph_t graph) {
    size_t count;
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    return count;
}

static inline cudaError_t in_other_thread(void *(*run)(void *), void *data) {
    pthread_t thread;
    void *result;
    REQUIRE(pthread_create(&thread, NULL, run, data) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    return (cudaError_t)(uintptr_t)result;
}

#endif
