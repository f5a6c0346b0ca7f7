/*
 * The KeSCo paper's vector squares, in three kernels. See samples/vec.h for arguments, sizes, exit status,
 * and what is shared with the versions by hand.
 *
 *   square(x -> x1)   square(y -> y1)   reduce(x1, y1 -> res)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. The two squares need not wait for each
 * other, and with KeSCo they run beside each other.
 */
#include "samples/vec.h"

static void run(struct vec_data *data) {
    unsigned blocks = blocks_of(data->count);
    FETCH(data->x, data->count * sizeof(float));
    FETCH(data->y, data->count * sizeof(float));
    square<<<blocks, BLOCK>>>(data->x1, data->x, data->count);
    AWAIT();
    square<<<blocks, BLOCK>>>(data->y1, data->y, data->count);
    AWAIT();
    reduce<<<reduction_blocks(data->count), REDUCTION_BLOCK>>>(data->res, data->x1, data->y1, data->count);
    AWAIT();
    CHECK(cudaGetLastError());
}
