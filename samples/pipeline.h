/*
 * All of the sample `pipeline` but for how it is processed (pipeline.cu, and by_hand/pipeline.cu with streams
 * by hand): a large block of bytes is encrypted on the device, chunk by chunk, because it need not fit there.
 *
 *   pipeline [N [CHUNK]]    N bytes, default 16000000, in chunks of CHUNK, default 524288
 *
 * The cipher is a toy: each byte is combined with one that is computed from its place alone. Its arithmetic
 * is that of whole numbers, so that the result has to equal the CPU's. Exit status: 0 the result is right, 1
 * it is not, or an error.
 */
#ifndef KESCO_SAMPLES_PIPELINE_H
#define KESCO_SAMPLES_PIPELINE_H

#include "samples/check.h"

#include <errno.h>
#include <stdint.h>

#define DEFAULT_SIZE 16000000
#define DEFAULT_CHUNK 524288
#define MAX_SIZE ((size_t)1 << 32)
#define BUFFERS 4 /* on the device, of one chunk each */
#define BLOCK 256
#define ROUNDS 24
#define KEY 2023u

/* Of byte `place`: ROUNDS times the finaliser of MurmurHash3 (Austin Appleby, public domain). */
__host__ __device__ static inline uint8_t key_byte(size_t place) {
    uint32_t key = (uint32_t)place ^ KEY;
    for (int round = 0; round < ROUNDS; round++) {
        key ^= key >> 16;
        key *= 0x85ebca6bu;
        key ^= key >> 13;
        key *= 0xc2b2ae35u;
        key ^= key >> 16;
    }
    return (uint8_t)key;
}

/* `data`: `size` bytes, the first of which is byte `first` of the whole. */
__global__ void encrypt(uint8_t *data, size_t first, size_t size) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        data[i] ^= key_byte(first + i);
}

/* Encrypts `in` to `out`, `size` bytes each, both pinned. Ends the program when CUDA fails. */
static void process(uint8_t *out, const uint8_t *in, size_t size, size_t chunk);

static uint8_t plain_byte(size_t place) {
    return (uint8_t)(place % 251);
}

static int compare(const uint8_t *out, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t expected = plain_byte(i) ^ key_byte(i);
        if (out[i] != expected) {
            fprintf(stderr, "pipeline: wrong result: byte %zu is %u instead of %u\n", i, out[i], expected);
            return EXIT_FAILURE;
        }
        sum = sum * 31 + out[i];
    }
    printf("pipeline: %zu bytes encrypted, check sum %08x\n", size, sum);
    return EXIT_SUCCESS;
}

static int run(size_t size, size_t chunk) {
    uint8_t *in, *out;
    CHECK(cudaMallocHost(&in, size));
    CHECK(cudaMallocHost(&out, size));
    for (size_t i = 0; i < size; i++)
        in[i] = plain_byte(i);
    process(out, in, size, chunk);
    int status = compare(out, size);
    CHECK(cudaFreeHost(out));
    CHECK(cudaFreeHost(in));
    return status;
}

/* Returns 0 unless `text` is a whole number from 1 to MAX_SIZE. */
static size_t parse_size(const char *text) {
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    unsigned long long size = strtoull(text, &end, 10);
    return *end || errno || size > MAX_SIZE ? 0 : (size_t)size;
}

int main(int argc, char **argv) {
    if (argc > 3) {
        fprintf(stderr, "usage: pipeline [N [CHUNK]]\n");
        return EXIT_FAILURE;
    }
    size_t size = argc > 1 ? parse_size(argv[1]) : DEFAULT_SIZE;
    size_t chunk = argc > 2 ? parse_size(argv[2]) : DEFAULT_CHUNK;
    if (size == 0 || chunk == 0) {
        fprintf(stderr, "pipeline: '%s' is not a number of bytes from 1 to %zu\n", argv[size ? 2 : 1],
                MAX_SIZE);
        return EXIT_FAILURE;
    }
    return run(size, chunk);
}

#endif
