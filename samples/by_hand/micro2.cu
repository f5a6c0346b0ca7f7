/*
 * samples/micro2.cu as it would be written by hand, to compare with: each head has a stream of its own.
 */
#define HAS_SETUP

#include "samples/micro2.h"
#include "samples/streams.h"

static cudaStream_t streams[HEADS];
static cudaEvent_t event;

static void setup_run(struct micro2_data *) {
    streams_create(streams, HEADS);
    events_create(&event, 1);
}

static void teardown_run(void) {
    events_destroy(&event, 1);
    streams_destroy(streams, HEADS);
}

/* Issues all kernels, each head on its stream; the last one on streams[0], behind all. */
static void run(struct micro2_data *data) {
    size_t words = data->words;
    FETCH_ON(data->x, words * WIDTH * sizeof(float), streams[0]);
    FETCH_ON(data->mix, sizeof(float) * WIDTH * WIDTH, streams[0]);
    for (int h = 0; h < HEADS; h++) {
        FETCH_ON(data->weights[h], sizeof(float) * WIDTH * PROJECTED, streams[h]);
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
