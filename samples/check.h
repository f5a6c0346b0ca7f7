/*
 * CHECK(call): for CUDA calls that return cudaError_t. A failing one ends the program with status 1 and a
 * line that names the call, its place and the error. It branches, so it stands around a block of launches,
 * not in it.
 */
#ifndef KESCO_SAMPLES_CHECK_H
#define KESCO_SAMPLES_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_error = (call);                                                                    \
        if (check_error != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_error));  \
            exit(EXIT_FAILURE);                                                                              \
        }                                                                                                    \
    } while (0)

#endif
