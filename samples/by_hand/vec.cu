/*
 * samples/vec.cu as it would be written by hand, to compare with: each vector has a stream of its own.
 */
#define HAS_SETUP

#include "samples/streams.h"
#include "samples/vec.h"

static cudaStream_t streams[2];
static cudaEvent_t squared;

static void setup_run(struct vec_data *) {
    streams_create(streams, 2);
    events_create(&squared, 1);
}

static void teardown_run(void) {
    events_destroy(&squared, 1);
    streams_destroy(streams, 2);
}

static void run(struct vec_data *data) {
    unsigned blocks = blocks_of(data->count), parts = reduction_blocks(data->count);
    FETCH_ON(data->x, data->count * sizeof(float), streams[0]);
    FETCH_ON(data->y, data->count * sizeof(float), streams[1]);
    square<<<blocks, BLOCK, 0, streams[0]>>>(data->x1, data->x, data->count);
    square<<<blocks, BLOCK, 0, streams[1]>>>(data->y1, data->y, data->count);
    stream_after(streams[0], streams[1], squared);
    reduce<<<parts, REDUCTION_BLOCK, 0, streams[0]>>>(data->res, data->x1, data->y1, data->count);
    CHECK(cudaGetLastError());
}
