/*
 * samples/bs.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/bs.h"
#include "samples/taskflow.h"

static void setup_run(struct bs_data *data) {
    tf::cudaGraph graph;
    for (int j = 0; j < VECTORS; j++)
        task(graph, blocks_of(data), BLOCK, bs, data->y[j], data->x[j], data->count);
    taskflow_make(graph);
}

static void run(struct bs_data *) {
    taskflow_run();
}
