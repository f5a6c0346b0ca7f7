/* CUDA Programming Guide, "Creating a Graph Using Stream Capture": what is captured, and what breaks a
 * capture. */
#include "test/vgpu/rules/rules.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { SIZE = 64, NODES = 16 };

static const enum cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
                                        thread_local_mode = cudaStreamCaptureModeThreadLocal,
                                        relaxed = cudaStreamCaptureModeRelaxed;

static enum cudaStreamCaptureMode no_mode(void) {
    enum cudaStreamCaptureMode mode;
    memset(&mode, 3, sizeof(mode));
    return mode;
}

static cudaStream_t begin(unsigned flags, enum cudaStreamCaptureMode mode) {
    const cudaStream_t stream = new_stream(flags);
    OK(cudaStreamBeginCapture(stream, mode));
    return stream;
}

static cudaGraph_t end(cudaStream_t stream) {
    cudaGraph_t graph = NULL;
    OK(cudaStreamEndCapture(stream, &graph));
    REQUIRE(graph);
    return graph;
}

static enum cudaStreamCaptureStatus status_of(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    return status;
}

static bool is_active(cudaStream_t stream) {
    return status_of(stream) == cudaStreamCaptureStatusActive;
}

/* The capture broke a rule: nothing more can be captured, it ends without a graph, and the stream works
 * again. */
static void require_invalid(cudaStream_t stream) {
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

static size_t count_nodes(cudaGraph_t graph) {
    size_t count;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

static size_t count_edges(cudaGraph_t graph) {
    size_t count;
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    return count;
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

static void do_nothing_back(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream, (void)status, (void)data;
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

static cudaError_t in_other_thread(void *(*run)(void *), void *data) {
    pthread_t thread;
    void *result;
    REQUIRE(pthread_create(&thread, NULL, run, data) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    return (cudaError_t)(uintptr_t)result;
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

/* Breaking a capture */

static void waiting_for_a_capturing_stream_breaks_it(void) {
    const cudaStream_t stream = begin(cudaStreamNonBlocking, relaxed);
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamSynchronize(stream) ==
            cudaErrorStreamCaptureUnsupported); /* as driver 580 on an H100 */
    require_invalid(stream);
}

static void querying_a_capturing_stream_breaks_it(void) {
    const cudaStream_t stream = begin(0, relaxed);
    REQUIRE(cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported);
    require_invalid(stream);
}

static void waiting_for_the_device_breaks_captures(void) {
    const cudaStream_t stream = begin(cudaStreamNonBlocking, relaxed);
    REQUIRE(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    require_invalid(stream);
}

static void waiting_for_a_captured_event_breaks_its_capture(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t stream = begin(0, relaxed);
    OK(cudaEventRecord(event, stream));
    REQUIRE(cudaEventSynchronize(event) == cudaErrorCapturedEvent);
    require_invalid(stream);
    REQUIRE(cudaEventSynchronize(event) == cudaErrorInvalidValue); /* as driver 580 on an H100 */
    REQUIRE(cudaEventQuery(event) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamWaitEvent(stream, event, 0) == cudaErrorInvalidValue);
    OK(cudaEventRecord(event, stream));
    OK(cudaEventSynchronize(event));
}

static void querying_a_captured_event_breaks_its_capture(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t stream = begin(0, relaxed);
    OK(cudaEventRecord(event, stream));
    REQUIRE(cudaEventQuery(event) == cudaErrorCapturedEvent);
    require_invalid(stream);
}

static void a_captured_event_has_no_time(void) {
    cudaEvent_t first, last;
    float milliseconds;
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&last));
    const cudaStream_t stream = begin(0, global);
    OK(cudaEventRecord(first, stream));
    OK(cudaEventRecord(last, stream));
    end(stream);
    REQUIRE(cudaEventElapsedTime(&milliseconds, first, last) == cudaErrorInvalidValue); /* as driver 580 */
}

static void waiting_for_uncaptured_work_breaks_a_capture(void) {
    const cudaEvent_t event = new_event();
    OK(cudaEventRecord(event, new_stream(0)));
    const cudaStream_t stream = begin(0, relaxed);
    REQUIRE(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureIsolation);
    require_invalid(stream);
}

/* As driver 580 on an H100. */
static void waiting_for_an_unrecorded_event_adds_nothing(void) {
    const cudaStream_t stream = begin(0, relaxed);
    OK(cudaStreamWaitEvent(stream, new_event(), 0));
    launch_note(1, stream);
    const cudaGraph_t graph = end(stream);
    REQUIRE(count_nodes(graph) == 1 && count_edges(graph) == 0);
}

static void captures_do_not_merge(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t a = begin(0, relaxed), b = begin(0, relaxed);
    OK(cudaEventRecord(event, a));
    REQUIRE(cudaStreamWaitEvent(b, event, 0) == cudaErrorStreamCaptureMerge);
    require_invalid(a);
    journal.count = 0;
    require_invalid(b);
}

static void the_legacy_stream_breaks_blocking_captures(void) {
    cudaStream_t stream = begin(cudaStreamDefault, relaxed);
    REQUIRE(launch(&trap_stub, NULL, 0) == cudaErrorStreamCaptureImplicit);
    require_invalid(stream);
    OK(cudaStreamBeginCapture(stream, relaxed));
    REQUIRE(cudaStreamSynchronize(0) == cudaErrorStreamCaptureImplicit);
    REQUIRE(cudaStreamQuery(cudaStreamLegacy) == cudaErrorStreamCaptureImplicit);
    REQUIRE(cudaEventRecord(new_event(), 0) == cudaErrorStreamCaptureImplicit);
    journal.count = 0;
    require_invalid(stream);
}

static void a_synchronous_copy_breaks_blocking_captures(void) {
    void *memory = new_memory(SIZE);
    char host[SIZE] = {0};
    const cudaStream_t stream = begin(cudaStreamDefault, relaxed);
    REQUIRE(cudaMemcpy(memory, host, SIZE, cudaMemcpyHostToDevice) == cudaErrorStreamCaptureImplicit);
    require_invalid(stream);
}

static void the_legacy_stream_cannot_be_drawn_in(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t stream = begin(cudaStreamNonBlocking, relaxed);
    OK(cudaEventRecord(event, stream));
    REQUIRE(cudaStreamWaitEvent(0, event, 0) == cudaErrorStreamCaptureImplicit);
    require_invalid(stream);
}

static void the_legacy_stream_works_beside_non_blocking_captures(void) {
    const cudaStream_t stream = begin(cudaStreamNonBlocking, relaxed);
    launch_note(1, 0);
    OK(cudaStreamSynchronize(0));
    REQUIRE(journal.count == 1 && is_active(stream));
}

static void asking_for_the_legacy_stream_breaks_nothing(void) {
    enum cudaStreamCaptureStatus status;
    const cudaStream_t stream = begin(0, global);
    REQUIRE(cudaStreamIsCapturing(0, &status) == cudaErrorStreamCaptureImplicit);
    REQUIRE(cudaStreamGetCaptureInfo(cudaStreamLegacy, &status, NULL, NULL, NULL, NULL, NULL) ==
            cudaErrorStreamCaptureImplicit);
    REQUIRE(is_active(stream));
    end(stream);
    OK(cudaStreamIsCapturing(0, &status));
    REQUIRE(status == cudaStreamCaptureStatusNone);
}

static void callbacks_cannot_be_captured(void) {
    const cudaStream_t stream = begin(0, global);
    REQUIRE(cudaStreamAddCallback(stream, do_nothing_back, NULL, 0) == cudaErrorStreamCaptureUnsupported);
    require_invalid(stream);
}

static void prefetches_cannot_be_captured(void) {
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice};
    void *memory;
    OK(cudaMallocManaged(&memory, SIZE, cudaMemAttachGlobal));
    const cudaStream_t stream = begin(0, global);
    REQUIRE(cudaMemPrefetchAsync(memory, SIZE, device, 0, stream) == cudaErrorStreamCaptureUnsupported);
    require_invalid(stream);
}

static void pool_memory_in_a_capture_is_not_modelled(void) {
    void *memory;
    cudaMallocAsync(&memory, SIZE, begin(0, global));
}

static void external_events_are_not_modelled(void) {
    const cudaEvent_t event = new_event();
    cudaEventRecordWithFlags(event, begin(0, global), cudaEventRecordExternal);
}

static void a_reset_drops_captures(void) {
    begin(0, global);
    OK(cudaDeviceReset());
    launch_note(1, new_stream(0));
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 1);
}

static void destroying_the_origin_drops_a_capture(void) {
    const cudaStream_t other = new_stream(0);
    const cudaStream_t stream = begin(0, global);
    fork_stream(stream, other);
    OK(cudaStreamDestroy(stream));
    REQUIRE(status_of(other) == cudaStreamCaptureStatusNone);
    OK(cudaDeviceSynchronize());
}

/* Potentially unsafe calls */

static enum cudaStreamCaptureMode exchange(enum cudaStreamCaptureMode mode) {
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    return mode;
}

static void *allocate_here(void *data) {
    void *memory;
    if (data)
        exchange(*(enum cudaStreamCaptureMode *)data);
    return (void *)(uintptr_t)cudaMalloc(&memory, SIZE);
}

static void modes_are_exchanged(void) {
    REQUIRE(exchange(relaxed) == global);
    REQUIRE(exchange(thread_local_mode) == relaxed);
    REQUIRE(exchange(global) == thread_local_mode);
}

static void unsafe_calls_break_strict_captures(void) {
    void *memory, *pinned;
    const cudaEvent_t event = new_event();
    const cudaStream_t other = new_stream(0);
    OK(cudaMalloc(&memory, SIZE));
    OK(cudaEventRecord(event, other));
    const cudaStream_t stream = begin(0, thread_local_mode);
    REQUIRE(cudaMallocHost(&pinned, SIZE) == cudaErrorStreamCaptureUnsupported);
    require_invalid(stream);
    OK(cudaStreamBeginCapture(stream, global));
    REQUIRE(cudaFree(memory) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaEventQuery(event) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaEventSynchronize(event) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamSynchronize(other) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamQuery(other) == cudaErrorStreamCaptureUnsupported);
    journal.count = 0;
    require_invalid(stream);
    OK(cudaEventSynchronize(event));
    OK(cudaFree(memory));
}

static void unsafe_calls_spare_relaxed_captures(void) {
    const cudaStream_t stream = begin(0, relaxed);
    REQUIRE(allocate_here(NULL) == NULL);
    REQUIRE(in_other_thread(allocate_here, NULL) == cudaSuccess);
    REQUIRE(is_active(stream));
}

static void a_relaxed_thread_may_call_what_it_likes(void) {
    const cudaStream_t stream = begin(0, global);
    exchange(relaxed);
    OK(cudaFree(new_memory(SIZE)));
    OK(cudaStreamSynchronize(new_stream(0)));
    REQUIRE(is_active(stream));
    exchange(thread_local_mode);
    REQUIRE(allocate_here(NULL) != NULL);
    REQUIRE(!is_active(stream));
}

static void unsafe_calls_of_other_threads_break_global_captures(void) {
    enum cudaStreamCaptureMode mode = thread_local_mode;
    const cudaStream_t careful = begin(0, thread_local_mode), stream = begin(0, global);
    REQUIRE(in_other_thread(allocate_here, &mode) == cudaSuccess);
    REQUIRE(is_active(careful) && is_active(stream));
    REQUIRE(in_other_thread(allocate_here, NULL) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(is_active(careful));
    end(careful);
    require_invalid(stream);
}

#define STATUS_UNMODELLED .status = 65

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
        RULE(waiting_for_a_capturing_stream_breaks_it, ONCE),
        RULE(querying_a_capturing_stream_breaks_it, ONCE),
        RULE(waiting_for_the_device_breaks_captures, ONCE),
        RULE(waiting_for_a_captured_event_breaks_its_capture, ONCE),
        RULE(querying_a_captured_event_breaks_its_capture, ONCE),
        RULE(a_captured_event_has_no_time, ONCE),
        RULE(waiting_for_uncaptured_work_breaks_a_capture, ONCE),
        RULE(waiting_for_an_unrecorded_event_adds_nothing, ONCE),
        RULE(captures_do_not_merge, ONCE),
        RULE(the_legacy_stream_breaks_blocking_captures, ONCE),
        RULE(a_synchronous_copy_breaks_blocking_captures, ONCE),
        RULE(the_legacy_stream_cannot_be_drawn_in, ONCE),
        RULE(the_legacy_stream_works_beside_non_blocking_captures, EVERY_SEED),
        RULE(asking_for_the_legacy_stream_breaks_nothing, ONCE),
        RULE(callbacks_cannot_be_captured, ONCE),
        RULE(prefetches_cannot_be_captured, ONCE),
        RULE(pool_memory_in_a_capture_is_not_modelled, ONCE, STATUS_UNMODELLED,
             .prints = "cudaMallocAsync is not modelled"),
        RULE(external_events_are_not_modelled, ONCE, STATUS_UNMODELLED,
             .prints = "cudaEventRecordWithFlags is not modelled"),
        RULE(a_reset_drops_captures, ONCE),
        RULE(destroying_the_origin_drops_a_capture, ONCE),
        RULE(modes_are_exchanged, ONCE),
        RULE(unsafe_calls_break_strict_captures, ONCE),
        RULE(unsafe_calls_spare_relaxed_captures, ONCE),
        RULE(a_relaxed_thread_may_call_what_it_likes, ONCE),
        RULE(unsafe_calls_of_other_threads_break_global_captures, ONCE),
    };
    return RULES_MAIN(rules);
}
