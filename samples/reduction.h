/*
 * Sums and extremes over all threads of a launch, in one kernel and in a fixed order, so that the result is
 * the same to the bit in every run: each block reduces its threads' values in a tree, and the block that is
 * done last reduces the blocks' results.
 */
#ifndef KESCO_SAMPLES_REDUCTION_H
#define KESCO_SAMPLES_REDUCTION_H

#include "samples/memory.h"

#include <math.h>
#include <stddef.h>

#define REDUCTION_BLOCK 256 /* threads a block */
#define REDUCTION_PARTS 256 /* blocks a launch, at most; not above REDUCTION_BLOCK */

/* A launch of more than one block needs zeros before the first one: see reduction_create. */
struct reduction {
    float value;                  /* the result */
    unsigned done;                /* blocks that have their part; 0 between launches */
    float parts[REDUCTION_PARTS]; /* results of blocks */
};

enum reduction_kind { REDUCTION_SUM, REDUCTION_MAXIMUM, REDUCTION_MINIMUM };

/* On the device; freed by cudaFree. */
static inline struct reduction *reduction_create(void) {
    static const struct reduction zeros = {0, 0, {0}};
    struct reduction *reduction;
    CHECK(MEMORY_MALLOC(&reduction, sizeof *reduction));
    memory_set(reduction, &zeros, sizeof zeros);
    return reduction;
}

/* Blocks for `count` elements, of which each thread takes every reduction_stride-th from reduction_first on.
 */
static inline unsigned reduction_blocks(size_t count) {
    size_t blocks = (count + REDUCTION_BLOCK - 1) / REDUCTION_BLOCK;
    return blocks < REDUCTION_PARTS ? (unsigned)blocks : REDUCTION_PARTS;
}

__device__ static inline size_t reduction_first() {
    return (size_t)blockIdx.x * REDUCTION_BLOCK + threadIdx.x;
}

__device__ static inline size_t reduction_stride() {
    return (size_t)gridDim.x * REDUCTION_BLOCK;
}

__device__ static inline float reduced(enum reduction_kind kind, float a, float b) {
    switch (kind) {
    case REDUCTION_MAXIMUM:
        return fmaxf(a, b);
    case REDUCTION_MINIMUM:
        return fminf(a, b);
    default:
        return a + b;
    }
}

/* The block's result, in its first thread. */
__device__ static inline float reduce_block(enum reduction_kind kind, float own) {
    __shared__ float values[REDUCTION_BLOCK];
    values[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = REDUCTION_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            values[threadIdx.x] = reduced(kind, values[threadIdx.x], values[threadIdx.x + half]);
        __syncthreads();
    }
    return values[0];
}

/* Whether this block is the last one to have its part, which is `part`. All of its threads call it. */
__device__ static inline bool is_last_block(struct reduction *reduction, float part) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        reduction->parts[blockIdx.x] = part;
        __threadfence();
        last = gridDim.x == 1 || atomicInc(&reduction->done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    return last;
}

/* Reduces `own` over all threads to reduction->value. All threads of all blocks call it; without a value of
 * its own, a thread gives what changes nothing (0 for sums). */
__device__ static inline void reduce_all(struct reduction *reduction, enum reduction_kind kind, float own) {
    if (!is_last_block(reduction, reduce_block(kind, own)))
        return;
    const volatile float *parts = reduction->parts;
    float rest = kind == REDUCTION_SUM ? 0 : parts[0];
    float value = reduce_block(kind, threadIdx.x < gridDim.x ? parts[threadIdx.x] : rest);
    if (threadIdx.x == 0)
        reduction->value = value;
}

#endif
