/*
 * An inception block: six branches look at the same image, in 13 kernels. See samples/micro1.h for what it
 * models, arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   conv 1x1(x -> a)
 *   conv 1x1(x)  conv 3x3(-> b)
 *   conv 1x1(x)  conv 5x5(-> c)
 *   conv 1x1(x)  conv 3x3  conv 3x3(-> d)
 *   max_pool(x)  conv 1x1(-> e)
 *   mean_pool(x) conv 1x1(-> f)
 *   concat(a, b, c, d, e, f -> z)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the branches run beside each
 * other.
 */
#include "samples/micro1.h"

static void convolve(float *out, const float *in, const struct micro1_data *data, int layer) {
    conv2d<<<blocks_of(data->values), BLOCK>>>(out, in, data->weights[layer], data->side, CHANNELS, CHANNELS,
                                               radius_of[layer]);
    AWAIT();
}

static void run(struct micro1_data *data) {
    float **inner = data->inner, **branch = data->branch;
    unsigned blocks = blocks_of(data->values);

    FETCH(data->x, data->values * sizeof(float));
    for (int layer = 0; layer < LAYERS; layer++)
        FETCH(data->weights[layer], weights_of(layer) * sizeof(float));

    convolve(branch[0], data->x, data, 0);

    convolve(inner[0], data->x, data, 1);
    convolve(branch[1], inner[0], data, 2);

    convolve(inner[1], data->x, data, 3);
    convolve(branch[2], inner[1], data, 4);

    convolve(inner[2], data->x, data, 5);
    convolve(inner[3], inner[2], data, 6);
    convolve(branch[3], inner[3], data, 7);

    max_pool<<<blocks, BLOCK>>>(inner[4], data->x, data->side, CHANNELS, WINDOW, 1);
    AWAIT();
    convolve(branch[4], inner[4], data, 8);

    mean_pool<<<blocks, BLOCK>>>(inner[5], data->x, data->side, CHANNELS, WINDOW, 1);
    AWAIT();
    convolve(branch[5], inner[5], data, 9);

    concat<<<blocks_of(BRANCHES * data->values), BLOCK>>>(data->z, branch[0], branch[1], branch[2], branch[3],
                                                          branch[4], branch[5], data->values);
    AWAIT();
    CHECK(cudaGetLastError());
}
