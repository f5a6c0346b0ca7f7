/*
 * A pipeline: a large block of bytes is encrypted on the device, chunk by chunk. See samples/pipeline.h for
 * arguments, exit status, and what is shared with the version by hand.
 *
 *   for each chunk: copy to the device, encrypt(buffer), copy back
 *
 * The source is serial: no stream in it, and not a word for KeSCo. There are several buffers, which chunks
 * use in turn. With KeSCo each has a lane, and one chunk is copied while others are encrypted.
 */
#include "samples/pipeline.h"

static void process(uint8_t *out, const uint8_t *in, size_t size, size_t chunk) {
    uint8_t *buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        CHECK(cudaMalloc(&buffers[i], chunk));
    for (size_t group = 0; group < size; group += BUFFERS * chunk) {
        for (int i = 0; i < BUFFERS; i++) {
            size_t first = group + i * chunk;
            if (first >= size)
                break;
            size_t bytes = size - first < chunk ? size - first : chunk;
            unsigned blocks = (unsigned)((bytes + BLOCK - 1) / BLOCK);
            CHECK(cudaMemcpyAsync(buffers[i], in + first, bytes, cudaMemcpyHostToDevice));
            encrypt<<<blocks, BLOCK>>>(buffers[i], first, bytes);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(out + first, buffers[i], bytes, cudaMemcpyDeviceToHost));
        }
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BUFFERS; i++)
        CHECK(cudaFree(buffers[i]));
}
