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
    spmv<<<blocks, BLOCK, 0, auth>>>(data->auth.next, data->in.first, data->in.column, data->hub.now,
                                     data->nodes);
    CHECK(cudaEventRecord(by_auth, auth));
    spmv<<<blocks, BLOCK, 0, hub>>>(data->hub.next, data->out.first, data->out.column, data->auth.now,
                                    data->nodes);
    CHECK(cudaEventRecord(by_hub, hub));
    sum<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->auth.norm, data->auth.next, data->nodes);
    sum<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hub.norm, data->hub.next, data->nodes);
    if (data->epsilon > 0) {
        difference<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->auth.change, data->auth.now, data->auth.next,
                                                        data->auth.norm, data->nodes);
        difference<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hub.change, data->hub.now, data->hub.next,
                                                       data->hub.norm, data->nodes);
    }
    CHECK(cudaStreamWaitEvent(auth, by_hub, 0));
    divide<<<blocks, BLOCK, 0, auth>>>(data->auth.now, data->auth.next, data->auth.norm, data->nodes);
    CHECK(cudaStreamWaitEvent(hub, by_auth, 0));
    divide<<<blocks, BLOCK, 0, hub>>>(data->hub.now, data->hub.next, data->hub.norm, data->nodes);
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
        CHECK(cudaMemcpy(&achange, &data->auth.change->value, sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&hchange, &data->hub.change->value, sizeof(float), cudaMemcpyDeviceToHost));
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
