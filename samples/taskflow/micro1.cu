/*
 * samples/micro1.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/micro1.h"
#include "samples/taskflow.h"

static tf::cudaTask convolve(tf::cudaGraph &graph, float *out, const float *in,
                             const struct micro1_data *data, int layer) {
    return task(graph, blocks_of(data->values), BLOCK, conv2d, out, in, data->weights[layer], data->side,
                CHANNELS, CHANNELS, radius_of[layer]);
}

static void setup_run(struct micro1_data *data) {
    float **inner = data->inner, **branch = data->branch;
    unsigned blocks = blocks_of(data->values);
    tf::cudaGraph graph;
    auto a = convolve(graph, branch[0], data->x, data, 0);
    auto b1 = convolve(graph, inner[0], data->x, data, 1), b2 = convolve(graph, branch[1], inner[0], data, 2);
    auto c1 = convolve(graph, inner[1], data->x, data, 3), c2 = convolve(graph, branch[2], inner[1], data, 4);
    auto d1 = convolve(graph, inner[2], data->x, data, 5), d2 = convolve(graph, inner[3], inner[2], data, 6),
         d3 = convolve(graph, branch[3], inner[3], data, 7);
    auto e1 = task(graph, blocks, BLOCK, max_pool, inner[4], data->x, data->side, CHANNELS, WINDOW, 1),
         e2 = convolve(graph, branch[4], inner[4], data, 8);
    auto f1 = task(graph, blocks, BLOCK, mean_pool, inner[5], data->x, data->side, CHANNELS, WINDOW, 1),
         f2 = convolve(graph, branch[5], inner[5], data, 9);
    auto all = task(graph, blocks_of(BRANCHES * data->values), BLOCK, concat, data->z, branch[0], branch[1],
                    branch[2], branch[3], branch[4], branch[5], data->values);
    b1.precede(b2);
    c1.precede(c2);
    d1.precede(d2);
    d2.precede(d3);
    e1.precede(e2);
    f1.precede(f2);
    all.succeed(a, b2, c2, d3, e2, f2);
    taskflow_make(graph);
}

static void run(struct micro1_data *) {
    taskflow_run();
}
