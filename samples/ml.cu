/*
 * The KeSCo paper's machine learning ensemble: naive Bayes and ridge regression classify the same rows, in 10
 * kernels. See samples/ml.h for arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   rr_1(x -> z)                nb_1(x, featlogp -> r1)
 *   rr_2(z, coeff -> r2)        nb_2(r1 -> amax)
 *                               nb_3(r1, amax -> l)
 *   rr_3(intercept -> r2)       nb_4(l -> r1)
 *   softmax(-> r2)              softmax(-> r1)
 *   argmax(r1, r2 -> r)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the two classifiers run beside
 * each other.
 */
#include "samples/ml.h"

static void run(struct ml_data *data) {
    size_t rows = data->rows;
    unsigned by_row = blocks_of(rows), by_class = blocks_of(rows * CLASSES);
    FETCH(data->x, rows * FEATURES * sizeof(float));
    FETCH(data->featlogp, sizeof(float) * FEATURES * CLASSES);
    FETCH(data->coeff, sizeof(float) * FEATURES * CLASSES);
    FETCH(data->intercept, sizeof(float) * CLASSES);
    rr_1<<<by_row, BLOCK>>>(data->z, data->x, rows);
    AWAIT();
    nb_1<<<by_class, BLOCK>>>(data->r1, data->x, data->featlogp, rows);
    AWAIT();
    rr_2<<<by_class, BLOCK>>>(data->r2, data->z, data->coeff, rows);
    AWAIT();
    nb_2<<<by_row, BLOCK>>>(data->amax, data->r1, rows);
    AWAIT();
    nb_3<<<by_row, BLOCK>>>(data->l, data->r1, data->amax, rows);
    AWAIT();
    rr_3<<<by_class, BLOCK>>>(data->r2, data->intercept, rows);
    AWAIT();
    nb_4<<<by_class, BLOCK>>>(data->r1, data->l, rows);
    AWAIT();
    softmax<<<by_row, BLOCK>>>(data->r1, rows);
    AWAIT();
    softmax<<<by_row, BLOCK>>>(data->r2, rows);
    AWAIT();
    argmax<<<by_row, BLOCK>>>(data->r, data->r1, data->r2, rows);
    AWAIT();
    CHECK(cudaGetLastError());
}
