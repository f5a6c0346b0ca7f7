/*
 * Sums over all threads of a launch, in one kernel and in a fixed order, so that the result is the same to
 * the bit in every run: each block adds up in a tree, and the block that is done last adds up the blocks'
 * sums.
 */
#ifndef KESCO_SAMPLES_REDUCTION_H
#define KESCO_SAMPLES_REDUCTION_H

#include "samples/check.h"

#include <stddef.h>

#define SUM_BLOCK 256 /* threads a block */
#define SUM_PARTS 256 /* blocks a launch, at most; not above SUM_BLOCK */

/* Zeros before the first launch: see total_create. */
struct total {
    float value;            /* the sum */
    unsigned done;          /* blocks that have their part; 0 between launches */
    float parts[SUM_PARTS]; /* sums of blocks */
};

/* On the device; freed by cudaFree. */
static inline struct total *total_create(void) {
    static const struct total zeros = {0, 0, {0}};
    struct total *total;
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemcpy(total, &zeros, sizeof zeros, cudaMemcpyHostToDevice));
    return total;
}

/* Blocks for a sum over `count` elements, of which each thread takes every stride-th. */
static inline unsigned sum_blocks(size_t count) {
    size_t blocks = (count + SUM_BLOCK - 1) / SUM_BLOCK;
    return blocks < SUM_PARTS ? (unsigned)blocks : SUM_PARTS;
}

__device__ static inline size_t sum_first() {
    return (size_t)blockIdx.x * SUM_BLOCK + threadIdx.x;
}

__device__ static inline size_t sum_stride() {
    return (size_t)gridDim.x * SUM_BLOCK;
}

/* The sum of all threads' `own`, in the block's first thread. */
__device__ static inline float sum_of_block(float own) {
    __shared__ float sums[SUM_BLOCK];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = SUM_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

/* Makes total->value the sum of `own` over all threads. All threads of all blocks call it. */
__device__ static inline void sum_up(struct total *total, float own) {
    __shared__ bool last;
    float part = sum_of_block(own);
    if (threadIdx.x == 0) {
        total->parts[blockIdx.x] = part;
        __threadfence();
        last = atomicInc(&total->done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    const volatile float *parts = total->parts;
    float sum = sum_of_block(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        total->value = sum;
}

#endif
