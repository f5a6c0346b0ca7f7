/*
 * samples/img.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/img.h"
#include "samples/taskflow.h"

static void setup_run(struct img_data *data) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    size_t pixels = data->size.pixels, values = data->size.values;
    unsigned parts = reduction_blocks(pixels), by_value = blocks_of(values);
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    tf::cudaGraph graph;
    auto small = task(graph, grid, block, blur, data->blurred.small, data->image, width, height, channels,
                      small_radius, small_sigma);
    auto large = task(graph, grid, block, blur, data->blurred.large, data->image, width, height, channels,
                      large_radius, large_sigma);
    auto soft = task(graph, grid, block, blur, data->blurred.unsharpen, data->image, width, height, channels,
                     unsharpen_radius, unsharpen_sigma);
    auto small_mask =
        task(graph, grid, block, sobel, data->mask.small, data->blurred.small, width, height, channels);
    auto large_mask =
        task(graph, grid, block, sobel, data->mask.large, data->blurred.large, width, height, channels);
    auto most = task(graph, parts, REDUCTION_BLOCK, max, data->maximum, data->mask.large, pixels);
    auto least = task(graph, parts, REDUCTION_BLOCK, min, data->minimum, data->mask.large, pixels);
    auto mask =
        task(graph, blocks_of(pixels), BLOCK, extend, data->minimum, data->maximum, data->mask.large, pixels);
    auto sharp = task(graph, by_value, BLOCK, unsharpen, data->sharpened, data->image,
                      data->blurred.unsharpen, values, unsharpen_amount);
    auto near = task(graph, by_value, BLOCK, combine, data->image2, data->sharpened, data->blurred.large,
                     data->mask.large, values, channels);
    auto all = task(graph, by_value, BLOCK, combine, data->image3, data->image2, data->blurred.small,
                    data->mask.small, values, channels);
    small.precede(small_mask);
    large.precede(large_mask);
    soft.precede(sharp);
    large_mask.precede(most, least);
    mask.succeed(most, least);
    near.succeed(mask, sharp);
    all.succeed(near, small_mask);
    taskflow_make(graph);
}

static void run(struct img_data *) {
    taskflow_run();
}
