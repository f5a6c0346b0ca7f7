/*
 * The kernels of samples/micro1.cu on streams, as by_hand and graph issue them: each branch has one of its
 * own.
 */
#ifndef KESCO_SAMPLES_MICRO1_STREAMS_H
#define KESCO_SAMPLES_MICRO1_STREAMS_H

#include "samples/micro1.h"
#include "samples/streams.h"

static cudaStream_t streams[BRANCHES];
static cudaEvent_t event;

static void convolve(float *out, const float *in, const struct micro1_data *data, int layer,
                     cudaStream_t stream) {
    conv2d<<<blocks_of(data->values), BLOCK, 0, stream>>>(out, in, data->weights[layer], data->side, CHANNELS,
                                                          CHANNELS, radius_of[layer]);
}

/* Issues all kernels, each branch on its stream; the last one on streams[0], after all. */
static void launch(struct micro1_data *data) {
    float **inner = data->inner, **branch = data->branch;
    unsigned blocks = blocks_of(data->values);

    convolve(branch[0], data->x, data, 0, streams[0]);

    convolve(inner[0], data->x, data, 1, streams[1]);
    convolve(branch[1], inner[0], data, 2, streams[1]);

    convolve(inner[1], data->x, data, 3, streams[2]);
    convolve(branch[2], inner[1], data, 4, streams[2]);

    convolve(inner[2], data->x, data, 5, streams[3]);
    convolve(inner[3], inner[2], data, 6, streams[3]);
    convolve(branch[3], inner[3], data, 7, streams[3]);

    max_pool<<<blocks, BLOCK, 0, streams[4]>>>(inner[4], data->x, data->side, CHANNELS, WINDOW, 1);
    convolve(branch[4], inner[4], data, 8, streams[4]);

    mean_pool<<<blocks, BLOCK, 0, streams[5]>>>(inner[5], data->x, data->side, CHANNELS, WINDOW, 1);
    convolve(branch[5], inner[5], data, 9, streams[5]);

    for (int i = 1; i < BRANCHES; i++)
        stream_after(streams[0], streams[i], event);
    concat<<<blocks_of(BRANCHES * data->values), BLOCK, 0, streams[0]>>>(
        data->z, branch[0], branch[1], branch[2], branch[3], branch[4], branch[5], data->values);
    CHECK(cudaGetLastError());
}

#endif
