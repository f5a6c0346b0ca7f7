/* The VGPU_ variables: bad values, failures on demand, statistics; and what is not modelled. */
#include "test/vgpu/rules/rules.h"

#include <jansson.h>
#include <string.h>

static void never_run(void) {
    printf("the program ran\n");
}

static void the_second_malloc_fails(void) {
    void *memory;
    OK(cudaMalloc(&memory, 1));
    REQUIRE(cudaMalloc(&memory, 1) == cudaErrorMemoryAllocation);
    REQUIRE(cudaGetLastError() == cudaErrorMemoryAllocation);
    OK(cudaMalloc(&memory, 1));
}

static void two_functions_fail(void) {
    cudaStream_t stream;
    REQUIRE(cudaStreamCreateWithFlags(&stream, 0) == cudaErrorMemoryAllocation);
    REQUIRE(cudaStreamCreateWithFlags(&stream, 0) == cudaErrorMemoryAllocation);
    OK(cudaStreamCreateWithFlags(&stream, 0));
    REQUIRE(cudaEventRecord(new_event(), stream) == cudaErrorUnknown);
    OK(cudaDeviceSynchronize());
}

static void a_failed_launch_does_not_run(void) {
    int entry = 1;
    struct journal *to = &journal;
    REQUIRE(launch(&note_stub, (void *[]){&to, &entry}, 0) == cudaErrorLaunchOutOfResources);
    OK(cudaDeviceSynchronize());
    REQUIRE(journal.count == 0);
}

static void unmodelled_functions_say_so(void) {
    (void)cudaGraphDebugDotPrint(NULL, "graph.dot", 0);
}

static void unmodelled_event(void) {
    cudaEvent_t event;
    (void)cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming);
}

static void unmodelled_external_event(void) {
    const cudaStream_t stream = new_stream(0);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    (void)cudaEventRecordWithFlags(new_event(), stream, cudaEventRecordExternal);
}

static void unmodelled_captured_allocation(void) {
    const cudaStream_t stream = new_stream(0);
    void *memory;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    (void)cudaMallocAsync(&memory, 4, stream);
}

static void unmodelled_launch_attribute(void) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
    const cudaLaunchConfig_t config = {
        .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    (void)cudaLaunchKernelExC(&config, (const void *)&note_stub, NULL);
}

static void unmodelled_node_parameters(void) {
    void *extra[] = {NULL};
    const struct cudaKernelNodeParams params = {
        .func = (void *)&note_stub, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .extra = extra};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    (void)cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
}

static void a_gpu_program_is_refused(void) {
    static const long image[16] = {0x50ED55BA};
    static struct {
        int magic, version;
        const void *image;
        void *unused;
    } wrapper = {0x466243b1, 1, image, NULL};
    extern void **__cudaRegisterFatBinary(void *);
    __cudaRegisterFatBinary(&wrapper);
}

static json_int_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    REQUIRE(json_is_integer(value));
    return json_integer_value(value);
}

#define STATS_FILE "vgpu_rule_settings.json"

static void stats_are_written_at_exit(void) {
    char host[4] = {0};
    void *memory = new_memory(4);
    const cudaStream_t stream = new_stream(0);
    const cudaEvent_t event = new_event();
    launch_note(1, stream);
    launch_note(2, stream);
    OK(cudaMemcpy(memory, host, 4, cudaMemcpyHostToDevice));
    OK(cudaMemset(memory, 0, 4));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(0, event, 0));
    OK(cudaEventSynchronize(event));
    OK(cudaStreamSynchronize(stream));
    OK(cudaDeviceSynchronize());
    REQUIRE(cudaStreamDestroy(0) != cudaSuccess);
}

static void tell(void *told) {
    *(bool *)told = true;
}

static void in_null_mode_nothing_runs(void) {
    char host[4] = {1, 2, 3, 4}, *pinned;
    bool told = false;
    float milliseconds = -1;
    char *memory = new_memory(4);
    const cudaStream_t stream = new_stream(0), other = new_stream(0);
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaMallocHost((void **)&pinned, 4));
    REQUIRE(memory && stream != other);
    memset(pinned, 9, 4);
    launch_note(1, stream);
    OK(cudaMemcpyAsync(pinned, memory, 4, cudaMemcpyDeviceToHost, stream));
    OK(cudaMemset(memory, 0, 4));
    OK(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost));
    OK(cudaLaunchHostFunc(stream, tell, &told));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(other, event, 0));
    OK(cudaEventQuery(event));
    OK(cudaEventSynchronize(event));
    OK(cudaDeviceSynchronize());
    OK(cudaEventElapsedTime(&milliseconds, event, event));
    OK(cudaGetLastError());
    REQUIRE(journal.count == 0 && !told && pinned[3] == 9 && host[0] == 1 && milliseconds == 0);
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(memory));
}

static void stats_count_what_was_done(void) {
    json_error_t error;
    json_t *stats = json_load_file(STATS_FILE, 0, &error);
    REQUIRE(stats);
    REQUIRE(number(stats, "launches") == 2);
    REQUIRE(number(stats, "copies") == 1);
    REQUIRE(number(stats, "streams") == 1);
    REQUIRE(number(stats, "event_records") == 1);
    REQUIRE(number(stats, "event_waits") == 1);
    REQUIRE(number(stats, "syncs") == 3);
    REQUIRE(number(stats, "races") == 0);
    REQUIRE(number(stats, "bytes_to_device") == 4);
    REQUIRE(number(stats, "bytes_to_host") == 0);
    REQUIRE(number(stats, "page_faults") == 0);
    REQUIRE(number(stats, "migrated_bytes") == 0);
    REQUIRE(json_real_value(json_object_get(stats, "virtual_time_us")) > 0);
    const json_t *calls = json_object_get(stats, "calls");
    REQUIRE(number(calls, "cudaLaunchKernel") == 2);
    REQUIRE(number(calls, "cudaMemset") == 1);
    REQUIRE(number(calls, "cudaStreamDestroy") == 1);
    REQUIRE(!json_object_get(calls, "cudaFree"));
    json_decref(stats);
    REQUIRE(remove(STATS_FILE) == 0);
}

#define EIGHT(text) text text text text text text text text

#define UNMODELLED(run_, text) RULE(run_, ONCE, .status = 65, .prints = text)

#define REFUSED(run_, setting, text)                                                                         \
    {.name = text,                                                                                           \
     .run = run_,                                                                                            \
     .kind = ONCE,                                                                                           \
     .environment = setting,                                                                                 \
     .status = 64,                                                                                           \
     .prints = text,                                                                                         \
     .prints_not = "the program ran"}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        REFUSED(never_run, "VGPU_CHECK=foo", "VGPU_CHECK=foo: must be 'races'"),
        REFUSED(never_run, "VGPU_FAIL=nonsense", "VGPU_FAIL=nonsense: a ':' is missing"),
        REFUSED(never_run, "VGPU_FAIL=cudaNothing:1", "VGPU_FAIL=cudaNothing:1: no such function"),
        REFUSED(never_run, "VGPU_FAIL=cudaMaloc:1", ": no such function, did you mean cudaMalloc; must be"),
        REFUSED(never_run, "VGPU_FAIL=cudaMalloc:0", "VGPU_FAIL=cudaMalloc:0: no call number"),
        REFUSED(never_run, "VGPU_FAIL=cudaMalloc:1,", "VGPU_FAIL=cudaMalloc:1,: a ':' is missing"),
        REFUSED(never_run, "VGPU_FAIL=cudaMalloc:1x", "VGPU_FAIL=cudaMalloc:1x: no call number"),
        REFUSED(never_run, "VGPU_FAIL=" EIGHT(EIGHT("cudaFree:1,")) "cudaFree:1", ": too many entries"),
        REFUSED(never_run, "VGPU_STATS=/nowhere/at/all", "VGPU_STATS=/nowhere/at/all: must be the path"),
        REFUSED(never_run, "VGPU_DEVICES=0", "VGPU_DEVICES=0: must be a whole number from 1 to 16"),
        REFUSED(never_run, "VGPU_DEVICES=17", "VGPU_DEVICES=17: must be a whole number from 1 to 16"),
        REFUSED(never_run, "VGPU_DEVICES=2x", "VGPU_DEVICES=2x: must be a whole number from 1 to 16"),
        REFUSED(never_run, "VGPU_CONCURRENT_MANAGED=no", "VGPU_CONCURRENT_MANAGED=no: must be 0 or 1"),
        REFUSED(never_run, "VGPU_CONCURRENT_MANAGED=", "VGPU_CONCURRENT_MANAGED=: must be 0 or 1"),
        REFUSED(never_run, "VGPU_DEVICE_MODEL=h100", "VGPU_DEVICE_MODEL=h100: must be 'h200' or 'a100'"),
        REFUSED(never_run, "VGPU_DEVICE_MODEL=", "VGPU_DEVICE_MODEL=: must be 'h200' or 'a100'"),
        REFUSED(never_run, "VGPU_COUNTS=/nowhere/at/all", "VGPU_COUNTS=/nowhere/at/all: must be the path"),
        REFUSED(never_run, "VGPU_TRACE=/nowhere/at/all", "VGPU_TRACE=/nowhere/at/all: must be the path"),
        REFUSED(never_run, "VGPU_MODE=none", "VGPU_MODE=none: must be 'run' or 'null'"),
        REFUSED(never_run, "VGPU_MODE=null VGPU_TIME=1", "VGPU_MODE=null: must not be used with"),
        REFUSED(never_run, "VGPU_MODE=null VGPU_CHECK=races", "VGPU_MODE=null: must not be used with "),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file", "VGPU_EXTRAPOLATE=file: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=:2", "VGPU_EXTRAPOLATE=:2: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file:", "VGPU_EXTRAPOLATE=file:: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file:0.5", "VGPU_EXTRAPOLATE=file:0.5: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file:2x", "VGPU_EXTRAPOLATE=file:2x: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file:nan", "VGPU_EXTRAPOLATE=file:nan: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=file:inf", "VGPU_EXTRAPOLATE=file:inf: must be FILE:R"),
        REFUSED(never_run, "VGPU_EXTRAPOLATE=/nowhere/at/all:2",
                "VGPU_EXTRAPOLATE: unable to open /nowhere/at/all: No such file"),
        REFUSED(never_run, "VGPU_TIME=yes", "VGPU_TIME=yes: must be 0 or 1"),
        REFUSED(never_run, "VGPU_SEED=abc", "VGPU_SEED=abc: must be a whole number"),
        REFUSED(never_run, "VGPU_SEED=-1", "VGPU_SEED=-1: must be a whole number"),
        REFUSED(never_run, "VGPU_SEED=99999999999999999999", "VGPU_SEED=99999999999999999999: must be"),
        REFUSED(never_run, "VGPU_SEED=", "VGPU_SEED=: must be a whole number"),
        RULE(never_run, ONCE, .environment = "VGPU_TIM=1",
             .prints = "vgpu: VGPU_TIM is ignored: did you mean VGPU_TIME?"),
        RULE(the_second_malloc_fails, EVERY_SEED, .environment = "VGPU_FAIL=cudaMalloc:2"),
        RULE(two_functions_fail, ONCE,
             .environment =
                 "VGPU_FAIL=cudaStreamCreateWithFlags:1,cudaEventRecord:1,cudaStreamCreateWithFlags:2"),
        RULE(a_failed_launch_does_not_run, EVERY_SEED, .environment = "VGPU_FAIL=cudaLaunchKernel:1"),
        RULE(in_null_mode_nothing_runs, ONCE, .environment = "VGPU_MODE=null"),
        RULE(unmodelled_functions_say_so, ONCE, .status = 65,
             .prints = "cudaGraphDebugDotPrint is not modelled"),
        UNMODELLED(unmodelled_event, "cudaEventInterprocess is not modelled: events of one process only"),
        UNMODELLED(unmodelled_external_event,
                   "cudaEventRecordWithFlags is not modelled: external events in a graph"),
        UNMODELLED(unmodelled_captured_allocation,
                   "cudaMallocAsync is not modelled: in a stream that is captured"),
        UNMODELLED(unmodelled_launch_attribute,
                   "cudaLaunchKernelExC is not modelled: clusters of several blocks"),
        UNMODELLED(unmodelled_node_parameters,
                   "cudaGraphAddKernelNode is not modelled: parameters by way of `extra`"),
        RULE(a_gpu_program_is_refused, ONCE, .status = 65, .prints = "not built by vgpu-clang++"),
        RULE(stats_are_written_at_exit, ONCE, .environment = "VGPU_STATS=" STATS_FILE),
        RULE(stats_count_what_was_done, ONCE),
    };
    return RULES_MAIN(rules);
}
