/*
 * samples/chain.cu as it would be written by hand with a CUDA graph, to compare with: the steps up to the
 * host's next look are one graph, made once. Before it is launched again, the nodes that heat get the numbers
 * of their steps.
 */
#define HAS_SETUP

#include "samples/chain.h"

static cudaGraph_t graph;
static cudaGraphExec_t exec;
static cudaGraphNode_t heats[LOOK];
static cudaGraphNode_t last; /* of those added so far */

static struct cudaKernelNodeParams node_of(const void *kernel, unsigned blocks, void **arguments) {
    struct cudaKernelNodeParams node = {};
    node.func = (void *)kernel;
    node.gridDim = dim3(blocks);
    node.blockDim = dim3(BLOCK);
    node.kernelParams = arguments;
    return node;
}

/* Behind the node added before. */
static void add(const void *kernel, unsigned blocks, void **arguments) {
    struct cudaKernelNodeParams node = node_of(kernel, blocks, arguments);
    cudaGraphNode_t before = last;
    CHECK(cudaGraphAddKernelNode(&last, graph, &before, before ? 1 : 0, &node));
}

static struct cudaKernelNodeParams heat_of(void **arguments, size_t places) {
    return node_of((const void *)heat, blocks_of(places), arguments);
}

static void add_step(float *next, float *now, size_t places, int step) {
    float strength = strength_of(step);
    void *spread_arguments[] = {&next, &now, &places}, *cool_arguments[] = {&next, &places};
    void *heat_arguments[] = {&next, &places, &strength};
    add((const void *)spread, blocks_of(places), spread_arguments);
    add((const void *)heat, blocks_of(places), heat_arguments);
    heats[step] = last;
    add((const void *)cool, blocks_of(places), cool_arguments);
}

static void setup_run(struct chain_data *data) {
    float *buffers[] = {data->now, data->next};
    void *arguments[] = {&data->change, &buffers[LOOK % 2], &buffers[1 - LOOK % 2], &data->places};
    CHECK(cudaGraphCreate(&graph, 0));
    for (int step = 0; step < LOOK; step++)
        add_step(buffers[1 - step % 2], buffers[step % 2], data->places, step);
    add((const void *)largest_change, blocks_of(blocks_of(data->places)), arguments);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
}

static void teardown_run(void) {
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void set_strengths(struct chain_data *data, int first) {
    for (int step = 0; step < LOOK; step++) {
        float *next = step % 2 ? data->now : data->next, strength = strength_of(first + step);
        void *arguments[] = {&next, &data->places, &strength};
        struct cudaKernelNodeParams node = heat_of(arguments, data->places);
        CHECK(cudaGraphExecKernelNodeSetParams(exec, heats[step], &node));
    }
}

static void run(struct chain_data *data) {
    begin<<<blocks_of(data->places), BLOCK>>>(data->now, data->places);
    CHECK(cudaGetLastError());
    for (int first = 0; first < STEPS; first += LOOK) {
        set_strengths(data, first);
        CHECK(cudaGraphLaunch(exec, 0));
        look(data, first);
    }
}
