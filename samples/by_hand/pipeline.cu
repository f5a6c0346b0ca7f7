/*
 * samples/pipeline.cu as it would be written by hand, to compare with: each buffer has a stream of its own.
 */
#include "samples/pipeline.h"

static void process(uint32_t *out, const uint32_t *in, size_t count, size_t chunk) {
    uint32_t *buffers[BUFFERS];
    cudaStream_t streams[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(cudaMalloc(&buffers[i], chunk * sizeof(uint32_t)));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    int i = 0;
    for (size_t start = 0; start < count; start += chunk) {
        size_t length = count - start < chunk ? count - start : chunk;
        size_t bytes = length * sizeof(uint32_t);
        unsigned blocks = (unsigned)((length + BLOCK - 1) / BLOCK);
        CHECK(cudaMemcpyAsync(buffers[i], in + start, bytes, cudaMemcpyHostToDevice, streams[i]));
        mix<<<blocks, BLOCK, 0, streams[i]>>>(buffers[i], length);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + start, buffers[i], bytes, cudaMemcpyDeviceToHost, streams[i]));
        i = (i + 1) % BUFFERS;
    }
    for (i = 0; i < BUFFERS; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaFree(buffers[i]));
    }
}
