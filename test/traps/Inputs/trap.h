/* What the programs of test/traps share: kernels, and the printing of what they have computed. */
#ifndef KESCO_TEST_TRAP_H
#define KESCO_TEST_TRAP_H

#include <cuda_runtime.h>
#include <kesco.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64 /* ints in a vector; one block of N threads works on it */

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_error = (call);                                                                    \
        if (check_error != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(check_error));             \
            exit(EXIT_FAILURE);                                                                              \
        }                                                                                                    \
    } while (0)

/* Calls a function in a way that nobody sees through: it runs by its own plan, not by its caller's. */
#define APART(function, ...)                                                                                 \
    do {                                                                                                     \
        __typeof__(&function) volatile apart = &function;                                                    \
        apart(__VA_ARGS__);                                                                                  \
    } while (0)

KESCO_OUTPUTS(1) __global__ void fill(int *out, int value) {
    out[threadIdx.x] = value + threadIdx.x;
}

KESCO_OUTPUTS("a") __global__ void scale(int *a, int factor) {
    a[threadIdx.x] *= factor;
}

KESCO_OUTPUTS(1) __global__ void add(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static __attribute__((unused)) int *allocate(void) {
    int *vector;
    CHECK(cudaMalloc(&vector, N * sizeof *vector));
    return vector;
}

static __attribute__((unused)) void show_host(const char *what, const int *host) {
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)host[i];
    printf("%s: %u\n", what, sum);
}

static __attribute__((unused)) void show(const char *what, const int *device) {
    int host[N];
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    show_host(what, host);
}

#endif
