/*
 * CUDA Runtime API, "Graph Management", cudaGraphExecKernelNodeSetParams and its kin: an executable graph's
 * arguments are those that it was made with, until its nodes get others, which later launches have and no
 * earlier one.
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
    params.gridDim.x = 0;
    REQUIRE(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params) != cudaSuccess);
    params.gridDim.x = 1;
    params.blockDim.x = 4096;
    REQUIRE(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params) != cudaSuccess);
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

/* CUDA Runtime API, "Graph Management", cudaGraphExecMemsetNodeSetParams and
 * cudaGraphExecMemcpyNodeSetParams1D: value, bytes and memory may change, but for its kind; both are of one
 * row. */

static struct cudaMemsetParams set_of(void *to, unsigned value, size_t size) {
    return (struct cudaMemsetParams){.dst = to, .value = value, .elementSize = 1, .width = size, .height = 1};
}

/* A graph that sets `to` and then copies it to `copy`, an int each. */
static cudaGraphExec_t make_transfers(int *to, int *copy) {
    const struct cudaMemsetParams params = set_of(to, 1, sizeof(*to));
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &params));
    OK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, &nodes[0], 1, copy, to, sizeof(*copy),
                                cudaMemcpyDeviceToDevice));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void transfers_are_updated(void) {
    int *to = new_memory(2 * sizeof(*to));
    sum = new_memory(2 * sizeof(*sum));
    OK(cudaMemset(to, 0, 2 * sizeof(*to)));
    const cudaGraphExec_t exec = make_transfers(to, sum);
    launch_graph(exec);
    const struct cudaMemsetParams params = set_of(to, 2, 2 * sizeof(*to));
    OK(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &params));
    REQUIRE(get_sum() == 0x01010101);
    launch_graph(exec);
    REQUIRE(get_sum() == 0x02020202);
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[1], sum, to + 1, 2, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(sum, 0, sizeof(*sum)));
    launch_graph(exec);
    REQUIRE(get_sum() == 0x0202);
}

static void updated_transfers_keep_their_shape(void) {
    int *to = new_memory(sizeof(*to)), *host;
    sum = new_memory(sizeof(*sum));
    OK(cudaMallocHost((void **)&host, sizeof(*host)));
    const cudaGraphExec_t exec = make_transfers(to, sum);
    struct cudaMemsetParams params = set_of(host, 5, sizeof(*host));
    REQUIRE(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &params) == cudaErrorInvalidValue);
    params = set_of(to, 5, 2);
    params.height = params.pitch = 2;
    REQUIRE(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &params) == cudaErrorInvalidValue);
    params = set_of(to, 5, sizeof(*to));
    REQUIRE(cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &params) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], NULL) == cudaErrorInvalidValue);
    REQUIRE(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[1], host, to, sizeof(*host), cudaMemcpyDefault) ==
            cudaErrorInvalidValue);
    REQUIRE(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[1], sum, to, 0, cudaMemcpyDeviceToDevice) ==
            cudaErrorInvalidValue);
    REQUIRE(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[0], sum, to, sizeof(*to),
                                               cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    cudaGetLastError();
    launch_graph(exec);
    REQUIRE(get_sum() == 0x01010101);
}

/* A kernel's node alone has one, and none but later executable graphs do. */
static void nodes_have_a_priority(void) {
    const cudaLaunchAttributeValue value = {.priority = -1};
    int *to = new_memory(sizeof(*to));
    make(1, 2);
    OK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributePriority, &value));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
    launch_graph(exec);
    REQUIRE(get_sum() == 3);
    make_transfers(to, sum);
    REQUIRE(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributePriority, &value) ==
            cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(arguments_are_those_of_the_node, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(later_launches_have_the_new_ones, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(the_graph_stays_as_it_is, ONCE),
        RULE(another_kernel_may_be_set, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(updates_check_their_arguments, ONCE),
        RULE(other_nodes_are_no_kernels, ONCE),
        RULE(transfers_are_updated, EVERY_SEED, .environment = "VGPU_CHECK=races"),
        RULE(updated_transfers_keep_their_shape, ONCE),
        RULE(nodes_have_a_priority, ONCE),
    };
    return RULES_MAIN(rules);
}
