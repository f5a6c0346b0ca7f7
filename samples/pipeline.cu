/*
 * A pipeline: a large array goes through the device in chunks. See samples/pipeline.h for what is computed,
 * arguments and exit status.
 *
 *   for each chunk: copy to the device, mix(buffer), copy back
 *
 * The source is serial: no stream in it, and not a word for KeSCo. There are several buffers, which chunks
 * use in turn. With KeSCo each is a lane's, and one chunk is copied while others are mixed.
 */
#include "samples/pipeline.h"

static void process(uint32_t *out, const uint32_t *in, size_t count, size_t chunk) {
    uint32_t *buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        CHECK(cudaMalloc(&buffers[i], chunk * sizeof(uint32_t)));
    for (size_t first = 0; first < count; first += BUFFERS * chunk) {
        for (int i = 0; i < BUFFERS; i++) {
            size_t start = first + i * chunk;
            if (start >= count)
                break;
            size_t length = count - start < chunk ? count - start : chunk;
            size_t bytes = length * sizeof(uint32_t);
            unsigned blocks = (unsigned)((length + BLOCK - 1) / BLOCK);
            CHECK(cudaMemcpyAsync(buffers[i], in + start, bytes, cudaMemcpyHostToDevice));
            mix<<<blocks, BLOCK>>>(buffers[i], length);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(out + start, buffers[i], bytes, cudaMemcpyDeviceToHost));
        }
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BUFFERS; i++)
        CHECK(cudaFree(buffers[i]));
}
