/*
 * samples/bs.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/bs.h"
#include "samples/streams.h"

static cudaGraphExec_t exec;

static void setup_run(struct bs_data *data) {
    cudaStream_t streams[VECTORS];
    cudaEvent_t event;
    streams_create(streams, VECTORS);
    events_create(&event, 1);
    capture_begin(streams, VECTORS, event);
    for (int j = 0; j < VECTORS; j++)
        bs<<<blocks_of(data), BLOCK, 0, streams[j]>>>(data->y[j], data->x[j], data->count);
    exec = capture_end(streams, VECTORS, event);
    events_destroy(&event, 1);
    streams_destroy(streams, VECTORS);
}

static void teardown_run(void) {
    CHECK(cudaGraphExecDestroy(exec));
}

static void run(struct bs_data *) {
    CHECK(cudaGraphLaunch(exec, 0));
}
