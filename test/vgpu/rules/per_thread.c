/*
 * CUDA Runtime API, "Stream synchronization behavior", per-thread default stream: what a program is that was
 * compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "test/vgpu/rules/rules.h"

#include <cuda.h>
#include <pthread.h>
#include <string.h>

enum { SIZE = 16 };

static bool before(int a, int b) {
    return place_of(a) < place_of(b);
}

/* A launch that names its stream by this file's rules. */
static void note(int entry, cudaStream_t stream) {
    const dim3 one = {1, 1, 1};
    struct journal *to = &journal;
    OK(cudaLaunchKernel(&note_stub, one, one, (void *[]){&to, &entry}, 0, stream));
}

static void in_other_thread(void *(*run)(void *), void *data) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, data) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static void *note_in_default_stream(void *entry) {
    note(*(int *)entry, 0);
    return NULL;
}

static unsigned long long id_of(cudaStream_t stream) {
    unsigned long long id;
    OK(cudaStreamGetId(stream, &id));
    return id;
}

static void *get_default_id(void *id) {
    *(unsigned long long *)id = id_of(0);
    return NULL;
}

static void the_default_stream_is_the_threads(void) {
    unsigned long long other;
    unsigned flags;
    int priority, device;
    in_other_thread(get_default_id, &other);
    REQUIRE(id_of(0) == id_of(cudaStreamPerThread));
    REQUIRE(id_of(0) != other && id_of(0) != id_of(cudaStreamLegacy) && other != id_of(cudaStreamLegacy));
    OK(cudaStreamGetFlags(0, &flags));
    OK(cudaStreamGetPriority(0, &priority));
    OK(cudaStreamGetDevice(0, &device));
    REQUIRE(flags == cudaStreamDefault && priority == 0 && device == 0);
    OK(cudaDeviceReset());
    note(1, 0);
    OK(cudaStreamSynchronize(0));
    REQUIRE(journal.count == 1);
}

static void threads_are_not_ordered(void) {
    int entry = 1;
    in_other_thread(note_in_default_stream, &entry);
    note(2, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 2);
    end_either_way(before(1, 2));
}

static void a_threads_work_outlives_it(void) {
    int entry = 1;
    in_other_thread(note_in_default_stream, &entry);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 1);
}

static void the_default_stream_is_fifo(void) {
    for (int i = 0; i < 20; i++)
        note(i, i % 2 ? 0 : cudaStreamPerThread);
    OK(cudaStreamSynchronize(0));
    REQUIRE(journal.count == 20);
    for (int i = 0; i < 20; i++)
        REQUIRE(journal.entries[i] == i);
}

static void legacy_still_orders_all_blocking_streams(void) {
    int entry = 1;
    in_other_thread(note_in_default_stream, &entry);
    note(2, 0);
    note(3, cudaStreamLegacy);
    note(4, 0);
    OK(cudaDeviceSynchronize());
    REQUIRE(before(1, 3) && before(2, 3) && before(3, 4));
}

static void the_default_stream_is_no_barrier(void) {
    const cudaStream_t stream = new_stream(0);
    note(1, stream);
    note(2, 0);
    OK(cudaMemset(new_memory(SIZE), 0, SIZE));
    note(3, new_stream(0));
    OK(cudaDeviceSynchronize());
    end_either_way(before(1, 3));
}

static void a_copy_waits_for_its_thread_only(void) {
    char host[SIZE] = {0};
    note(1, new_stream(0));
    note(2, 0);
    OK(cudaMemcpy(new_memory(SIZE), host, SIZE, cudaMemcpyHostToDevice));
    REQUIRE(place_of(2) >= 0);
    end_either_way(place_of(1) >= 0);
}

static void waiting_leaves_out_other_streams(void) {
    note(1, new_stream(0));
    note(2, 0);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
    }
    OK(cudaStreamSynchronize(0));
    REQUIRE(place_of(2) >= 0);
    end_either_way(place_of(1) >= 0);
}

static void events_cover_the_threads_stream(void) {
    const cudaEvent_t event = new_event();
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    note(1, stream);
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(0, event, 0));
    note(2, 0);
    OK(cudaEventRecordWithFlags(event, 0, 0));
    OK(cudaStreamWaitEvent(stream, event, 0));
    note(3, stream);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(before(1, 2) && before(2, 3));
}

static void do_nothing(void *data) {
    (void)data;
}

static void do_nothing_back(cudaStream_t stream, cudaError_t status, void *data) {
    REQUIRE(!stream || stream == cudaStreamPerThread);
    (void)status, (void)data;
}

/* The legacy stream could not be captured. */
static void asynchronous_calls_go_to_the_threads_stream(void) {
    static char host[SIZE];
    char *memory = new_memory(SIZE);
    const dim3 one = {1, 1, 1};
    const cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one};
    enum cudaStreamCaptureStatus status;
    int entry = 1;
    struct journal *to = &journal;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t count;
    OK(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    note(0, 0);
    OK(cudaLaunchKernelExC(&config, &note_stub, (void *[]){&to, &entry}));
    OK(cudaMemcpyAsync(memory, host, SIZE, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpy2DAsync(host, SIZE, memory, SIZE, SIZE, 1, cudaMemcpyDeviceToHost, 0));
    OK(cudaMemcpyToSymbolAsync(&counter_shadow, host, 4, 0, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpyFromSymbolAsync(host, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost, 0));
    OK(cudaMemsetAsync(memory, 0, SIZE, 0));
    OK(cudaMemset2DAsync(memory, SIZE, 0, SIZE, 1, 0));
    OK(cudaLaunchHostFunc(0, do_nothing, NULL));
    OK(cudaEventRecord(new_event(), 0));
    OK(cudaStreamIsCapturing(0, &status));
    REQUIRE(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamGetCaptureInfo(cudaStreamPerThread, &status, NULL, &graph, NULL, NULL, NULL));
    OK(cudaStreamEndCapture(0, &graph));
    OK(cudaGraphGetNodes(graph, NULL, &count));
    REQUIRE(count == 9);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphUpload(exec, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    REQUIRE(journal.count == 2 && before(0, 1));
}

static void memory_calls_go_to_the_threads_stream(void) {
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice};
    char host[SIZE];
    void *memory, *managed;
    OK(cudaMallocManaged(&managed, SIZE, cudaMemAttachGlobal));
    note(1, new_stream(0));
    OK(cudaMallocAsync(&memory, SIZE, 0));
    OK(cudaMemPrefetchAsync(managed, SIZE, device, 0, 0));
    OK(cudaMemset2D(memory, SIZE, 1, SIZE, 1));
    OK(cudaMemcpy2D(host, SIZE, memory, SIZE, SIZE, 1, cudaMemcpyDeviceToHost));
    REQUIRE(host[SIZE - 1] == 1);
    OK(cudaMemcpyToSymbol(&counter_shadow, host, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(host, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    OK(cudaStreamAddCallback(0, do_nothing_back, NULL, 0));
    OK(cudaFreeAsync(memory, 0));
    OK(cudaStreamSynchronize(0));
    end_either_way(place_of(1) >= 0);
}

static void synchronous_calls_cannot_be_captured(void) {
    char host[SIZE] = {0};
    void *memory = new_memory(SIZE);
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    REQUIRE(cudaMemcpy(memory, host, SIZE, cudaMemcpyHostToDevice) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamEndCapture(0, &graph) == cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    REQUIRE(cudaMemset(memory, 0, SIZE) == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamEndCapture(0, &graph) == cudaErrorStreamCaptureInvalidated);
}

static void driver_functions_are_found(void) {
    enum cudaDriverEntryPointQueryResult result;
    void *function = NULL;
    OK(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 13000, cudaEnableDefault,
                                        &result));
    REQUIRE(function && result == cudaDriverEntryPointSuccess);
}

static CUresult (*record_event)(CUevent, CUstream);
static CUresult (*wait_event)(CUstream, CUevent, unsigned);

static void find_event_functions(unsigned long long flags) {
    void *record, *wait;
    OK(cudaGetDriverEntryPointByVersion("cuEventRecord", &record, 12000, flags, NULL));
    OK(cudaGetDriverEntryPointByVersion("cuStreamWaitEvent", &wait, 12000, flags, NULL));
    memcpy(&record_event, &record, sizeof(record));
    memcpy(&wait_event, &wait, sizeof(wait));
}

/* Writes one cell in two streams that nothing orders but the driver API's event. */
static void order_by_driver(cudaStream_t first, cudaStream_t second) {
    char *memory;
    cudaEvent_t event;
    cudaStream_t own;
    OK(cudaMalloc((void **)&memory, 1));
    OK(cudaEventCreate(&event));
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    OK(cudaMemsetAsync(memory, 1, 1, first ? first : own));
    REQUIRE(record_event(event, first ? first : own) == CUDA_SUCCESS);
    REQUIRE(wait_event(second, event, 0) == CUDA_SUCCESS);
    OK(cudaMemsetAsync(memory, 2, 1, second ? second : cudaStreamPerThread));
    OK(cudaDeviceSynchronize());
}

static void driver_events_order(void) {
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    find_event_functions(cudaEnableDefault);
    order_by_driver(NULL, own);
    order_by_driver(NULL, NULL);
    find_event_functions(cudaEnablePerThreadDefaultStream);
    order_by_driver(cudaStreamPerThread, own);
    order_by_driver(NULL, NULL);
}

/* Errors of the driver API are returned, and are not the runtime API's last error. */
static void driver_errors_are_no_last_errors(void) {
    cudaEvent_t event;
    find_event_functions(cudaEnableDefault);
    OK(cudaEventCreate(&event));
    REQUIRE(record_event(NULL, cudaStreamLegacy) == CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(wait_event(cudaStreamLegacy, NULL, 0) == CUDA_ERROR_INVALID_HANDLE);
    OK(cudaPeekAtLastError());
    REQUIRE(record_event(event, NULL) == CUDA_ERROR_UNKNOWN);
    OK(cudaGetLastError());
    REQUIRE(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    REQUIRE(record_event(event, NULL) == CUDA_SUCCESS);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(the_default_stream_is_the_threads, EVERY_SEED),
        RULE(threads_are_not_ordered, DIFFERS),
        RULE(a_threads_work_outlives_it, EVERY_SEED),
        RULE(the_default_stream_is_fifo, EVERY_SEED),
        RULE(legacy_still_orders_all_blocking_streams, EVERY_SEED),
        RULE(the_default_stream_is_no_barrier, DIFFERS),
        RULE(a_copy_waits_for_its_thread_only, DIFFERS),
        RULE(waiting_leaves_out_other_streams, DIFFERS),
        RULE(events_cover_the_threads_stream, EVERY_SEED),
        RULE(asynchronous_calls_go_to_the_threads_stream, EVERY_SEED),
        RULE(memory_calls_go_to_the_threads_stream, DIFFERS),
        RULE(synchronous_calls_cannot_be_captured, ONCE),
        RULE(driver_functions_are_found, ONCE),
        RULE(driver_events_order, ONCE, .environment = "VGPU_CHECK=races"),
        RULE(driver_errors_are_no_last_errors, ONCE, .environment = "VGPU_FAIL=cudaEventRecord:2"),
    };
    return RULES_MAIN(rules);
}
