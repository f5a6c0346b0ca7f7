/* CUDA Programming Guide, "Creating a Graph Using Stream Capture": what breaks a capture. */
#include "test/vgpu/rules/capturing.h"

#include <stdint.h>

enum { SIZE = 64 };

static void do_nothing_back(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream, (void)status, (void)data;
}

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
