/*
 * samples/hits.cu as a CUDA graph, to compare with: all iterations are captured once, and launched as a
 * whole. Until convergence, one iteration is, and launched again and again.
 */
#define HAS_SETUP

#include "samples/hits.h"
#include "samples/streams.h"

static cudaGraphExec_t exec;

/* For capturing only. */
static cudaStream_t streams[2];
static cudaStream_t auth, hub;
static cudaEvent_t events[2];
static cudaEvent_t by_auth, by_hub;

/* Lets each half come behind what the other one has done. */
static void exchange(void) {
    CHECK(cudaEventRecord(by_auth, auth));
    CHECK(cudaEventRecord(by_hub, hub));
    CHECK(cudaStreamWaitEvent(auth, by_hub, 0));
    CHECK(cudaStreamWaitEvent(hub, by_auth, 0));
}

static void iterate(struct hits_data *data) {
    unsigned blocks = blocks_of(data), parts = reduction_blocks(data->nodes);
    spmv<<<blocks, BLOCK, 0, auth>>>(data->auth2, data->in.first, data->in.column, data->hub1, data->nodes);
    CHECK(cudaEventRecord(by_auth, auth));
    spmv<<<blocks, BLOCK, 0, hub>>>(data->hub2, data->out.first, data->out.column, data->auth1, data->nodes);
    CHECK(cudaEventRecord(by_hub, hub));
    sum<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->anorm, data->auth2, data->nodes);
    sum<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hnorm, data->hub2, data->nodes);
    if (data->epsilon > 0) {
        difference<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->achange, data->auth1, data->auth2, data->anorm,
                                                        data->nodes);
        difference<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hchange, data->hub1, data->hub2, data->hnorm,
                                                       data->nodes);
    }
    CHECK(cudaStreamWaitEvent(auth, by_hub, 0));
    divide<<<blocks, BLOCK, 0, auth>>>(data->auth1, data->auth2, data->anorm, data->nodes);
    CHECK(cudaStreamWaitEvent(hub, by_auth, 0));
    divide<<<blocks, BLOCK, 0, hub>>>(data->hub1, data->hub2, data->hnorm, data->nodes);
}

static void setup_run(struct hits_data *data) {
    int iterations = data->epsilon > 0 ? 1 : ITERATIONS;
    streams_create(streams, 2);
    events_create(events, 2);
    auth = streams[0];
    hub = streams[1];
    by_auth = events[0];
    by_hub = events[1];
    capture_begin(streams, 2, by_auth);
    for (int i = 0; i < iterations; i++) {
        if (i > 0)
            exchange();
        iterate(data);
    }
    exec = capture_end(streams, 2, by_hub);
    events_destroy(events, 2);
    streams_destroy(streams, 2);
}

static void teardown_run(void) {
    CHECK(cudaGraphExecDestroy(exec));
}

static void run_until_converged(struct hits_data *data) {
    float achange, hchange;
    data->iterations = 0;
    do {
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaMemcpy(&achange, &data->achange->value, sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&hchange, &data->hchange->value, sizeof(float), cudaMemcpyDeviceToHost));
        data->iterations++;
    } while ((achange > data->epsilon || hchange > data->epsilon) && data->iterations < MAX_ITERATIONS);
}

static void run(struct hits_data *data) {
    if (data->epsilon > 0) {
        run_until_converged(data);
    } else {
        CHECK(cudaGraphLaunch(exec, 0));
        data->iterations = ITERATIONS;
    }
}
