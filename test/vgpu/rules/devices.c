/*
 * CUDA Programming Guide, "Multi-Device System": which devices there are, and what belongs to one.
 */
#include "test/vgpu/rules/on_devices.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* Choosing a device */

static void there_is_one_device(void) {
    int count;
    OK(cudaGetDeviceCount(&count));
    REQUIRE(count == 1);
    REQUIRE(cudaSetDevice(1) == cudaErrorInvalidDevice);
}

static void devices_are_counted(void) {
    struct cudaDeviceProp properties[2];
    int count, value, can;
    OK(cudaGetDeviceCount(&count));
    REQUIRE(count == 2);
    REQUIRE(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaSetDevice(-1) == cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&properties[0], 0));
    OK(cudaGetDeviceProperties(&properties[1], 1));
    REQUIRE(properties[0].pciBusID != properties[1].pciBusID);
    REQUIRE(memcmp(&properties[0].uuid, &properties[1].uuid, sizeof(properties[0].uuid)) != 0);
    REQUIRE(cudaGetDeviceProperties(properties, 2) == cudaErrorInvalidDevice);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, 1));
    REQUIRE(value == properties[1].pciBusID);
    REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, 2) == cudaErrorInvalidDevice);
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    REQUIRE(can);
    OK(cudaDeviceCanAccessPeer(&can, 1, 1));
    REQUIRE(!can);
    REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 2) == cudaErrorInvalidDevice);
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    REQUIRE(value == 1);
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 1, 0));
    REQUIRE(value == 0);
    REQUIRE(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 2) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)99, 0, 1) == cudaErrorInvalidValue);
    REQUIRE(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1) == cudaErrorInvalidValue);
    value = 1;
    OK(cudaChooseDevice(&value, &properties[1]));
    REQUIRE(value == 0);
    REQUIRE(cudaChooseDevice(&value, NULL) == cudaErrorInvalidValue &&
            cudaChooseDevice(NULL, properties) == cudaErrorInvalidValue);
    OK(cudaInitDevice(1, 0, 0));
    REQUIRE(cudaInitDevice(2, 0, 0) == cudaErrorInvalidDevice);
}

static void *get_device(void *device) {
    OK(cudaGetDevice(device));
    return NULL;
}

static void each_thread_has_a_device_of_its_own(void) {
    pthread_t thread;
    int other = -1;
    use(1);
    REQUIRE(pthread_create(&thread, NULL, get_device, &other) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(other == 0);
}

/* What belongs to a device */

static void memory_belongs_to_a_device(void) {
    size_t before_it, after_it, total;
    OK(cudaMemGetInfo(&before_it, &total));
    void *const memory = memory_on(1);
    REQUIRE(device_of(memory) == 1);
    use(0);
    OK(cudaMemGetInfo(&after_it, &total));
    REQUIRE(after_it == before_it);
    use(1);
    OK(cudaMemGetInfo(&after_it, &total));
    REQUIRE(after_it == before_it - SIZE);
    const cudaStream_t stream = stream_on(0, 0);
    void *pool;
    use(1);
    OK(cudaMallocAsync(&pool, SIZE, stream));
    REQUIRE(device_of(pool) == 0);
    use(0);
    OK(cudaFree(memory));
}

static void streams_belong_to_a_device(void) {
    int device;
    const cudaStream_t stream = stream_on(1, 0);
    use(0);
    OK(cudaStreamGetDevice(stream, &device));
    REQUIRE(device == 1);
    OK(cudaStreamGetDevice(0, &device));
    REQUIRE(device == 0);
    REQUIRE(launch(&note_stub, NULL, stream) == cudaErrorInvalidValue);
    int entry = 1;
    struct journal *to = &journal;
    REQUIRE(launch(&note_stub, (void *[]){&to, &entry}, stream) == cudaErrorInvalidResourceHandle);
    use(1);
    launch_note(2, stream);
    use(0);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(journal.count == 1 && journal.entries[0] == 2);
    OK(cudaStreamDestroy(stream));
}

static void copies_may_use_another_devices_stream(void) {
    char host[SIZE];
    const cudaStream_t stream = stream_on(1, 0);
    void *const memory = memory_on(0);
    OK(cudaMemsetAsync(memory, 7, SIZE, stream));
    OK(cudaMemcpyAsync(host, memory, SIZE, cudaMemcpyDeviceToHost, stream));
    REQUIRE(host[SIZE - 1] == 7);
}

static void events_are_recorded_on_their_device(void) {
    float milliseconds;
    cudaEvent_t first, last;
    const cudaStream_t stream = stream_on(1, 0);
    OK(cudaEventCreate(&last));
    OK(cudaEventRecord(last, stream));
    use(0);
    OK(cudaEventCreate(&first));
    REQUIRE(cudaEventRecord(first, stream) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaEventRecord(last, 0) == cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(first, 0));
    OK(cudaEventSynchronize(first));
    OK(cudaEventSynchronize(last));
    OK(cudaEventQuery(last));
    REQUIRE(cudaEventElapsedTime(&milliseconds, first, last) == cudaErrorInvalidResourceHandle);
}

static void events_order_across_devices(void) {
    const cudaStream_t a = stream_on(0, 0), b = stream_on(1, 0);
    const cudaEvent_t event = new_event();
    launch_note(1, b);
    OK(cudaEventRecord(event, b));
    use(0);
    OK(cudaStreamWaitEvent(a, event, 0));
    launch_note(2, a);
    OK(cudaStreamSynchronize(a));
    REQUIRE(before(1, 2));
}

static int add_to_counter(int device) {
    int value = 1, got;
    use(device);
    OK(launch(&count_stub, (void *[]){&value}, 0));
    OK(cudaMemcpyFromSymbol(&got, &counter_shadow, sizeof(got), 0, cudaMemcpyDeviceToHost));
    return got;
}

static void variables_belong_to_a_device(void) {
    void *first, *second;
    REQUIRE(add_to_counter(0) == 9);
    REQUIRE(add_to_counter(1) == 9);
    REQUIRE(add_to_counter(1) == 11);
    OK(cudaGetSymbolAddress(&second, &counter_shadow));
    use(0);
    OK(cudaGetSymbolAddress(&first, &counter_shadow));
    REQUIRE(first != second && device_of(first) == 0 && device_of(second) == 1);
}

static void function_attributes_belong_to_a_device(void) {
    struct cudaFuncAttributes attributes;
    OK(cudaFuncSetAttribute(&note_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    use(1);
    OK(cudaFuncGetAttributes(&attributes, &note_stub));
    REQUIRE(attributes.maxDynamicSharedSizeBytes == 48 << 10);
}

/* Faults and resets */

static void a_fault_stays_on_its_device(void) {
    const cudaStream_t stream = stream_on(1, 0);
    OK(launch(&trap_stub, NULL, stream));
    use(0);
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
    REQUIRE(cudaGetLastError() == cudaErrorLaunchFailure);
    OK(cudaGetLastError());
    launch_note(1, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 1);
    REQUIRE(cudaSetDevice(1) == cudaErrorLaunchFailure);
    OK(cudaDeviceReset());
    launch_note(2, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 2);
}

static void a_reset_leaves_other_devices_alone(void) {
    const cudaStream_t kept = stream_on(0, 0);
    void *const kept_memory = memory_on(0), *const lost_memory = memory_on(1);
    use(0);
    const cudaEvent_t kept_event = new_event();
    use(1);
    OK(cudaDeviceReset());
    REQUIRE(cudaFree(lost_memory) == cudaErrorInvalidValue);
    use(0);
    launch_fill(kept_memory, SIZE, 1, kept);
    OK(cudaEventRecord(kept_event, kept));
    OK(cudaEventSynchronize(kept_event));
    OK(cudaFree(kept_memory));
}

/* Captures and graphs */

static void a_capture_crosses_devices(void) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    const cudaStream_t a = stream_on(0, 0), b = stream_on(1, 0);
    const cudaEvent_t there = new_event();
    use(0);
    const cudaEvent_t here = new_event();
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    launch_note(1, a);
    OK(cudaEventRecord(here, a));
    OK(cudaStreamWaitEvent(b, here, 0));
    use(1);
    launch_note(2, b);
    OK(cudaEventRecord(there, b));
    use(0);
    OK(cudaStreamWaitEvent(a, there, 0));
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, a));
    use(1);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 2 && before(1, 2));
}

static void captures_leave_other_devices_alone(void) {
    enum cudaStreamCaptureStatus status;
    const cudaStream_t stream = stream_on(1, 0);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    use(0);
    launch_note(1, 0);
    OK(cudaDeviceSynchronize());
    OK(cudaStreamIsCapturing(stream, &status));
    REQUIRE(status == cudaStreamCaptureStatusActive);
    use(1);
    REQUIRE(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(there_is_one_device, ONCE),
        ON_TWO(devices_are_counted, ONCE),
        ON_TWO(each_thread_has_a_device_of_its_own, ONCE),
        ON_TWO(memory_belongs_to_a_device, EVERY_SEED),
        ON_TWO(streams_belong_to_a_device, EVERY_SEED),
        ON_TWO(copies_may_use_another_devices_stream, EVERY_SEED),
        ON_TWO(events_are_recorded_on_their_device, ONCE),
        ON_TWO(events_order_across_devices, EVERY_SEED),
        ON_TWO(variables_belong_to_a_device, EVERY_SEED),
        ON_TWO(function_attributes_belong_to_a_device, ONCE),
        ON_TWO(a_fault_stays_on_its_device, EVERY_SEED),
        ON_TWO(a_reset_leaves_other_devices_alone, EVERY_SEED),
        ON_TWO(a_capture_crosses_devices, EVERY_SEED),
        ON_TWO(captures_leave_other_devices_alone, ONCE),
    };
    return RULES_MAIN(rules);
}
