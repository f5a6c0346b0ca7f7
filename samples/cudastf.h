/*
 * For samples with CUDASTF (samples/cudastf), a rival of KeSCo that is a part of NVIDIA's CCCL: a program
 * says of each task which data it reads and writes, in CUDASTF's own words (stream_ctx, token;
 * nvidia.github.io/cccl, "CUDASTF"), and from that follows which tasks go to which streams, while the program
 * runs. The data is the sample's, so tokens stand for its buffers, which CUDASTF need not move. CCCL's
 * headers are the user's (CCCL_INCLUDE); they want C++17, and a call that fails ends the program.
 */
#ifndef KESCO_SAMPLES_CUDASTF_H
#define KESCO_SAMPLES_CUDASTF_H

#include <cuda/experimental/stf.cuh>

#include "samples/streams.h"

#include <memory>
#include <vector>

static std::unique_ptr<cuda::experimental::stf::stream_ctx> context;
static std::vector<cuda::experimental::stf::token> buffers; /* what the sample names them by */
static cudaEvent_t all_tasks;

/* What stands in the buffers already is there to be read. */
static inline void cudastf_make(int count) {
    context = std::make_unique<cuda::experimental::stf::stream_ctx>();
    for (int i = 0; i < count; i++) {
        buffers.push_back(context->token());
        context->task(buffers.back().write())->*[](cudaStream_t) {};
    }
    events_create(&all_tasks, 1);
}

/* The default stream waits for all tasks so far. */
static inline void cudastf_join(void) {
    CHECK(cudaGetLastError());
    stream_after(0, context->fence(), all_tasks);
}

static void teardown_run(void) {
    events_destroy(&all_tasks, 1);
    buffers.clear();
    context->finalize();
    context.reset();
}

#endif
