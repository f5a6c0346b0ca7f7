/*
 * samples/ml.cu with Taskflow, to compare with (samples/taskflow.h).
 */
#define HAS_SETUP

#include "samples/ml.h"
#include "samples/taskflow.h"

static void setup_run(struct ml_data *data) {
    size_t rows = data->rows;
    unsigned by_row = blocks_of(rows), by_class = blocks_of(rows * CLASSES);
    tf::cudaGraph graph;
    auto r1 = task(graph, by_row, BLOCK, rr_1, data->z, data->x, rows);
    auto r2 = task(graph, by_class, BLOCK, rr_2, data->r2, data->z, data->coeff, rows);
    auto r3 = task(graph, by_class, BLOCK, rr_3, data->r2, data->intercept, rows);
    auto ridge = task(graph, by_row, BLOCK, softmax, data->r2, rows);
    auto n1 = task(graph, by_class, BLOCK, nb_1, data->r1, data->x, data->featlogp, rows);
    auto n2 = task(graph, by_row, BLOCK, nb_2, data->amax, data->r1, rows);
    auto n3 = task(graph, by_row, BLOCK, nb_3, data->l, data->r1, data->amax, rows);
    auto n4 = task(graph, by_class, BLOCK, nb_4, data->r1, data->l, rows);
    auto bayes = task(graph, by_row, BLOCK, softmax, data->r1, rows);
    auto vote = task(graph, by_row, BLOCK, argmax, data->r, data->r1, data->r2, rows);
    r1.precede(r2);
    r2.precede(r3);
    r3.precede(ridge);
    n1.precede(n2);
    n2.precede(n3);
    n3.precede(n4);
    n4.precede(bayes);
    vote.succeed(ridge, bayes);
    taskflow_make(graph);
}

static void run(struct ml_data *) {
    taskflow_run();
}
