/*
 * samples/img.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/img.h"
#include "samples/streams.h"

CAPTURED_ONCE(img_data)

/* For capturing only. */
static cudaStream_t streams[4];
static cudaStream_t small, large, sharp, least;
static cudaEvent_t event;

/* Issues all kernels, the last one on `large`, behind all. */
static void launch(struct img_data *data) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    size_t pixels = data->size.pixels, values = data->size.values;
    unsigned parts = reduction_blocks(pixels);
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    blur<<<grid, block, 0, small>>>(data->blurred.small, data->image, width, height, channels, small_radius,
                                    small_sigma);
    blur<<<grid, block, 0, large>>>(data->blurred.large, data->image, width, height, channels, large_radius,
                                    large_sigma);
    blur<<<grid, block, 0, sharp>>>(data->blurred.unsharpen, data->image, width, height, channels,
                                    unsharpen_radius, unsharpen_sigma);
    sobel<<<grid, block, 0, small>>>(data->mask.small, data->blurred.small, width, height, channels);
    sobel<<<grid, block, 0, large>>>(data->mask.large, data->blurred.large, width, height, channels);
    max<<<parts, REDUCTION_BLOCK, 0, large>>>(data->maximum, data->mask.large, pixels);
    stream_after(least, large, event);
    min<<<parts, REDUCTION_BLOCK, 0, least>>>(data->minimum, data->mask.large, pixels);
    stream_after(large, least, event);
    extend<<<blocks_of(pixels), BLOCK, 0, large>>>(data->minimum, data->maximum, data->mask.large, pixels);
    unsharpen<<<blocks_of(values), BLOCK, 0, sharp>>>(data->sharpened, data->image, data->blurred.unsharpen,
                                                      values, unsharpen_amount);
    stream_after(large, sharp, event);
    combine<<<blocks_of(values), BLOCK, 0, large>>>(data->image2, data->sharpened, data->blurred.large,
                                                    data->mask.large, values, channels);
    stream_after(large, small, event);
    combine<<<blocks_of(values), BLOCK, 0, large>>>(data->image3, data->image2, data->blurred.small,
                                                    data->mask.small, values, channels);
    CHECK(cudaGetLastError());
}

static void setup_run(struct img_data *data) {
    streams_create(streams, 4);
    events_create(&event, 1);
    large = streams[0];
    small = streams[1];
    sharp = streams[2];
    least = streams[3];
    capture_begin(streams, 4, event);
    launch(data);
    exec = capture_end(streams, 1, event);
    events_destroy(&event, 1);
    streams_destroy(streams, 4);
}
