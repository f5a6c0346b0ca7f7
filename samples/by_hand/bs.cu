/*
 * samples/bs.cu as it would be written by hand, to compare with: each portfolio has a stream of its own.
 */
#define HAS_SETUP

#include "samples/bs.h"
#include "samples/streams.h"

static cudaStream_t streams[VECTORS];

static void setup_run(struct bs_data *) {
    streams_create(streams, VECTORS);
}

static void teardown_run(void) {
    streams_destroy(streams, VECTORS);
}

static void run(struct bs_data *data) {
    for (int j = 0; j < VECTORS; j++) {
        FETCH_ON(data->x[j], data->count * sizeof(double), streams[j]);
        bs<<<blocks_of(data), BLOCK, 0, streams[j]>>>(data->y[j], data->x[j], data->count);
    }
    CHECK(cudaGetLastError());
}
