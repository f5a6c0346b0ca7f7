/*
 * samples/dl.cu with CUDASTF, to compare with (samples/cudastf.h). What no task writes has no token.
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/dl.h"

enum { FILTERED, POOLED, OUT, OF_TOWER, Z = 2 * OF_TOWER, RES, BUFFERS };

static void setup_run(struct dl_data *) {
    cudastf_make(BUFFERS);
}

static void add_tower(const struct dl_data *data, const struct dl_tower *tower,
                      cuda::experimental::stf::token *own) {
    int side = data->side, small_side = data->small_side;
    unsigned large = blocks_of(CHANNELS * data->pixels), small = blocks_of(CHANNELS * data->small_pixels);
    context->task(own[FILTERED].write())->*[&](cudaStream_t stream) {
        conv2d<<<large, BLOCK, 0, stream>>>(tower->filtered, tower->in, tower->weights1, side, 1, CHANNELS,
                                            RADIUS);
    };
    context->task(own[FILTERED].read(), own[POOLED].write())->*[&](cudaStream_t stream) {
        mean_pool<<<small, BLOCK, 0, stream>>>(tower->pooled, tower->filtered, side, CHANNELS, WINDOW,
                                               WINDOW);
    };
    context->task(own[POOLED].read(), own[OUT].write())->*[&](cudaStream_t stream) {
        conv2d<<<small, BLOCK, 0, stream>>>(tower->out, tower->pooled, tower->weights2, small_side, CHANNELS,
                                            CHANNELS, RADIUS);
    };
}

static void run(struct dl_data *data) {
    size_t values = 2 * CHANNELS * data->small_pixels;
    auto *x = &buffers[0], *y = &buffers[OF_TOWER];
    add_tower(data, &data->x, x);
    add_tower(data, &data->y, y);
    context->task(x[OUT].read(), y[OUT].read(), buffers[Z].write())->*[&](cudaStream_t stream) {
        concat<<<blocks_of(values), BLOCK, 0, stream>>>(data->z, data->x.out, data->y.out, values / 2);
    };
    context->task(buffers[Z].read(), buffers[RES].rw())->*[&](cudaStream_t stream) {
        dot_product<<<reduction_blocks(values), REDUCTION_BLOCK, 0, stream>>>(data->res, data->z,
                                                                              data->weights, values);
    };
    cudastf_join();
}
