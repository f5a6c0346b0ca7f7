/*
 * samples/hits.cu with Taskflow, to compare with (samples/taskflow.h): all iterations are one graph.
 */
#define HAS_SETUP

#include "samples/hits.h"
#include "samples/taskflow.h"

/* The last tasks so far, of both halves; empty before the first iteration. */
struct halves {
    tf::cudaTask auth, hub;
};

static struct halves iterate(tf::cudaGraph &graph, struct hits_data *data, struct halves *before) {
    unsigned blocks = blocks_of(data), parts = reduction_blocks(data->nodes);
    auto auth = task(graph, blocks, BLOCK, spmv, data->auth.next, data->in.first, data->in.column,
                     data->hub.now, data->nodes);
    auto hub = task(graph, blocks, BLOCK, spmv, data->hub.next, data->out.first, data->out.column,
                    data->auth.now, data->nodes);
    auto auth_sum = task(graph, parts, REDUCTION_BLOCK, sum, data->auth.norm, data->auth.next, data->nodes);
    auto hub_sum = task(graph, parts, REDUCTION_BLOCK, sum, data->hub.norm, data->hub.next, data->nodes);
    auto new_auth =
        task(graph, blocks, BLOCK, divide, data->auth.now, data->auth.next, data->auth.norm, data->nodes);
    auto new_hub =
        task(graph, blocks, BLOCK, divide, data->hub.now, data->hub.next, data->hub.norm, data->nodes);
    if (before) {
        auth.succeed(before->auth, before->hub);
        hub.succeed(before->auth, before->hub);
    }
    auth.precede(auth_sum, new_hub);
    hub.precede(hub_sum, new_auth);
    auth_sum.precede(new_auth);
    hub_sum.precede(new_hub);
    return {new_auth, new_hub};
}

static void setup_run(struct hits_data *data) {
    tf::cudaGraph graph;
    struct halves halves = iterate(graph, data, NULL);
    for (int i = 1; i < ITERATIONS; i++)
        halves = iterate(graph, data, &halves);
    taskflow_make(graph);
}

static void run(struct hits_data *data) {
    if (data->epsilon > 0) {
        fprintf(stderr, "hits: with Taskflow there is no --until\n");
        exit(EXIT_FAILURE);
    }
    taskflow_run();
    data->iterations = ITERATIONS;
}
