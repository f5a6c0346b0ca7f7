/*
 * samples/mp1.cu as several tasks share a GPU without KeSCo, to compare with: each task has a host thread and
 * a stream of its own, and runs serially in it; nothing coordinates them. Compiled with the per-thread
 * default stream (samples/workers.h).
 */
#define HAS_SETUP

#include "samples/workers.h"

#include "samples/mp1.h"

static struct workers workers;

static void run_img(void *data) {
    img::run((struct img::img_data *)data);
}

static void run_vec(void *data) {
    vec::run((struct vec::vec_data *)data);
}

static void run_hits(void *data) {
    hits::reset((struct hits::hits_data *)data);
    hits::run_iterations((struct hits::hits_data *)data);
}

static void setup_run(struct mp1_data *data) {
    workers_add(&workers, run_img, &data->img.data);
    workers_add(&workers, run_vec, &data->vec1.data);
    workers_add(&workers, run_vec, &data->vec2.data);
    workers_add(&workers, run_hits, &data->hits.data);
    workers_create(&workers);
}

static void teardown_run(void) {
    workers_destroy(&workers);
}

static void run(struct mp1_data *) {
    workers_run(&workers);
}
