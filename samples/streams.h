/*
 * For samples with streams, events or graphs by hand (by_hand, graph): what makes and destroys them. A
 * failing call ends the program.
 *
 * Streams are blocking ones: what they do comes after earlier work of the default stream and before later
 * one, without events. So the timed parts neither fork nor join.
 */
#ifndef KESCO_SAMPLES_STREAMS_H
#define KESCO_SAMPLES_STREAMS_H

#include "samples/check.h"

static inline void streams_create(cudaStream_t *streams, int count) {
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamCreate(&streams[i]));
}

static inline void streams_destroy(const cudaStream_t *streams, int count) {
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamDestroy(streams[i]));
}

static inline void events_create(cudaEvent_t *events, int count) {
    for (int i = 0; i < count; i++)
        CHECK(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
}

static inline void events_destroy(const cudaEvent_t *events, int count) {
    for (int i = 0; i < count; i++)
        CHECK(cudaEventDestroy(events[i]));
}

/* Lets `stream` wait for what `other` has to do by now. */
static inline void stream_after(cudaStream_t stream, cudaStream_t other, cudaEvent_t event) {
    CHECK(cudaEventRecord(event, other));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
}

/* Starts to capture what is issued on streams[0] and, beside it, on the others. */
static inline void capture_begin(const cudaStream_t *streams, int count, cudaEvent_t event) {
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, streams[0]));
    for (int i = 1; i < count; i++)
        CHECK(cudaStreamWaitEvent(streams[i], event, 0));
}

/* A graph of what was captured since; its end waits for all streams. */
static inline cudaGraphExec_t capture_end(const cudaStream_t *streams, int count, cudaEvent_t event) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    for (int i = 1; i < count; i++)
        stream_after(streams[0], streams[i], event);
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

/* Of a sample that is captured once: the graph, which setup_run makes, and what destroys and launches it. */
#define CAPTURED_ONCE(data)                                                                                  \
    static cudaGraphExec_t exec;                                                                             \
    static void teardown_run(void) {                                                                         \
        CHECK(cudaGraphExecDestroy(exec));                                                                   \
    }                                                                                                        \
    static void run(struct data *) {                                                                         \
        CHECK(cudaGraphLaunch(exec, 0));                                                                     \
    }

#endif
