/*
 * samples/mp1.cu with CUDA graphs, to compare with: those of samples/graph, each launched on a stream of its
 * own.
 */
#define HAS_SETUP
#define TASKS_ARE_GRAPHS

#include "samples/mp1.h"

#define TASKS 4

static cudaStream_t streams[TASKS];
static cudaGraphExec_t vec1;

static void setup_run(struct mp1_data *data) {
    img::setup_run(&data->img.data);
    vec::setup_run(&data->vec1.data);
    vec1 = vec::exec;
    vec::setup_run(&data->vec2.data);
    hits::setup_run(&data->hits.data);
    streams_create(streams, TASKS);
}

static void teardown_run(void) {
    streams_destroy(streams, TASKS);
    hits::teardown_run();
    vec::teardown_run();
    CHECK(cudaGraphExecDestroy(vec1));
    img::teardown_run();
}

static void run(struct mp1_data *data) {
    hits::reset(&data->hits.data);
    CHECK(cudaGraphLaunch(img::exec, streams[0]));
    CHECK(cudaGraphLaunch(vec1, streams[1]));
    CHECK(cudaGraphLaunch(vec::exec, streams[2]));
    CHECK(cudaGraphLaunch(hits::exec, streams[3]));
    data->hits.data.iterations = ITERATIONS;
}
