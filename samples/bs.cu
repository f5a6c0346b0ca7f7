/*
 * The KeSCo paper's Black-Scholes: option prices of ten portfolios, in 10 kernels. See samples/bs.h for
 * arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   for j in 0..9: bs(x[j] -> y[j])
 *
 * The source is serial: no stream in it, and not a word for KeSCo. No kernel needs another's result; with
 * KeSCo all run beside each other.
 */
#include "samples/bs.h"

static void run(struct bs_data *data) {
    for (int j = 0; j < VECTORS; j++) {
        FETCH(data->x[j], data->count * sizeof(double));
        bs<<<blocks_of(data), BLOCK>>>(data->y[j], data->x[j], data->count);
        AWAIT();
    }
    CHECK(cudaGetLastError());
}
