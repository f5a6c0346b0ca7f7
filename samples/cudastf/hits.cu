/*
 * samples/hits.cu with CUDASTF, to compare with (samples/cudastf.h). What no task writes has no token.
 */
#define HAS_SETUP

#include "samples/cudastf.h"
#include "samples/hits.h"

enum { AUTH1, AUTH2, HUB1, HUB2, ANORM, HNORM, BUFFERS };

static void setup_run(struct hits_data *) {
    cudastf_make(BUFFERS);
}

static void iterate(struct hits_data *data) {
    unsigned blocks = blocks_of(data), parts = reduction_blocks(data->nodes);
    size_t nodes = data->nodes;
    context->task(buffers[HUB1].read(), buffers[AUTH2].write())->*[&](cudaStream_t stream) {
        spmv<<<blocks, BLOCK, 0, stream>>>(data->auth.next, data->in.first, data->in.column, data->hub.now,
                                           nodes);
    };
    context->task(buffers[AUTH1].read(), buffers[HUB2].write())->*[&](cudaStream_t stream) {
        spmv<<<blocks, BLOCK, 0, stream>>>(data->hub.next, data->out.first, data->out.column, data->auth.now,
                                           nodes);
    };
    context->task(buffers[AUTH2].read(), buffers[ANORM].rw())->*[&](cudaStream_t stream) {
        sum<<<parts, REDUCTION_BLOCK, 0, stream>>>(data->auth.norm, data->auth.next, nodes);
    };
    context->task(buffers[HUB2].read(), buffers[HNORM].rw())->*[&](cudaStream_t stream) {
        sum<<<parts, REDUCTION_BLOCK, 0, stream>>>(data->hub.norm, data->hub.next, nodes);
    };
    context->task(buffers[AUTH2].read(), buffers[ANORM].read(), buffers[AUTH1].write())
            ->*
        [&](cudaStream_t stream) {
            divide<<<blocks, BLOCK, 0, stream>>>(data->auth.now, data->auth.next, data->auth.norm, nodes);
        };
    context->task(buffers[HUB2].read(), buffers[HNORM].read(), buffers[HUB1].write())
            ->*
        [&](cudaStream_t stream) {
            divide<<<blocks, BLOCK, 0, stream>>>(data->hub.now, data->hub.next, data->hub.norm, nodes);
        };
}

static void run(struct hits_data *data) {
    if (data->epsilon > 0) {
        fprintf(stderr, "hits: with CUDASTF there is no --until\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < ITERATIONS; i++)
        iterate(data);
    cudastf_join();
    data->iterations = ITERATIONS;
}
