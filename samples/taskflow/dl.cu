/*
 * samples/dl.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/dl.h"
#include "samples/taskflow.h"

static tf::cudaTask add_tower(tf::cudaGraph &graph, const struct dl_data *data,
                              const struct dl_tower *tower) {
    int side = data->side, small_side = data->small_side;
    unsigned large = blocks_of(CHANNELS * data->pixels), small = blocks_of(CHANNELS * data->small_pixels);
    auto filter = task(graph, large, BLOCK, conv2d, tower->filtered, tower->in, tower->weights1, side, 1,
                       CHANNELS, RADIUS);
    auto pool =
        task(graph, small, BLOCK, mean_pool, tower->pooled, tower->filtered, side, CHANNELS, WINDOW, WINDOW);
    auto last = task(graph, small, BLOCK, conv2d, tower->out, tower->pooled, tower->weights2, small_side,
                     CHANNELS, CHANNELS, RADIUS);
    filter.precede(pool);
    pool.precede(last);
    return last;
}

static void setup_run(struct dl_data *data) {
    size_t values = 2 * CHANNELS * data->small_pixels;
    tf::cudaGraph graph;
    auto x = add_tower(graph, data, &data->x), y = add_tower(graph, data, &data->y);
    auto both = task(graph, blocks_of(values), BLOCK, concat, data->z, data->x.out, data->y.out, values / 2);
    auto product = task(graph, reduction_blocks(values), REDUCTION_BLOCK, dot_product, data->res, data->z,
                        data->weights, values);
    both.succeed(x, y);
    both.precede(product);
    taskflow_make(graph);
}

static void run(struct dl_data *) {
    taskflow_run();
}
