/*
 * samples/pipeline.cu as it would be written by hand, to compare with: each buffer has a stream of its own.
 */
#include "samples/pipeline.h"

static void process(uint8_t *out, const uint8_t *in, size_t size, size_t chunk) {
    uint8_t *buffers[BUFFERS];
    cudaStream_t streams[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(cudaMalloc(&buffers[i], chunk));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    int i = 0;
    for (size_t first = 0; first < size; first += chunk) {
        size_t bytes = size - first < chunk ? size - first : chunk;
        unsigned blocks = (unsigned)((bytes + BLOCK - 1) / BLOCK);
        CHECK(cudaMemcpyAsync(buffers[i], in + first, bytes, cudaMemcpyHostToDevice, streams[i]));
        encrypt<<<blocks, BLOCK, 0, streams[i]>>>(buffers[i], first, bytes);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + first, buffers[i], bytes, cudaMemcpyDeviceToHost, streams[i]));
        i = (i + 1) % BUFFERS;
    }
    for (i = 0; i < BUFFERS; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaFree(buffers[i]));
    }
}
