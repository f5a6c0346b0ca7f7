/*
 * CUDA Runtime API, "Graph Management", cudaGraphExecKernelNodeSetParams: an executable graph's arguments are
 * those that it was made with, until its nodes get others, which later launches have and no earlier one.
 */
#include "test/vgpu/rules/rules.h"

static cudaGraph_t graph;
static cudaGraphNode_t nodes[2]; /* one behind the other */
static int *sum;

static struct cudaKernelNodeParams kernel_of(const void *stub, void **arguments) {
    const dim3 one = {1, 1, 1};
    return (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)stub, .gridDim = one, .blockDim = one, .kernelParams = arguments};
}

static cudaGraphNode_t add_add(const cudaGraphNode_t *before, int value) {
    const struct cudaKernelNodeParams params = kernel_of(&add_stub, (void *[]){&sum, &value});
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, before, before != NULL, &params));
    return node;
}

/* A graph of two kernels that add so much to *sum, which is 0. */
static cudaGraphExec_t make(int first, int second) {
    cudaGraphExec_t exec;
    sum = new_memory(sizeof(*sum));
    OK(cudaMemset(sum, 0, sizeof(*sum)));
    OK(cudaGraphCreate(&graph, 0));
    nodes[0] = add_add(NULL, first);
    nodes[1] = add_add(&nodes[0], second);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, int value) {
    const struct cudaKernelNodeParams params = kernel_of(&add_stub, (void *[]){&sum, &value});
    return cudaGraphExecKernelNodeSetParams(exec, node, &params);
}

static void launch_graph(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, 0));
}

static int get_sum(void) {
    int got;
    OK(cudaMemcpy(&got, sum, sizeof(got), cudaMemcpyDeviceToHost));
    return got;
}

static void arguments_are_those_of_the_node(void) {
    int value = 5;
    const cudaGraphExec_t exec = make(value, 1);
    value = 1000;
    launch_graph(exec);
    launch_graph(exec);
    REQUIRE(get_sum() == 12 && value == 1000);
}

/* Also where the launches before have not run yet; and the other node keeps what it has. */
static void later_launches_have_the_new_ones(void) {
    const cudaGraphExec_t exec = make(1, 10);
    launch_graph(exec);
    OK(set(exec, nodes[1], 300));
    launch_graph(exec);
    OK(set(exec, nodes[0], 5000));
    OK(set(exec, nodes[1], 20000));
    REQUIRE(get_sum() == 11 + 301);
    launch_graph(exec);
    REQUIRE(get_sum() == 11 + 301 + 25000);
}

/* What is made of the graph afterwards is as the graph is. */
static void the_graph_stays_as_it_is(void) {
    const cudaGraphExec_t exec = make(1, 2);
    cudaGraphExec_t other;
    OK(set(exec, nodes[0], 100));
    OK(cudaGraphInstantiate(&other, graph, 0));
    launch_graph(other);
    REQUIRE(get_sum() == 3);
}

static void another_kernel_may_be_set(void) {
    const cudaGraphExec_t exec = make(7, 1);
    size_t size = sizeof(*sum);
    char value = 1;
    struct cudaKernelNodeParams params = kernel_of(&fill_stub, (void *[]){&sum, &size, &value});
    OK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params));
    launch_graph(exec);
    REQUIRE(get_sum() == 0x01010101 + 1);
}

/* And nothing changes. */
static void updates_check_their_arguments(void) {
    const cudaGraphExec_t exec = make(1, 2);
    int value = 100;
    struct cudaKernelNodeParams params = kernel_of(&add_stub, (void *[]){&sum, &value});
    cudaGraph_t other;
    cudaGraphNode_t foreign;
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddKernelNode(&foreign, other, NULL, 0, &params));
    REQUIRE(set(exec, foreign, 100) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphExecKernelNodeSetParams(exec, nodes[0], NULL) == cudaErrorInvalidValue);
    params.gridDim.x = 0;
    REQUIRE(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params) != cudaSuccess);
    params.gridDim.x = 1;
    params.blockDim.x = 4096;
    REQUIRE(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params) != cudaSuccess);
    REQUIRE(set(NULL, nodes[0], 100) == cudaErrorInvalidValue);
    cudaGetLastError();
    launch_graph(exec);
    REQUIRE(get_sum() == 3);
}

static void other_nodes_are_no_kernels(void) {
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    sum = new_memory(sizeof(*sum));
    OK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    REQUIRE(set(exec, node, 1) == cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(arguments_are_those_of_the_node, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(later_launches_have_the_new_ones, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(the_graph_stays_as_it_is, ONCE),
        RULE(another_kernel_may_be_set, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(updates_check_their_arguments, ONCE),
        RULE(other_nodes_are_no_kernels, ONCE),
    };
    return RULES_MAIN(rules);
}
