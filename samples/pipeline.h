/*
 * All of the sample `pipeline` but for how it is processed (pipeline.cu, and by_hand/pipeline.cu with streams
 * by hand): a large array goes through the device in chunks, because it need not fit there. Each element is
 * mixed, ROUNDS times.
 *
 *   pipeline [N [CHUNK]]    N elements, default 2000000, in chunks of CHUNK, default 131072
 *
 * The arithmetic is that of whole numbers, so that the result has to equal the CPU's. Exit status: 0 the
 * result is right, 1 it is not, or an error.
 */
#ifndef KESCO_SAMPLES_PIPELINE_H
#define KESCO_SAMPLES_PIPELINE_H

#include "samples/check.h"

#include <errno.h>
#include <stdint.h>

#define DEFAULT_COUNT 2000000
#define DEFAULT_CHUNK 131072
#define MAX_COUNT ((size_t)1 << 30)
#define BUFFERS 4 /* on the device, of one chunk each */
#define BLOCK 256
#define ROUNDS 64

/* ROUNDS times the finaliser of MurmurHash3 (Austin Appleby, public domain), which is one to one. */
__host__ __device__ static inline uint32_t mixed(uint32_t value) {
    for (int round = 0; round < ROUNDS; round++) {
        value ^= value >> 16;
        value *= 0x85ebca6bu;
        value ^= value >> 13;
        value *= 0xc2b2ae35u;
        value ^= value >> 16;
    }
    return value;
}

__global__ void mix(uint32_t *data, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = mixed(data[i]);
}

/* Sets out[i] to mixed(in[i]). Both are pinned and have `count` elements. */
static void process(uint32_t *out, const uint32_t *in, size_t count, size_t chunk);

static int compare(const uint32_t *out, const uint32_t *in, size_t count) {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t expected = mixed(in[i]);
        if (out[i] != expected) {
            fprintf(stderr, "pipeline: wrong result: element %zu is %08x instead of %08x\n", i, out[i],
                    expected);
            return EXIT_FAILURE;
        }
        sum += out[i];
    }
    printf("pipeline: %zu elements, sum %08x\n", count, sum);
    return EXIT_SUCCESS;
}

static int run(size_t count, size_t chunk) {
    uint32_t *in, *out;
    CHECK(cudaMallocHost(&in, count * sizeof(uint32_t)));
    CHECK(cudaMallocHost(&out, count * sizeof(uint32_t)));
    for (size_t i = 0; i < count; i++)
        in[i] = (uint32_t)i;
    process(out, in, count, chunk);
    int status = compare(out, in, count);
    CHECK(cudaFreeHost(out));
    CHECK(cudaFreeHost(in));
    return status;
}

/* Returns 0 unless `text` is a whole number from 1 to MAX_COUNT. */
static size_t parse_count(const char *text) {
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    return *end || errno || count > MAX_COUNT ? 0 : (size_t)count;
}

int main(int argc, char **argv) {
    if (argc > 3) {
        fprintf(stderr, "usage: pipeline [N [CHUNK]]\n");
        return EXIT_FAILURE;
    }
    size_t count = argc > 1 ? parse_count(argv[1]) : DEFAULT_COUNT;
    size_t chunk = argc > 2 ? parse_count(argv[2]) : DEFAULT_CHUNK;
    if (count == 0 || chunk == 0) {
        fprintf(stderr, "pipeline: '%s' is not a number of elements from 1 to %zu\n", argv[count ? 2 : 1],
                MAX_COUNT);
        return EXIT_FAILURE;
    }
    return run(count, chunk);
}

#endif
