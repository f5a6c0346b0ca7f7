/*
 * samples/bs.cu with CUDASTF, to compare with (samples/cudastf.h).
 */
#define HAS_SETUP

#include "samples/bs.h"
#include "samples/cudastf.h"

static void setup_run(struct bs_data *) {
    cudastf_make(2 * VECTORS);
}

static void run(struct bs_data *data) {
    for (int j = 0; j < VECTORS; j++) {
        auto x = buffers[2 * j].read();
        auto y = buffers[2 * j + 1].write();
        context->task(x, y)->*[&](cudaStream_t stream) {
            bs<<<blocks_of(data), BLOCK, 0, stream>>>(data->y[j], data->x[j], data->count);
        };
    }
    cudastf_join();
}
