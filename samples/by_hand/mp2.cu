/*
 * samples/mp2.cu as several tasks share a GPU without KeSCo, to compare with: each task has a host thread and
 * a stream of its own, and runs serially in it; nothing coordinates them. Compiled with the per-thread
 * default stream (samples/workers.h).
 */
#define HAS_SETUP

#include "samples/workers.h"

#include "samples/mp2.h"

static struct workers workers;

static void run_ml(void *data) {
    ml::run((struct ml::ml_data *)data);
}

static void run_dl(void *data) {
    dl::run((struct dl::dl_data *)data);
}

static void run_bs(void *data) {
    bs::run((struct bs::bs_data *)data);
}

static void setup_run(struct mp2_data *data) {
    workers_add(&workers, run_ml, &data->ml.data);
    workers_add(&workers, run_dl, &data->dl.data);
    workers_add(&workers, run_bs, &data->bs.data);
    workers_create(&workers);
}

static void teardown_run(void) {
    workers_destroy(&workers);
}

static void run(struct mp2_data *) {
    workers_run(&workers);
}
