/*
 * samples/micro2.cu with CUDASTF, to compare with (samples/cudastf.h). What no task writes has no token.
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/micro2.h"

enum { PROJECTIONS, SCORES = HEADS, ATTENDED = 2 * HEADS, Z = 3 * HEADS, BUFFERS };

static void setup_run(struct micro2_data *) {
    cudastf_make(BUFFERS);
}

static void add_head(struct micro2_data *data, int h) {
    size_t words = data->words;
    auto &projection = buffers[PROJECTIONS + h], &scores = buffers[SCORES + h];
    context->task(projection.write())->*[&](cudaStream_t stream) {
        project<<<blocks_of(words * PROJECTED), BLOCK, 0, stream>>>(data->projected[h], data->x,
                                                                    data->weights[h], words);
    };
    context->task(projection.read(), scores.write())->*[&](cudaStream_t stream) {
        score<<<blocks_of(words * words), BLOCK, 0, stream>>>(data->scores[h], data->projected[h], words);
    };
    context->task(scores.rw())->*[&](cudaStream_t stream) {
        softmax<<<blocks_of(words), BLOCK, 0, stream>>>(data->scores[h], words);
    };
    context->task(scores.read(), projection.read(), buffers[ATTENDED + h].write())
            ->*[&](cudaStream_t stream) {
                    attend<<<blocks_of(words * HEAD), BLOCK, 0, stream>>>(
                        data->attended.of[h], data->scores[h], data->projected[h], words);
                };
}

static void run(struct micro2_data *data) {
    for (int h = 0; h < HEADS; h++)
        add_head(data, h);
    auto all = context->task(buffers[Z].write());
    for (int h = 0; h < HEADS; h++)
        all.add_deps(buffers[ATTENDED + h].read());
    all->*[&](cudaStream_t stream) {
        join<<<blocks_of(data->words * WIDTH), BLOCK, 0, stream>>>(data->z, data->attended, data->mix,
                                                                   data->words);
    };
    cudastf_join();
}
