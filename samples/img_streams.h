/*
 * The kernels of samples/img.cu on streams, as by_hand and graph issue them: each blur and what follows from
 * it has one of its own, and so has min, which runs beside max.
 */
#ifndef KESCO_SAMPLES_IMG_STREAMS_H
#define KESCO_SAMPLES_IMG_STREAMS_H

#include "samples/img.h"
#include "samples/streams.h"

static cudaStream_t streams[4];
static cudaStream_t small, large, sharp, least;
static cudaEvent_t event;

/* Issues all kernels, the last one on `large`, after all. */
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

/* Makes the streams and the event. */
static void streams_make(void) {
    streams_create(streams, 4);
    events_create(&event, 1);
    large = streams[0];
    small = streams[1];
    sharp = streams[2];
    least = streams[3];
}

static void streams_end(void) {
    events_destroy(&event, 1);
    streams_destroy(streams, 4);
}

#endif
