/*
 * samples/bs.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/bs.h"
#include "samples/streams.h"

CAPTURED_ONCE(bs_data)

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
