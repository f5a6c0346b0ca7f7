/*
 * Copies of managed memory with a kind that says it is the host's (CUDA C++ Programming Guide, "Unified
 * Memory Programming": cudaMemcpy and cudaMemset with managed memory): when it is read and written.
 */
#include "test/vgpu/rules/filled.h"

#include <string.h>

static char *managed(char value) {
    void *memory;
    OK(cudaMallocManaged(&memory, SIZE, cudaMemAttachGlobal));
    memset(memory, value, SIZE);
    return memory;
}

/* Late, on a device. */
static void fill_late(char *memory, char value, cudaStream_t stream) {
    launch_work(1, 1, NULL, 0, 1 << 16, stream);
    launch_fill(memory, SIZE, value, stream);
}

/* An asynchronous copy of managed memory to the device. True if it has what it held first. */
static bool has_the_old(const char *from, cudaStream_t stream) {
    char *device = new_memory(SIZE);
    OK(cudaMemcpyAsync(device, from, SIZE, cudaMemcpyHostToDevice, stream));
    OK(cudaDeviceSynchronize());
    const bool old = device_holds(device, 1);
    REQUIRE(old || device_holds(device, 2));
    return old;
}

static void an_async_copy_of_managed_memory_comes_after_its_stream(void) {
    char *from = managed(1);
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, stream);
    REQUIRE(!has_the_old(from, stream));
    memset(from, 1, SIZE);
    fill_late(from, 2, 0);
    REQUIRE(!has_the_old(from, 0));
}

/* CUDA leaves that open; an H200 (driver 580.159) was seen to wait. */
static void an_async_copy_of_managed_memory_does_not_wait_for_an_event(void) {
    char *from = managed(1);
    const cudaStream_t writer = new_stream(cudaStreamNonBlocking), reader = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, writer);
    fork_stream(writer, reader);
    end_either_way(has_the_old(from, reader));
}

/* What is before by the legacy default stream's rules alone: an H200 once copied what was there before. */
static void an_async_copy_of_managed_memory_does_not_wait_for_blocking_streams(void) {
    char *from = managed(1);
    fill_late(from, 2, new_stream(0));
    end_either_way(has_the_old(from, 0));
}

static void work_after_the_event_is_waited_for(void) {
    char *from = managed(1);
    const cudaStream_t writer = new_stream(cudaStreamNonBlocking), reader = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, writer);
    fork_stream(writer, reader);
    launch_note(1, reader);
    REQUIRE(!has_the_old(from, reader));
}

static void a_record_after_the_event_is_waited_for(void) {
    char *from = managed(1);
    const cudaStream_t writer = new_stream(cudaStreamNonBlocking), reader = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, writer);
    fork_stream(writer, reader);
    OK(cudaEventRecord(new_event(), reader));
    REQUIRE(!has_the_old(from, reader));
}

static void a_record_on_the_legacy_stream_is_waited_for(void) {
    char *from = managed(1);
    fill_late(from, 2, new_stream(0));
    OK(cudaEventRecord(new_event(), 0));
    REQUIRE(!has_the_old(from, 0));
}

static void a_synchronization_waits_for_the_event(void) {
    char *from = managed(1);
    const cudaStream_t writer = new_stream(cudaStreamNonBlocking), reader = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, writer);
    fork_stream(writer, reader);
    OK(cudaStreamSynchronize(reader));
    REQUIRE(!has_the_old(from, reader));
}

static void a_copy_of_managed_memory_waits_for_blocking_streams(void) {
    char *from = managed(1), *device = new_memory(SIZE);
    fill_late(from, 2, new_stream(0));
    OK(cudaMemcpy(device, from, SIZE, cudaMemcpyHostToDevice));
    REQUIRE(device_holds(device, 2));
}

static void a_copy_by_pointers_of_managed_memory_waits_for_an_event(void) {
    char *from = managed(1), *device = new_memory(SIZE);
    const cudaStream_t writer = new_stream(cudaStreamNonBlocking), reader = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, writer);
    fork_stream(writer, reader);
    OK(cudaMemcpyAsync(device, from, SIZE, cudaMemcpyDefault, reader));
    OK(cudaDeviceSynchronize());
    REQUIRE(device_holds(device, 2));
}

/* So what comes first may be what stays. */
static void an_async_copy_within_the_host_does_not_wait_for_an_event(void) {
    char *to = managed(1), from[SIZE];
    const cudaStream_t other = new_stream(cudaStreamNonBlocking), stream = new_stream(cudaStreamNonBlocking);
    memset(from, 3, SIZE);
    fill_late(to, 2, other);
    fork_stream(other, stream);
    OK(cudaMemcpyAsync(to, from, SIZE, cudaMemcpyHostToHost, stream));
    OK(cudaDeviceSynchronize());
    REQUIRE(all(to, 2) || all(to, 3));
    end_either_way(all(to, 2));
}

static void an_async_copy_within_the_host_comes_after_its_stream(void) {
    char *to = managed(1), *from = managed(1);
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    fill_late(from, 2, stream);
    OK(cudaMemcpyAsync(to, from, SIZE, cudaMemcpyHostToHost, stream));
    OK(cudaDeviceSynchronize());
    REQUIRE(all(to, 2));
}

static void a_captured_copy_of_managed_memory_is_ordered_by_its_graph(void) {
    char *from = managed(1), *device = new_memory(SIZE);
    const cudaStream_t stream = new_stream(0), other = new_stream(0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    fork_stream(stream, other);
    fill_late(from, 2, other);
    fork_stream(other, stream);
    OK(cudaMemcpyAsync(device, from, SIZE, cudaMemcpyHostToDevice, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    REQUIRE(device_holds(device, 2));
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(an_async_copy_of_managed_memory_comes_after_its_stream, EVERY_SEED),
        RULE(an_async_copy_of_managed_memory_does_not_wait_for_an_event, DIFFERS),
        RULE(an_async_copy_of_managed_memory_does_not_wait_for_blocking_streams, DIFFERS),
        RULE(work_after_the_event_is_waited_for, EVERY_SEED),
        RULE(a_record_after_the_event_is_waited_for, EVERY_SEED),
        RULE(a_record_on_the_legacy_stream_is_waited_for, EVERY_SEED),
        RULE(a_synchronization_waits_for_the_event, EVERY_SEED),
        RULE(a_copy_of_managed_memory_waits_for_blocking_streams, EVERY_SEED),
        RULE(a_copy_by_pointers_of_managed_memory_waits_for_an_event, EVERY_SEED),
        RULE(an_async_copy_within_the_host_does_not_wait_for_an_event, DIFFERS),
        RULE(an_async_copy_within_the_host_comes_after_its_stream, EVERY_SEED),
        RULE(a_captured_copy_of_managed_memory_is_ordered_by_its_graph, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
