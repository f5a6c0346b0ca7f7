/*
 * samples/ml.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/ml.h"
#include "samples/streams.h"

CAPTURED_ONCE(ml_data)

static void setup_run(struct ml_data *data) {
    size_t rows = data->rows;
    unsigned by_row = blocks_of(rows), by_class = blocks_of(rows * CLASSES);
    cudaStream_t streams[2];
    cudaEvent_t event;
    streams_create(streams, 2);
    events_create(&event, 1);
    cudaStream_t bayes = streams[0], ridge = streams[1];
    capture_begin(streams, 2, event);
    rr_1<<<by_row, BLOCK, 0, ridge>>>(data->z, data->x, rows);
    rr_2<<<by_class, BLOCK, 0, ridge>>>(data->r2, data->z, data->coeff, rows);
    rr_3<<<by_class, BLOCK, 0, ridge>>>(data->r2, data->intercept, rows);
    softmax<<<by_row, BLOCK, 0, ridge>>>(data->r2, rows);
    nb_1<<<by_class, BLOCK, 0, bayes>>>(data->r1, data->x, data->featlogp, rows);
    nb_2<<<by_row, BLOCK, 0, bayes>>>(data->amax, data->r1, rows);
    nb_3<<<by_row, BLOCK, 0, bayes>>>(data->l, data->r1, data->amax, rows);
    nb_4<<<by_class, BLOCK, 0, bayes>>>(data->r1, data->l, rows);
    softmax<<<by_row, BLOCK, 0, bayes>>>(data->r1, rows);
    stream_after(bayes, ridge, event);
    argmax<<<by_row, BLOCK, 0, bayes>>>(data->r, data->r1, data->r2, rows);
    exec = capture_end(streams, 2, event);
    events_destroy(&event, 1);
    streams_destroy(streams, 2);
}
