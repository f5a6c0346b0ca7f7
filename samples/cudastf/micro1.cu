/*
 * samples/micro1.cu with CUDASTF, to compare with (samples/cudastf.h). What no task writes has no token.
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/micro1.h"

enum { X, INSIDE, OUTSIDE = INSIDE + BRANCHES, Z = OUTSIDE + BRANCHES, BUFFERS };

static void setup_run(struct micro1_data *) {
    cudastf_make(BUFFERS);
}

static void convolve(int out, float *to, int in, const float *from, const struct micro1_data *data,
                     int layer) {
    context->task(buffers[in].read(), buffers[out].write())->*[&](cudaStream_t stream) {
        conv2d<<<blocks_of(data->values), BLOCK, 0, stream>>>(to, from, data->weights[layer], data->side,
                                                              CHANNELS, CHANNELS, radius_of[layer]);
    };
}

static void run(struct micro1_data *data) {
    float **inner = data->inner, **branch = data->branch;
    unsigned blocks = blocks_of(data->values);
    convolve(OUTSIDE, branch[0], X, data->x, data, 0);
    convolve(INSIDE, inner[0], X, data->x, data, 1);
    convolve(OUTSIDE + 1, branch[1], INSIDE, inner[0], data, 2);
    convolve(INSIDE + 1, inner[1], X, data->x, data, 3);
    convolve(OUTSIDE + 2, branch[2], INSIDE + 1, inner[1], data, 4);
    convolve(INSIDE + 2, inner[2], X, data->x, data, 5);
    convolve(INSIDE + 3, inner[3], INSIDE + 2, inner[2], data, 6);
    convolve(OUTSIDE + 3, branch[3], INSIDE + 3, inner[3], data, 7);
    context->task(buffers[X].read(), buffers[INSIDE + 4].write())->*[&](cudaStream_t stream) {
        max_pool<<<blocks, BLOCK, 0, stream>>>(inner[4], data->x, data->side, CHANNELS, WINDOW, 1);
    };
    convolve(OUTSIDE + 4, branch[4], INSIDE + 4, inner[4], data, 8);
    context->task(buffers[X].read(), buffers[INSIDE + 5].write())->*[&](cudaStream_t stream) {
        mean_pool<<<blocks, BLOCK, 0, stream>>>(inner[5], data->x, data->side, CHANNELS, WINDOW, 1);
    };
    convolve(OUTSIDE + 5, branch[5], INSIDE + 5, inner[5], data, 9);
    auto all = context->task(buffers[Z].write());
    for (int b = 0; b < BRANCHES; b++)
        all.add_deps(buffers[OUTSIDE + b].read());
    all->*[&](cudaStream_t stream) {
        concat<<<blocks_of(BRANCHES * data->values), BLOCK, 0, stream>>>(
            data->z, branch[0], branch[1], branch[2], branch[3], branch[4], branch[5], data->values);
    };
    cudastf_join();
}
