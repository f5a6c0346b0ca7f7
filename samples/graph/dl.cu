/*
 * samples/dl.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/dl.h"
#include "samples/streams.h"

CAPTURED_ONCE(dl_data)

static void launch_tower(const struct dl_data *data, const struct dl_tower *tower, cudaStream_t stream) {
    int side = data->side, small_side = data->small_side;
    unsigned large = blocks_of(CHANNELS * data->pixels), small = blocks_of(CHANNELS * data->small_pixels);
    conv2d<<<large, BLOCK, 0, stream>>>(tower->filtered, tower->in, tower->weights1, side, 1, CHANNELS,
                                        RADIUS);
    mean_pool<<<small, BLOCK, 0, stream>>>(tower->pooled, tower->filtered, side, CHANNELS, WINDOW, WINDOW);
    conv2d<<<small, BLOCK, 0, stream>>>(tower->out, tower->pooled, tower->weights2, small_side, CHANNELS,
                                        CHANNELS, RADIUS);
}

static void setup_run(struct dl_data *data) {
    size_t small_values = CHANNELS * data->small_pixels;
    cudaStream_t streams[2];
    cudaEvent_t event;
    streams_create(streams, 2);
    events_create(&event, 1);
    capture_begin(streams, 2, event);
    launch_tower(data, &data->x, streams[0]);
    launch_tower(data, &data->y, streams[1]);
    stream_after(streams[0], streams[1], event);
    concat<<<blocks_of(2 * small_values), BLOCK, 0, streams[0]>>>(data->z, data->x.out, data->y.out,
                                                                  small_values);
    dot_product<<<reduction_blocks(2 * small_values), REDUCTION_BLOCK, 0, streams[0]>>>(
        data->res, data->z, data->weights, 2 * small_values);
    exec = capture_end(streams, 2, event);
    events_destroy(&event, 1);
    streams_destroy(streams, 2);
}
