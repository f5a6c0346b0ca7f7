/*
 * samples/micro2.cu as a CUDA graph, to compare with: captured once, launched as a whole.
 */
#define HAS_SETUP

#include "samples/micro2.h"
#include "samples/streams.h"

CAPTURED_ONCE(micro2_data)

/* For capturing only. */
static cudaStream_t streams[HEADS];
static cudaEvent_t event;

/* Issues all kernels, each head on its stream; the last one on streams[0], behind all. */
static void launch(struct micro2_data *data) {
    size_t words = data->words;
    for (int h = 0; h < HEADS; h++) {
        project<<<blocks_of(words * PROJECTED), BLOCK, 0, streams[h]>>>(data->projected[h], data->x,
                                                                        data->weights[h], words);
        score<<<blocks_of(words * words), BLOCK, 0, streams[h]>>>(data->scores[h], data->projected[h], words);
        softmax<<<blocks_of(words), BLOCK, 0, streams[h]>>>(data->scores[h], words);
        attend<<<blocks_of(words * HEAD), BLOCK, 0, streams[h]>>>(data->attended.of[h], data->scores[h],
                                                                  data->projected[h], words);
    }
    for (int h = 1; h < HEADS; h++)
        stream_after(streams[0], streams[h], event);
    join<<<blocks_of(words * WIDTH), BLOCK, 0, streams[0]>>>(data->z, data->attended, data->mix, words);
    CHECK(cudaGetLastError());
}

static void setup_run(struct micro2_data *data) {
    streams_create(streams, HEADS);
    events_create(&event, 1);
    capture_begin(streams, HEADS, event);
    launch(data);
    exec = capture_end(streams, 1, event);
    events_destroy(&event, 1);
    streams_destroy(streams, HEADS);
}
