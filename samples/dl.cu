/*
 * The KeSCo paper's neural network: two towers of layers and what joins them, in 8 kernels. See samples/dl.h
 * for arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   conv2d(x)      conv2d(y)
 *   mean_pool      mean_pool
 *   conv2d(-> x2)  conv2d(-> y2)
 *   concat(x2, y2 -> z)
 *   dot_product(z, weights -> res)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the towers run beside each
 * other.
 */
#include "samples/dl.h"

static void fetch_tower(const struct dl_data *data, const struct dl_tower *tower) {
    FETCH(tower->in, data->pixels * sizeof(float));
    FETCH(tower->weights1, sizeof(float) * WEIGHTS1);
    FETCH(tower->weights2, sizeof(float) * WEIGHTS2);
}

static void run(struct dl_data *data) {
    struct dl_tower *x = &data->x, *y = &data->y;
    size_t small_values = CHANNELS * data->small_pixels;
    int side = data->side, small_side = data->small_side;
    unsigned large = blocks_of(CHANNELS * data->pixels), small = blocks_of(small_values);
    fetch_tower(data, x);
    fetch_tower(data, y);
    FETCH(data->weights, 2 * small_values * sizeof(float));
    conv2d<<<large, BLOCK>>>(x->filtered, x->in, x->weights1, side, 1, CHANNELS, RADIUS);
    AWAIT();
    conv2d<<<large, BLOCK>>>(y->filtered, y->in, y->weights1, side, 1, CHANNELS, RADIUS);
    AWAIT();
    mean_pool<<<small, BLOCK>>>(x->pooled, x->filtered, side, CHANNELS, WINDOW, WINDOW);
    AWAIT();
    mean_pool<<<small, BLOCK>>>(y->pooled, y->filtered, side, CHANNELS, WINDOW, WINDOW);
    AWAIT();
    conv2d<<<small, BLOCK>>>(x->out, x->pooled, x->weights2, small_side, CHANNELS, CHANNELS, RADIUS);
    AWAIT();
    conv2d<<<small, BLOCK>>>(y->out, y->pooled, y->weights2, small_side, CHANNELS, CHANNELS, RADIUS);
    AWAIT();
    concat<<<blocks_of(2 * small_values), BLOCK>>>(data->z, x->out, y->out, small_values);
    AWAIT();
    dot_product<<<reduction_blocks(2 * small_values), REDUCTION_BLOCK>>>(data->res, data->z, data->weights,
                                                                         2 * small_values);
    AWAIT();
    CHECK(cudaGetLastError());
}
