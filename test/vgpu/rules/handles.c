/*
 * Handles that are not there. A real driver follows them: driver 580 on an H100 crashed with most of these,
 * and answered the others anything. So the virtual GPU ends the program.
 */
#include "test/vgpu/rules/rules.h"

#include <cuda.h>
#include <pthread.h>
#include <string.h>

enum { BAD_HANDLE = 67, SIZE = 64 };

static void a_destroyed_stream_is_gone(void) {
    const cudaStream_t stream = new_stream(0);
    OK(cudaStreamDestroy(stream));
    new_stream(0); /* in its place */
    cudaStreamSynchronize(stream);
}

static void a_destroyed_stream_has_no_number(void) {
    const cudaStream_t stream = new_stream(0);
    unsigned long long id;
    OK(cudaStreamDestroy(stream));
    cudaStreamGetId(stream, &id);
}

static void a_stream_is_destroyed_once(void) {
    const cudaStream_t stream = new_stream(0);
    OK(cudaStreamDestroy(stream));
    cudaStreamDestroy(stream);
}

static void a_forged_stream_is_none(void) {
    launch(&trap_stub, NULL, (cudaStream_t)0x1234);
}

static void a_destroyed_event_is_gone(void) {
    const cudaEvent_t event = new_event();
    OK(cudaEventDestroy(event));
    cudaEventRecord(event, 0);
}

static void a_stream_is_no_event(void) {
    cudaEventQuery((cudaEvent_t)new_stream(0));
}

static cudaGraph_t new_graph(void) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}

/* Of a node that is the current device's. */
static cudaGraphExec_t new_exec(void) {
    const cudaGraph_t graph = new_graph();
    const struct cudaMemsetParams params = {
        .dst = new_memory(SIZE), .elementSize = 1, .width = SIZE, .height = 1};
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void a_destroyed_graph_is_gone(void) {
    const cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    OK(cudaGraphDestroy(graph));
    cudaGraphInstantiate(&exec, graph, 0);
}

static void a_destroyed_executable_graph_is_gone(void) {
    const cudaGraphExec_t exec = new_exec();
    OK(cudaGraphExecDestroy(exec));
    cudaGraphLaunch(exec, 0);
}

static void a_destroyed_pool_is_gone(void) {
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool;
    void *memory;
    OK(cudaMemPoolCreate(&pool, &properties));
    OK(cudaMemPoolDestroy(pool));
    cudaMallocFromPoolAsync(&memory, SIZE, pool, 0);
}

static void a_destroyed_array_is_gone(void) {
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 4, 4, 0));
    OK(cudaFreeArray(array));
    cudaFreeArray(array);
}

static void a_reset_destroys_streams(void) {
    const cudaStream_t stream = new_stream(0);
    OK(cudaDeviceReset());
    cudaStreamDestroy(stream);
}

static void a_reset_destroys_events(void) {
    const cudaEvent_t event = new_event();
    OK(cudaDeviceReset());
    new_event();
    cudaEventDestroy(event);
}

static void a_reset_destroys_executable_graphs(void) {
    const cudaGraphExec_t exec = new_exec();
    OK(cudaDeviceReset());
    cudaGraphExecDestroy(exec);
}

/* CUDA Driver API, "cuCtxGetId": what tells of a reset without such a handle. */

static CUresult context_id(unsigned long long *id) {
    CUresult(CUDAAPI * get)(CUcontext, unsigned long long *);
    enum cudaDriverEntryPointQueryResult status;
    void *found;
    *id = 0;
    OK(cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000, cudaEnableLegacyStream, &status));
    memcpy(&get, &found, sizeof(get));
    return get(NULL, id);
}

static unsigned long long legacy_id(void) {
    unsigned long long id;
    OK(cudaStreamGetId(cudaStreamLegacy, &id));
    return id;
}

static void *ask_in_a_new_thread(void *first) {
    unsigned long long id;
    REQUIRE(context_id(&id) == CUDA_ERROR_INVALID_CONTEXT);
    legacy_id();
    REQUIRE(context_id(&id) == CUDA_SUCCESS && id == *(unsigned long long *)first);
    return NULL;
}

static void a_context_has_a_number_that_is_its_own(void) {
    unsigned long long first, second, legacy;
    pthread_t thread;
    legacy = legacy_id();
    REQUIRE(context_id(&first) == CUDA_SUCCESS && first);
    REQUIRE(pthread_create(&thread, NULL, ask_in_a_new_thread, &first) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    new_stream(0);
    REQUIRE(context_id(&second) == CUDA_SUCCESS && second == first);
    OK(cudaDeviceReset());
#ifndef RULES_OF_A_DEVICE /* whose harness maps memory behind a reset */
    REQUIRE(context_id(&second) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
#endif
    REQUIRE(legacy_id() != legacy);
    REQUIRE(context_id(&second) == CUDA_SUCCESS && second != first);
}

#define ENDS(rule, text) RULE(rule, ONCE, .status = BAD_HANDLE, .prints = text "; a real driver crashes here")

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        ENDS(a_destroyed_stream_is_gone, "vgpu: cudaStreamSynchronize: the stream was destroyed"),
        ENDS(a_destroyed_stream_has_no_number, "vgpu: cudaStreamGetId: the stream was destroyed"),
        ENDS(a_stream_is_destroyed_once, "vgpu: cudaStreamDestroy: the stream was destroyed"),
        ENDS(a_forged_stream_is_none, "vgpu: cudaLaunchKernel: the stream never was one"),
        ENDS(a_destroyed_event_is_gone, "vgpu: cudaEventRecord: the event was destroyed"),
        ENDS(a_stream_is_no_event, "vgpu: cudaEventQuery: the event never was one"),
        ENDS(a_destroyed_graph_is_gone, "vgpu: cudaGraphInstantiate: the graph was destroyed"),
        ENDS(a_destroyed_executable_graph_is_gone,
             "vgpu: cudaGraphLaunch: the executable graph was destroyed"),
        ENDS(a_destroyed_pool_is_gone, "vgpu: cudaMallocFromPoolAsync: the memory pool was destroyed"),
        ENDS(a_destroyed_array_is_gone, "vgpu: cudaFreeArray: the array was destroyed"),
        ENDS(a_reset_destroys_streams, "vgpu: cudaStreamDestroy: the stream was destroyed"),
        ENDS(a_reset_destroys_events, "vgpu: cudaEventDestroy: the event was destroyed"),
        ENDS(a_reset_destroys_executable_graphs,
             "vgpu: cudaGraphExecDestroy: the executable graph was destroyed"),
        RULE(a_context_has_a_number_that_is_its_own, ONCE),
    };
    return RULES_MAIN(rules);
}
