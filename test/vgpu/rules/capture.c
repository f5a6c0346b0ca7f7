/* CUDA Programming Guide, "Creating a Graph Using Stream Capture": what is captured, and how a capture begins
 * and ends. */
#include "test/vgpu/rules/capturing.h"

#include <stdint.h>
#include <string.h>

enum { SIZE = 64, NODES = 16 };

static enum cudaStreamCaptureMode no_mode(void) {
    enum cudaStreamCaptureMode mode;
    memset(&mode, 3, sizeof(mode));
    return mode;
}

static bool has_edge(cudaGraph_t graph, size_t from, size_t to) {
    cudaGraphNode_t nodes[NODES], starts[NODES], ends[NODES];
    size_t node_count = NODES, edge_count = NODES;
    OK(cudaGraphGetNodes(graph, nodes, &node_count));
    OK(cudaGraphGetEdges(graph, starts, ends, NULL, &edge_count));
    for (size_t i = 0; i < edge_count; i++) {
        if (starts[i] == nodes[from] && ends[i] == nodes[to])
            return true;
    }
    return false;
}

static void do_nothing(void *data) {
    (void)data;
}

/* What is captured */

static void captured_work_does_not_run(void) {
    const cudaStream_t stream = begin(0, global);
    launch_note(1, stream);
    end(stream);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 0);
}

static void a_stream_becomes_a_chain(void) {
    void *memory = new_memory(SIZE);
    char host[SIZE];
    const enum cudaGraphNodeType types[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemset,
                                            cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost};
    cudaGraphNode_t nodes[NODES];
    size_t count = NODES;
    const cudaStream_t stream = begin(cudaStreamNonBlocking, global);
    launch_note(1, stream);
    OK(cudaMemsetAsync(memory, 0, SIZE, stream));
    OK(cudaMemcpyAsync(host, memory, SIZE, cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, do_nothing, NULL));
    const cudaGraph_t graph = end(stream);
    OK(cudaGraphGetNodes(graph, nodes, &count));
    REQUIRE(count == 4 && !nodes[4] && count_edges(graph) == 3);
    for (size_t i = 0; i < count; i++) {
        enum cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(nodes[i], &type));
        REQUIRE(type == types[i]);
        REQUIRE(!i || has_edge(graph, i - 1, i));
    }
    OK(cudaGraphDestroy(graph));
}

static void events_draw_streams_in(void) {
    const cudaStream_t other = new_stream(cudaStreamNonBlocking);
    const cudaStream_t stream = begin(0, global);
    launch_note(0, stream);
    fork_stream(stream, other);
    REQUIRE(is_active(other));
    launch_note(1, stream);
    launch_note(2, other);
    fork_stream(other, stream);
    launch_note(3, stream);
    const cudaGraph_t graph = end(stream);
    REQUIRE(!is_active(other));
    REQUIRE(count_nodes(graph) == 4 && count_edges(graph) == 4);
    REQUIRE(has_edge(graph, 0, 1) && has_edge(graph, 0, 2) && has_edge(graph, 1, 3) && has_edge(graph, 2, 3));
    launch_note(4, other);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 1);
}

static void an_event_stands_for_its_latest_record(void) {
    const cudaStream_t other = new_stream(0);
    const cudaEvent_t event = new_event();
    const cudaStream_t stream = begin(0, global);
    OK(cudaEventRecord(event, stream));
    launch_note(0, stream);
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(other, event, 0));
    launch_note(1, other);
    fork_stream(other, stream);
    const cudaGraph_t graph = end(stream);
    REQUIRE(count_edges(graph) == 1 && has_edge(graph, 0, 1));
}

static void earlier_work_of_a_stream_stays_out(void) {
    const cudaStream_t stream = new_stream(0), other = new_stream(0);
    launch_note(1, stream);
    launch_note(2, other);
    OK(cudaStreamBeginCapture(stream, relaxed));
    fork_stream(stream, other);
    launch_note(3, other);
    fork_stream(other, stream);
    REQUIRE(count_nodes(end(stream)) == 1);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 2);
}

static void the_per_thread_stream_can_be_captured(void) {
    OK(cudaStreamBeginCapture(cudaStreamPerThread, global));
    launch_note(1, cudaStreamPerThread);
    REQUIRE(count_nodes(end(cudaStreamPerThread)) == 1);
}

static void captures_tell_of_themselves(void) {
    enum cudaStreamCaptureStatus status;
    unsigned long long id, other_id;
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    const cudaGraphEdgeData plain = {0};
    size_t count;
    const cudaStream_t stream = begin(0, relaxed), other = begin(0, relaxed), none = new_stream(0);
    launch_note(1, stream);
    launch_note(2, stream);
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
    REQUIRE(status == cudaStreamCaptureStatusActive && id && count == 1);
    REQUIRE(memcmp(&edges[0], &plain, sizeof(plain)) == 0);
    REQUIRE(cudaGraphDestroy(graph) == cudaErrorIllegalState);
    cudaGraphNode_t last[2];
    size_t node_count = 2;
    OK(cudaGraphGetNodes(graph, last, &node_count));
    REQUIRE(node_count == 2 && nodes[0] == last[1]);
    OK(cudaStreamGetCaptureInfo(other, &status, &other_id, NULL, NULL, NULL, &count));
    REQUIRE(other_id != id && count == 0);
    OK(cudaStreamGetCaptureInfo(none, &status, NULL, NULL, NULL, NULL, NULL));
    REQUIRE(status == cudaStreamCaptureStatusNone);
    REQUIRE(cudaStreamGetCaptureInfo(none, NULL, NULL, NULL, NULL, NULL, NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, NULL, &edges, NULL) ==
            cudaErrorInvalidValue);
    REQUIRE(end(stream) == graph);
    end(other);
    OK(cudaStreamBeginCapture(stream, relaxed));
    OK(cudaStreamGetCaptureInfo(stream, &status, &other_id, NULL, NULL, NULL, NULL));
    REQUIRE(other_id > id);
}

/* Beginning and ending */

static void a_capture_begins_in_a_free_stream(void) {
    const cudaStream_t stream = begin(0, global);
    REQUIRE(cudaStreamBeginCapture(stream, global) == cudaErrorIllegalState);
    REQUIRE(cudaStreamBeginCapture(new_stream(0), no_mode()) == cudaErrorInvalidValue);
    end(stream);
    REQUIRE(cudaStreamBeginCapture(0, global) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamBeginCapture(cudaStreamLegacy, relaxed) == cudaErrorStreamCaptureUnsupported);
}

static void a_capture_ends_once(void) {
    cudaGraph_t graph;
    const cudaStream_t stream = begin(0, global);
    end(stream);
    OK(cudaStreamBeginCapture(stream, global));
    OK(cudaStreamEndCapture(stream, NULL)); /* as driver 580 on an H100, and the graph is lost */
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
    REQUIRE(cudaStreamEndCapture(0, &graph) == cudaErrorIllegalState);
}

static void a_capture_ends_where_it_began(void) {
    cudaGraph_t graph;
    const cudaStream_t other = new_stream(0);
    const cudaStream_t stream = begin(0, global);
    fork_stream(stream, other);
    REQUIRE(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
    REQUIRE(!graph);
    require_invalid(stream);
    REQUIRE(status_of(other) == cudaStreamCaptureStatusNone);
}

static void forks_must_be_joined(void) {
    cudaGraph_t graph = (cudaGraph_t)&graph;
    const cudaStream_t other = new_stream(0);
    const cudaStream_t stream = begin(0, global);
    fork_stream(stream, other);
    launch_note(1, other);
    fork_stream(other, stream);
    launch_note(2, other);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
    REQUIRE(!graph);
    REQUIRE(status_of(stream) == cudaStreamCaptureStatusNone &&
            status_of(other) == cudaStreamCaptureStatusNone);
}

static void a_fork_without_work_needs_no_join(void) {
    const cudaStream_t other = new_stream(0);
    const cudaStream_t stream = begin(0, global);
    launch_note(1, stream);
    fork_stream(stream, other);
    REQUIRE(count_nodes(end(stream)) == 1);
    REQUIRE(status_of(other) == cudaStreamCaptureStatusNone);
}

static void a_destroyed_fork_must_have_been_joined(void) {
    cudaGraph_t graph;
    const cudaStream_t joined = new_stream(0), lost = new_stream(0);
    const cudaStream_t stream = begin(0, global);
    fork_stream(stream, joined);
    launch_note(1, joined);
    fork_stream(joined, stream);
    OK(cudaStreamDestroy(joined));
    REQUIRE(count_nodes(end(stream)) == 1);
    OK(cudaStreamBeginCapture(stream, global));
    fork_stream(stream, lost);
    launch_note(1, lost);
    OK(cudaStreamDestroy(lost));
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
}

static void *end_elsewhere(void *stream) {
    static cudaGraph_t graph;
    return (void *)(uintptr_t)cudaStreamEndCapture(stream, &graph);
}

static void only_relaxed_captures_end_in_another_thread(void) {
    const cudaStream_t strict = begin(0, thread_local_mode), lax = begin(0, relaxed);
    REQUIRE(in_other_thread(end_elsewhere, lax) == cudaSuccess);
    REQUIRE(in_other_thread(end_elsewhere, strict) == cudaErrorStreamCaptureWrongThread);
    REQUIRE(status_of(strict) == cudaStreamCaptureStatusNone); /* as driver 580 on an H100 */
    launch_note(1, strict);
    OK(cudaStreamSynchronize(strict));
    REQUIRE(place_of(1) == 0);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(captured_work_does_not_run, EVERY_SEED),
        RULE(a_stream_becomes_a_chain, ONCE),
        RULE(events_draw_streams_in, ONCE),
        RULE(an_event_stands_for_its_latest_record, ONCE),
        RULE(earlier_work_of_a_stream_stays_out, EVERY_SEED),
        RULE(the_per_thread_stream_can_be_captured, ONCE),
        RULE(captures_tell_of_themselves, ONCE),
        RULE(a_capture_begins_in_a_free_stream, ONCE),
        RULE(a_capture_ends_once, ONCE),
        RULE(a_capture_ends_where_it_began, ONCE),
        RULE(forks_must_be_joined, ONCE),
        RULE(a_fork_without_work_needs_no_join, ONCE),
        RULE(a_destroyed_fork_must_have_been_joined, ONCE),
        RULE(only_relaxed_captures_end_in_another_thread, ONCE),
    };
    return RULES_MAIN(rules);
}
