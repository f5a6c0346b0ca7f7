/*
 * samples/img.cu with CUDASTF, to compare with (samples/cudastf.h). What no task writes has no token.
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/img.h"

enum { SMALL, LARGE, SOFT, SMALL_MASK, LARGE_MASK, MOST, LEAST, SHARP, NEAR, ALL, BUFFERS };

static void setup_run(struct img_data *) {
    cudastf_make(BUFFERS);
}

static void add_blurs(struct img_data *data, dim3 grid, dim3 block) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    context->task(buffers[SMALL].write())->*[&](cudaStream_t stream) {
        blur<<<grid, block, 0, stream>>>(data->blurred.small, data->image, width, height, channels,
                                         small_radius, small_sigma);
    };
    context->task(buffers[LARGE].write())->*[&](cudaStream_t stream) {
        blur<<<grid, block, 0, stream>>>(data->blurred.large, data->image, width, height, channels,
                                         large_radius, large_sigma);
    };
    context->task(buffers[SOFT].write())->*[&](cudaStream_t stream) {
        blur<<<grid, block, 0, stream>>>(data->blurred.unsharpen, data->image, width, height, channels,
                                         unsharpen_radius, unsharpen_sigma);
    };
}

static void add_masks(struct img_data *data, dim3 grid, dim3 block) {
    int width = data->size.width, height = data->size.height, channels = data->size.channels;
    size_t pixels = data->size.pixels;
    unsigned parts = reduction_blocks(pixels);
    context->task(buffers[SMALL].read(), buffers[SMALL_MASK].write())->*[&](cudaStream_t stream) {
        sobel<<<grid, block, 0, stream>>>(data->mask.small, data->blurred.small, width, height, channels);
    };
    context->task(buffers[LARGE].read(), buffers[LARGE_MASK].write())->*[&](cudaStream_t stream) {
        sobel<<<grid, block, 0, stream>>>(data->mask.large, data->blurred.large, width, height, channels);
    };
    context->task(buffers[LARGE_MASK].read(), buffers[MOST].rw())->*[&](cudaStream_t stream) {
        max<<<parts, REDUCTION_BLOCK, 0, stream>>>(data->maximum, data->mask.large, pixels);
    };
    context->task(buffers[LARGE_MASK].read(), buffers[LEAST].rw())->*[&](cudaStream_t stream) {
        min<<<parts, REDUCTION_BLOCK, 0, stream>>>(data->minimum, data->mask.large, pixels);
    };
    context->task(buffers[LEAST].read(), buffers[MOST].read(), buffers[LARGE_MASK].rw())
            ->*[&](cudaStream_t stream) {
                    extend<<<blocks_of(pixels), BLOCK, 0, stream>>>(data->minimum, data->maximum,
                                                                    data->mask.large, pixels);
                };
}

static void add_results(struct img_data *data) {
    int channels = data->size.channels;
    size_t values = data->size.values;
    unsigned blocks = blocks_of(values);
    context->task(buffers[SOFT].read(), buffers[SHARP].write())->*[&](cudaStream_t stream) {
        unsharpen<<<blocks, BLOCK, 0, stream>>>(data->sharpened, data->image, data->blurred.unsharpen, values,
                                                unsharpen_amount);
    };
    context->task(buffers[SHARP].read(), buffers[LARGE].read(), buffers[LARGE_MASK].read(),
                  buffers[NEAR].write())
            ->*[&](cudaStream_t stream) {
                    combine<<<blocks, BLOCK, 0, stream>>>(data->image2, data->sharpened, data->blurred.large,
                                                          data->mask.large, values, channels);
                };
    context->task(buffers[NEAR].read(), buffers[SMALL].read(), buffers[SMALL_MASK].read(),
                  buffers[ALL].write())
            ->*[&](cudaStream_t stream) {
                    combine<<<blocks, BLOCK, 0, stream>>>(data->image3, data->image2, data->blurred.small,
                                                          data->mask.small, values, channels);
                };
}

static void run(struct img_data *data) {
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    add_blurs(data, grid, block);
    add_masks(data, grid, block);
    add_results(data);
    cudastf_join();
}
