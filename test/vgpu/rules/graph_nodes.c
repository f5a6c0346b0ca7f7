/* CUDA Runtime API, "Graph Management": nodes made by hand that copy, set, allocate and free. */
#include "test/vgpu/rules/rules.h"

#include <string.h>

enum { COUNT = 16, SIZE = COUNT * (int)sizeof(int) };

static cudaGraph_t new_graph(void) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphExec_t run(cudaGraph_t graph) {
    cudaGraphExec_t exec = NULL;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, new_stream(cudaStreamNonBlocking)));
    OK(cudaDeviceSynchronize());
    return exec;
}

static cudaGraphNode_t add_set(cudaGraph_t graph, const cudaGraphNode_t *before, void *to, unsigned element,
                               unsigned value) {
    const struct cudaMemsetParams params = {
        .dst = to, .elementSize = element, .value = value, .width = SIZE / element, .height = 1};
    cudaGraphNode_t node;
    OK(cudaGraphAddMemsetNode(&node, graph, before, before != NULL, &params));
    return node;
}

static cudaGraphNode_t add_copy(cudaGraph_t graph, const cudaGraphNode_t *before, void *to, const void *from,
                                enum cudaMemcpyKind kind) {
    cudaGraphNode_t node;
    OK(cudaGraphAddMemcpyNode1D(&node, graph, before, before != NULL, to, from, SIZE, kind));
    return node;
}

/* What is copied is what the host has when the graph is launched. */
static void copies_and_sets_run_in_order(void) {
    int *const memory = new_memory(SIZE), *const other = new_memory(SIZE), host[COUNT], got[COUNT],
               set[COUNT];
    const cudaGraph_t graph = new_graph();
    memset(host, 0, sizeof(host));
    const cudaGraphNode_t up = add_copy(graph, NULL, memory, host, cudaMemcpyHostToDevice);
    struct cudaMemcpy3DParms params = {.srcPtr = {memory, SIZE, COUNT, 1},
                                       .dstPtr = {got, SIZE, COUNT, 1},
                                       .extent = {SIZE, 1, 1},
                                       .kind = cudaMemcpyDeviceToHost};
    cudaGraphNode_t down;
    OK(cudaGraphAddMemcpyNode(&down, graph, &up, 1, &params));
    const cudaGraphNode_t fill = add_set(graph, &down, other, 4, 0x01020304);
    add_copy(graph, &fill, set, other, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    run(graph);
    REQUIRE(!memcmp(host, got, sizeof(got)));
    REQUIRE(set[0] == 0x01020304 && set[COUNT - 1] == 0x01020304);
}

static void sets_have_elements_of_two_bytes_too(void) {
    const cudaGraph_t graph = new_graph();
    int *const memory = new_memory(SIZE), got[COUNT];
    add_set(graph, NULL, memory, 2, 0x0a0b);
    run(graph);
    OK(cudaMemcpy(got, memory, SIZE, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 0x0a0b0a0b && got[COUNT - 1] == 0x0a0b0a0b);
}

/* The memory is the graph's: every launch has it anew, and one executable graph at a time. */
static void memory_lives_from_node_to_node(void) {
    const cudaGraph_t graph = new_graph();
    struct cudaMemAllocNodeParams params = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = SIZE};
    cudaGraphNode_t made, freed;
    enum cudaGraphNodeType type;
    int got[COUNT];
    OK(cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    const cudaGraphNode_t fill = add_set(graph, &made, params.dptr, 4, 7);
    const cudaGraphNode_t copy = add_copy(graph, &fill, got, params.dptr, cudaMemcpyDeviceToHost);
    OK(cudaGraphAddMemFreeNode(&freed, graph, &copy, 1, params.dptr));
    OK(cudaGraphNodeGetType(made, &type));
    REQUIRE(type == cudaGraphNodeTypeMemAlloc);
    OK(cudaGraphNodeGetType(freed, &type));
    REQUIRE(type == cudaGraphNodeTypeMemFree);
    const cudaGraphExec_t exec = run(graph);
    REQUIRE(got[COUNT - 1] == 7);
    cudaGraphExec_t other;
    REQUIRE(cudaFree(params.dptr) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphInstantiate(&other, graph, 0) == cudaErrorNotSupported);
    OK(cudaGraphExecDestroy(exec));
    got[0] = 0;
    run(graph);
    REQUIRE(got[0] == 7);
}

static void memory_that_is_freed_beside_its_use_races(void) {
    const cudaGraph_t graph = new_graph();
    struct cudaMemAllocNodeParams params = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = SIZE};
    cudaGraphNode_t made, freed;
    OK(cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    add_set(graph, &made, params.dptr, 4, 7);
    OK(cudaGraphAddMemFreeNode(&freed, graph, &made, 1, params.dptr));
    run(graph);
}

static void independent_copies_race(void) {
    const cudaGraph_t graph = new_graph();
    void *const memory = new_memory(SIZE);
    add_set(graph, NULL, memory, 1, 7);
    add_copy(graph, NULL, memory, new_memory(SIZE), cudaMemcpyDeviceToDevice);
    run(graph);
}

static void a_clone_is_a_graph_of_its_own(void) {
    const cudaGraph_t graph = new_graph();
    int *const memory = new_memory(SIZE), got[COUNT];
    cudaGraph_t clone;
    size_t edges = 0;
    const cudaGraphNode_t fill = add_set(graph, NULL, memory, 4, 9);
    add_copy(graph, &fill, got, memory, cudaMemcpyDeviceToHost);
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphGetEdges(clone, NULL, NULL, NULL, &edges));
    REQUIRE(edges == 1);
    run(clone);
    REQUIRE(got[0] == 9);
}

static void nodes_check_their_arguments(void) {
    const cudaGraph_t graph = new_graph();
    char *const memory = new_memory(SIZE);
    struct cudaMemsetParams params = {.dst = memory, .elementSize = 3, .width = 1, .height = 1};
    cudaGraphNode_t node;
    REQUIRE(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params) == cudaErrorInvalidValue);
    params.elementSize = 4;
    params.width = SIZE;
    REQUIRE(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, memory + 1, memory, SIZE,
                                     cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, memory) == cudaErrorInvalidValue);
}

#define RACES(run_)                                                                                          \
    RULE(run_, EVERY_SEED, .environment = "VGPU_CHECK=races", .status = 66, .prints = "race on")

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(copies_and_sets_run_in_order, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(sets_have_elements_of_two_bytes_too, ONCE),
        RULE(memory_lives_from_node_to_node, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RACES(memory_that_is_freed_beside_its_use_races),
        RACES(independent_copies_race),
        RULE(a_clone_is_a_graph_of_its_own, EVERY_SEED),
        RULE(nodes_check_their_arguments, ONCE),
    };
    return RULES_MAIN(rules);
}
