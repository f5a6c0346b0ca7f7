/*
 * samples/img.cu as it would be written by hand, to compare with: each blur and what follows from it has a
 * stream of its own, and so has min, which runs beside max.
 */
#define HAS_SETUP

#include "samples/img.h"
#include "samples/streams.h"

static cudaStream_t streams[4];
static cudaStream_t small, large, sharp, least;
static cudaEvent_t events[4];
static cudaEvent_t masked, found, sharpened, small_done;

static void setup_run(struct img_data *) {
    streams_create(streams, 4);
    events_create(events, 4);
    small = streams[0];
    large = streams[1];
    sharp = streams[2];
    least = streams[3];
    masked = events[0];
    found = events[1];
    sharpened = events[2];
    small_done = events[3];
}

static void teardown_run(void) {
    events_destroy(events, 4);
    streams_destroy(streams, 4);
}

static void run(struct img_data *data) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    size_t pixels = data->size.pixels, values = data->size.values;
    unsigned parts = reduction_blocks(pixels);
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    FETCH_ON(data->image, values * sizeof(float), small);
    blur<<<grid, block, 0, small>>>(data->blurred.small, data->image, width, height, channels, small_radius,
                                    small_sigma);
    blur<<<grid, block, 0, large>>>(data->blurred.large, data->image, width, height, channels, large_radius,
                                    large_sigma);
    blur<<<grid, block, 0, sharp>>>(data->blurred.unsharpen, data->image, width, height, channels,
                                    unsharpen_radius, unsharpen_sigma);
    sobel<<<grid, block, 0, small>>>(data->mask.small, data->blurred.small, width, height, channels);
    sobel<<<grid, block, 0, large>>>(data->mask.large, data->blurred.large, width, height, channels);
    max<<<parts, REDUCTION_BLOCK, 0, large>>>(data->maximum, data->mask.large, pixels);
    stream_after(least, large, masked);
    min<<<parts, REDUCTION_BLOCK, 0, least>>>(data->minimum, data->mask.large, pixels);
    stream_after(large, least, found);
    extend<<<blocks_of(pixels), BLOCK, 0, large>>>(data->minimum, data->maximum, data->mask.large, pixels);
    unsharpen<<<blocks_of(values), BLOCK, 0, sharp>>>(data->sharpened, data->image, data->blurred.unsharpen,
                                                      values, unsharpen_amount);
    stream_after(large, sharp, sharpened);
    combine<<<blocks_of(values), BLOCK, 0, large>>>(data->image2, data->sharpened, data->blurred.large,
                                                    data->mask.large, values, channels);
    stream_after(large, small, small_done);
    combine<<<blocks_of(values), BLOCK, 0, large>>>(data->image3, data->image2, data->blurred.small,
                                                    data->mask.small, values, channels);
    CHECK(cudaGetLastError());
}
