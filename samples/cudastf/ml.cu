/*
 * samples/ml.cu with CUDASTF, to compare with (samples/cudastf.h).
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/ml.h"

enum { X, Z, COEFF, INTERCEPT, FEATLOGP, R1, R2, AMAX, L, R, BUFFERS };

static void setup_run(struct ml_data *) {
    cudastf_make(BUFFERS);
}

static void run(struct ml_data *data) {
    size_t rows = data->rows;
    unsigned by_row = blocks_of(rows), by_class = blocks_of(rows * CLASSES);
    context->task(buffers[X].read(), buffers[Z].write())->*[&](cudaStream_t stream) {
        rr_1<<<by_row, BLOCK, 0, stream>>>(data->z, data->x, rows);
    };
    context->task(buffers[X].read(), buffers[FEATLOGP].read(), buffers[R1].write())
            ->*[&](cudaStream_t stream) {
                    nb_1<<<by_class, BLOCK, 0, stream>>>(data->r1, data->x, data->featlogp, rows);
                };
    context->task(buffers[Z].read(), buffers[COEFF].read(), buffers[R2].write())->*[&](cudaStream_t stream) {
        rr_2<<<by_class, BLOCK, 0, stream>>>(data->r2, data->z, data->coeff, rows);
    };
    context->task(buffers[R1].read(), buffers[AMAX].write())->*[&](cudaStream_t stream) {
        nb_2<<<by_row, BLOCK, 0, stream>>>(data->amax, data->r1, rows);
    };
    context->task(buffers[R1].read(), buffers[AMAX].read(), buffers[L].write())->*[&](cudaStream_t stream) {
        nb_3<<<by_row, BLOCK, 0, stream>>>(data->l, data->r1, data->amax, rows);
    };
    context->task(buffers[INTERCEPT].read(), buffers[R2].rw())->*[&](cudaStream_t stream) {
        rr_3<<<by_class, BLOCK, 0, stream>>>(data->r2, data->intercept, rows);
    };
    context->task(buffers[L].read(), buffers[R1].rw())->*[&](cudaStream_t stream) {
        nb_4<<<by_class, BLOCK, 0, stream>>>(data->r1, data->l, rows);
    };
    context->task(buffers[R1].rw())->*[&](cudaStream_t stream) {
        softmax<<<by_row, BLOCK, 0, stream>>>(data->r1, rows);
    };
    context->task(buffers[R2].rw())->*[&](cudaStream_t stream) {
        softmax<<<by_row, BLOCK, 0, stream>>>(data->r2, rows);
    };
    context->task(buffers[R1].read(), buffers[R2].read(), buffers[R].write())->*[&](cudaStream_t stream) {
        argmax<<<by_row, BLOCK, 0, stream>>>(data->r, data->r1, data->r2, rows);
    };
    cudastf_join();
}
