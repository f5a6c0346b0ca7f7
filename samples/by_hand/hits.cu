/*
 * samples/hits.cu as it would be written by hand, to compare with: each half has a stream of its own.
 */
#define HAS_SETUP

#include "samples/hits.h"
#include "samples/streams.h"

static cudaStream_t streams[2];
static cudaStream_t auth, hub;

/* Behind a half's multiplication, which reads what the other half writes, and behind its division. */
static cudaEvent_t events[4];
static cudaEvent_t auth_multiplied, hub_multiplied, auth_divided, hub_divided;

static void setup_run(struct hits_data *) {
    streams_create(streams, 2);
    events_create(events, 4);
    auth = streams[0];
    hub = streams[1];
    auth_multiplied = events[0];
    hub_multiplied = events[1];
    auth_divided = events[2];
    hub_divided = events[3];
}

static void teardown_run(void) {
    events_destroy(events, 4);
    streams_destroy(streams, 2);
}

static void fetch_inputs(const struct hits_data *data) {
    size_t scores = data->nodes * sizeof(float), rows = (data->nodes + 1) * sizeof(uint32_t);
    size_t columns = data->edges * sizeof(uint32_t);
    FETCH_ON(data->in.first, rows, auth);
    FETCH_ON(data->in.column, columns, auth);
    FETCH_ON(data->hub.now, scores, auth);
    FETCH_ON(data->out.first, rows, hub);
    FETCH_ON(data->out.column, columns, hub);
    FETCH_ON(data->auth.now, scores, hub);
}

static void multiply_and_sum(struct hits_data *data) {
    unsigned blocks = blocks_of(data), parts = reduction_blocks(data->nodes);
    spmv<<<blocks, BLOCK, 0, auth>>>(data->auth.next, data->in.first, data->in.column, data->hub.now,
                                     data->nodes);
    CHECK(cudaEventRecord(auth_multiplied, auth));
    spmv<<<blocks, BLOCK, 0, hub>>>(data->hub.next, data->out.first, data->out.column, data->auth.now,
                                    data->nodes);
    CHECK(cudaEventRecord(hub_multiplied, hub));
    sum<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->auth.norm, data->auth.next, data->nodes);
    sum<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hub.norm, data->hub.next, data->nodes);
}

static void divide_both(struct hits_data *data) {
    unsigned blocks = blocks_of(data);
    CHECK(cudaStreamWaitEvent(auth, hub_multiplied, 0));
    divide<<<blocks, BLOCK, 0, auth>>>(data->auth.now, data->auth.next, data->auth.norm, data->nodes);
    CHECK(cudaStreamWaitEvent(hub, auth_multiplied, 0));
    divide<<<blocks, BLOCK, 0, hub>>>(data->hub.now, data->hub.next, data->hub.norm, data->nodes);
}

/* Lets the next iteration come behind the other half's division. */
static void exchange(void) {
    CHECK(cudaEventRecord(auth_divided, auth));
    CHECK(cudaEventRecord(hub_divided, hub));
    CHECK(cudaStreamWaitEvent(auth, hub_divided, 0));
    CHECK(cudaStreamWaitEvent(hub, auth_divided, 0));
}

static void run_iterations(struct hits_data *data) {
    fetch_inputs(data);
    for (int i = 0; i < ITERATIONS; i++) {
        if (i > 0)
            exchange();
        multiply_and_sum(data);
        divide_both(data);
    }
    CHECK(cudaGetLastError());
    data->iterations = ITERATIONS;
}

static void run_until_converged(struct hits_data *data) {
    unsigned parts = reduction_blocks(data->nodes);
    float achange, hchange;
    data->iterations = 0;
    do {
        multiply_and_sum(data);
        difference<<<parts, REDUCTION_BLOCK, 0, auth>>>(data->auth.change, data->auth.now, data->auth.next,
                                                        data->auth.norm, data->nodes);
        difference<<<parts, REDUCTION_BLOCK, 0, hub>>>(data->hub.change, data->hub.now, data->hub.next,
                                                       data->hub.norm, data->nodes);
        divide_both(data);
        CHECK(cudaMemcpyAsync(&achange, &data->auth.change->value, sizeof(float), cudaMemcpyDeviceToHost,
                              auth));
        CHECK(
            cudaMemcpyAsync(&hchange, &data->hub.change->value, sizeof(float), cudaMemcpyDeviceToHost, hub));
        CHECK(cudaStreamSynchronize(auth));
        CHECK(cudaStreamSynchronize(hub));
        data->iterations++;
    } while ((achange > data->epsilon || hchange > data->epsilon) && data->iterations < MAX_ITERATIONS);
}

static void run(struct hits_data *data) {
    if (data->epsilon > 0)
        run_until_converged(data);
    else
        run_iterations(data);
}
