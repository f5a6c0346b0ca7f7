/*
 * samples/vec.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/taskflow.h"
#include "samples/vec.h"

static void setup_run(struct vec_data *data) {
    unsigned blocks = blocks_of(data->count), parts = reduction_blocks(data->count);
    tf::cudaGraph graph;
    auto x = task(graph, blocks, BLOCK, square, data->x1, data->x, data->count);
    auto y = task(graph, blocks, BLOCK, square, data->y1, data->y, data->count);
    auto sum = task(graph, parts, REDUCTION_BLOCK, reduce, data->res, data->x1, data->y1, data->count);
    sum.succeed(x, y);
    taskflow_make(graph);
}

static void run(struct vec_data *) {
    taskflow_run();
}
