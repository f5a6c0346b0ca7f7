/*
 * samples/vec.cu with CUDASTF, to compare with (samples/cudastf.h).
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/vec.h"

enum { X, Y, X1, Y1, RES, BUFFERS };

static void setup_run(struct vec_data *) {
    cudastf_make(BUFFERS);
}

static void run(struct vec_data *data) {
    unsigned blocks = blocks_of(data->count), parts = reduction_blocks(data->count);
    context->task(buffers[X].read(), buffers[X1].write())->*[&](cudaStream_t stream) {
        square<<<blocks, BLOCK, 0, stream>>>(data->x1, data->x, data->count);
    };
    context->task(buffers[Y].read(), buffers[Y1].write())->*[&](cudaStream_t stream) {
        square<<<blocks, BLOCK, 0, stream>>>(data->y1, data->y, data->count);
    };
    context->task(buffers[X1].read(), buffers[Y1].read(), buffers[RES].rw())->*[&](cudaStream_t stream) {
        reduce<<<parts, REDUCTION_BLOCK, 0, stream>>>(data->res, data->x1, data->y1, data->count);
    };
    cudastf_join();
}
