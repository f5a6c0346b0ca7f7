/*
 * samples/vec.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/streams.h"
#include "samples/vec.h"

CAPTURED_ONCE(vec_data)

static void setup_run(struct vec_data *data) {
    unsigned blocks = blocks_of(data->count), parts = reduction_blocks(data->count);
    cudaStream_t streams[2];
    cudaEvent_t event;
    streams_create(streams, 2);
    events_create(&event, 1);
    capture_begin(streams, 2, event);
    square<<<blocks, BLOCK, 0, streams[0]>>>(data->x1, data->x, data->count);
    square<<<blocks, BLOCK, 0, streams[1]>>>(data->y1, data->y, data->count);
    stream_after(streams[0], streams[1], event);
    reduce<<<parts, REDUCTION_BLOCK, 0, streams[0]>>>(data->res, data->x1, data->y1, data->count);
    exec = capture_end(streams, 1, event);
    events_destroy(&event, 1);
    streams_destroy(streams, 2);
}
