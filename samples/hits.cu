/*
 * The KeSCo paper's hubs and authorities of a graph, in 6 kernels an iteration. A is the graph's matrix. See
 * samples/hits.h for arguments, sizes, exit status, and what is shared with the versions by hand.
 *
 *   spmv(A^T, hub.now -> auth.next)            spmv(A, auth.now -> hub.next)
 *   sum(auth.next -> auth.norm)                sum(hub.next -> hub.norm)
 *   divide(auth.next, auth.norm -> auth.now)   divide(hub.next, hub.norm -> hub.now)
 *
 * Each half writes what the other one has read, and reads in the next iteration what the other one has
 * written. The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the halves run beside
 * each other.
 */
#include "samples/hits.h"

static void fetch_inputs(const struct hits_data *data) {
    size_t scores = data->nodes * sizeof(float), rows = (data->nodes + 1) * sizeof(uint32_t);
    size_t columns = data->edges * sizeof(uint32_t);
    FETCH(data->in.first, rows);
    FETCH(data->in.column, columns);
    FETCH(data->hub.now, scores);
    FETCH(data->out.first, rows);
    FETCH(data->out.column, columns);
    FETCH(data->auth.now, scores);
}

static void multiply_and_sum(struct hits_data *data) {
    unsigned blocks = blocks_of(data), parts = reduction_blocks(data->nodes);
    spmv<<<blocks, BLOCK>>>(data->auth.next, data->in.first, data->in.column, data->hub.now, data->nodes);
    AWAIT();
    spmv<<<blocks, BLOCK>>>(data->hub.next, data->out.first, data->out.column, data->auth.now, data->nodes);
    AWAIT();
    sum<<<parts, REDUCTION_BLOCK>>>(data->auth.norm, data->auth.next, data->nodes);
    AWAIT();
    sum<<<parts, REDUCTION_BLOCK>>>(data->hub.norm, data->hub.next, data->nodes);
    AWAIT();
}

static void divide_both(struct hits_data *data) {
    unsigned blocks = blocks_of(data);
    divide<<<blocks, BLOCK>>>(data->auth.now, data->auth.next, data->auth.norm, data->nodes);
    AWAIT();
    divide<<<blocks, BLOCK>>>(data->hub.now, data->hub.next, data->hub.norm, data->nodes);
    AWAIT();
}

static void run_iterations(struct hits_data *data) {
    fetch_inputs(data);
    for (int i = 0; i < ITERATIONS; i++) {
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
        difference<<<parts, REDUCTION_BLOCK>>>(data->auth.change, data->auth.now, data->auth.next,
                                               data->auth.norm, data->nodes);
        AWAIT();
        difference<<<parts, REDUCTION_BLOCK>>>(data->hub.change, data->hub.now, data->hub.next,
                                               data->hub.norm, data->nodes);
        AWAIT();
        divide_both(data);
        CHECK(cudaMemcpy(&achange, &data->auth.change->value, sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&hchange, &data->hub.change->value, sizeof(float), cudaMemcpyDeviceToHost));
        data->iterations++;
    } while ((achange > data->epsilon || hchange > data->epsilon) && data->iterations < MAX_ITERATIONS);
}

static void run(struct hits_data *data) {
    if (data->epsilon > 0)
        run_until_converged(data);
    else
        run_iterations(data);
}
