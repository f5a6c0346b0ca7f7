/* Checks of the kernel tests: the first one that fails is printed and ends the program with status 1. */
#ifndef KESCO_TEST_VGPU_KERNELS_CHECK_H
#define KESCO_TEST_VGPU_KERNELS_CHECK_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                   \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

#define CHECK_EQUAL(actual, expected)                                                                        \
    do {                                                                                                     \
        const long long actual_ = (long long)(actual), expected_ = (long long)(expected);                    \
        if (actual_ != expected_) {                                                                          \
            printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_, expected_);        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

#define CUDA(call) CHECK((call) == cudaSuccess)

/* Device memory of `count` elements, all bytes 0. */
#define DEVICE_ZEROS(type, count) ((type *)device_zeros(sizeof(type) * (count)))

static inline void *device_zeros(size_t size) {
    void *memory;
    CUDA(cudaMalloc(&memory, size));
    CUDA(cudaMemset(memory, 0, size));
    return memory;
}

/* Waits for the device, and copies back. */
static inline void fetch(void *host, const void *device, size_t size) {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
}

#endif
