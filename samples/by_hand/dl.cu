/*
 * samples/dl.cu as it would be written by hand, to compare with: each tower has a stream of its own.
 */
#define HAS_SETUP

#include "samples/dl.h"
#include "samples/streams.h"

static cudaStream_t streams[2];
static cudaEvent_t second_tower;

static void setup_run(struct dl_data *) {
    streams_create(streams, 2);
    events_create(&second_tower, 1);
}

static void teardown_run(void) {
    events_destroy(&second_tower, 1);
    streams_destroy(streams, 2);
}

static void launch_tower(const struct dl_data *data, const struct dl_tower *tower, cudaStream_t stream) {
    int side = data->side, small_side = data->small_side;
    unsigned large = blocks_of(CHANNELS * data->pixels), small = blocks_of(CHANNELS * data->small_pixels);
    FETCH_ON(tower->in, data->pixels * sizeof(float), stream);
    FETCH_ON(tower->weights1, sizeof(float) * WEIGHTS1, stream);
    FETCH_ON(tower->weights2, sizeof(float) * WEIGHTS2, stream);
    conv2d<<<large, BLOCK, 0, stream>>>(tower->filtered, tower->in, tower->weights1, side, 1, CHANNELS,
                                        RADIUS);
    mean_pool<<<small, BLOCK, 0, stream>>>(tower->pooled, tower->filtered, side, CHANNELS, WINDOW, WINDOW);
    conv2d<<<small, BLOCK, 0, stream>>>(tower->out, tower->pooled, tower->weights2, small_side, CHANNELS,
                                        CHANNELS, RADIUS);
}

static void run(struct dl_data *data) {
    size_t small_values = CHANNELS * data->small_pixels;
    launch_tower(data, &data->x, streams[0]);
    launch_tower(data, &data->y, streams[1]);
    FETCH_ON(data->weights, 2 * small_values * sizeof(float), streams[1]);
    stream_after(streams[0], streams[1], second_tower);
    concat<<<blocks_of(2 * small_values), BLOCK, 0, streams[0]>>>(data->z, data->x.out, data->y.out,
                                                                  small_values);
    dot_product<<<reduction_blocks(2 * small_values), REDUCTION_BLOCK, 0, streams[0]>>>(
        data->res, data->z, data->weights, 2 * small_values);
    CHECK(cudaGetLastError());
}
