/*
 * samples/ml.cu as it would be written by hand, to compare with: each classifier has a stream of its own.
 */
#define HAS_SETUP

#include "samples/ml.h"
#include "samples/streams.h"

static cudaStream_t streams[2];
static cudaEvent_t regressed;

static void setup_run(struct ml_data *) {
    streams_create(streams, 2);
    events_create(&regressed, 1);
}

static void teardown_run(void) {
    events_destroy(&regressed, 1);
    streams_destroy(streams, 2);
}

static void run(struct ml_data *data) {
    size_t rows = data->rows;
    unsigned by_row = blocks_of(rows), by_class = blocks_of(rows * CLASSES);
    cudaStream_t bayes = streams[0], ridge = streams[1];
    FETCH_ON(data->x, rows * FEATURES * sizeof(float), ridge);
    FETCH_ON(data->featlogp, sizeof(float) * FEATURES * CLASSES, bayes);
    FETCH_ON(data->coeff, sizeof(float) * FEATURES * CLASSES, ridge);
    FETCH_ON(data->intercept, sizeof(float) * CLASSES, ridge);
    rr_1<<<by_row, BLOCK, 0, ridge>>>(data->z, data->x, rows);
    nb_1<<<by_class, BLOCK, 0, bayes>>>(data->r1, data->x, data->featlogp, rows);
    rr_2<<<by_class, BLOCK, 0, ridge>>>(data->r2, data->z, data->coeff, rows);
    nb_2<<<by_row, BLOCK, 0, bayes>>>(data->amax, data->r1, rows);
    nb_3<<<by_row, BLOCK, 0, bayes>>>(data->l, data->r1, data->amax, rows);
    rr_3<<<by_class, BLOCK, 0, ridge>>>(data->r2, data->intercept, rows);
    nb_4<<<by_class, BLOCK, 0, bayes>>>(data->r1, data->l, rows);
    softmax<<<by_row, BLOCK, 0, bayes>>>(data->r1, rows);
    softmax<<<by_row, BLOCK, 0, ridge>>>(data->r2, rows);
    stream_after(bayes, ridge, regressed);
    argmax<<<by_row, BLOCK, 0, bayes>>>(data->r, data->r1, data->r2, rows);
    CHECK(cudaGetLastError());
}
