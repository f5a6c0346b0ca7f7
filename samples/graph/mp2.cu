/*
 * samples/mp2.cu with CUDA graphs, to compare with: those of samples/graph, each launched on a stream of its
 * own.
 */
#define HAS_SETUP
#define TASKS_ARE_GRAPHS

#include "samples/mp2.h"

#define TASKS 3

static cudaStream_t streams[TASKS];

static void setup_run(struct mp2_data *data) {
    ml::setup_run(&data->ml.data);
    dl::setup_run(&data->dl.data);
    bs::setup_run(&data->bs.data);
    streams_create(streams, TASKS);
}

static void teardown_run(void) {
    streams_destroy(streams, TASKS);
    bs::teardown_run();
    dl::teardown_run();
    ml::teardown_run();
}

static void run(struct mp2_data *) {
    CHECK(cudaGraphLaunch(ml::exec, streams[0]));
    CHECK(cudaGraphLaunch(dl::exec, streams[1]));
    CHECK(cudaGraphLaunch(bs::exec, streams[2]));
}
