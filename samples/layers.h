/*
 * Layers of neural networks, for the samples dl, micro1 and micro2, and what they compute at one place, which
 * the CPU references compute too: to the bit, because each value is made by the same operations in the same
 * order. Images are square, of `channels` planes of side x side values, one behind the other.
 */
#ifndef KESCO_SAMPLES_LAYERS_H
#define KESCO_SAMPLES_LAYERS_H

#include "samples/bench.h"

#include <math.h>

#define BLOCK 256 /* threads a block */

/*
 * Channel `c` of a convolution at (x, y), behind the rectifier (below 0 becomes 0). `weights`: for each
 * output channel and input channel (2 * radius + 1)^2 values. What is beyond an edge is 0.
 */
__host__ __device__ static inline float convolved_at(const float *in, const float *weights, int x, int y,
                                                     int c, int side, int channels, int radius) {
    int window = 2 * radius + 1;
    float sum = 0;
    for (int from = 0; from < channels; from++) {
        const float *plane = in + (size_t)from * side * side;
        const float *weight = weights + (size_t)(c * channels + from) * window * window;
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++, weight++)
                if (x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side)
                    sum = fmaf(*weight, plane[(size_t)(y + dy) * side + x + dx], sum);
    }
    return fmaxf(sum, 0);
}

/* Where a pooling window starts, for the output at `place`. */
__host__ __device__ static inline int window_start(int place, int window, int stride) {
    return place * stride - (window - stride) / 2;
}

/* The mean over the part of the window that is in the image. */
__host__ __device__ static inline float mean_at(const float *plane, int x, int y, int side, int window,
                                                int stride) {
    int left = window_start(x, window, stride), top = window_start(y, window, stride), count = 0;
    float sum = 0;
    for (int row = top < 0 ? 0 : top; row < top + window && row < side; row++)
        for (int column = left < 0 ? 0 : left; column < left + window && column < side; column++, count++)
            sum += plane[(size_t)row * side + column];
    return sum / (float)count;
}

__host__ __device__ static inline float most_at(const float *plane, int x, int y, int side, int window,
                                                int stride) {
    int left = window_start(x, window, stride), top = window_start(y, window, stride);
    float most = -INFINITY;
    for (int row = top < 0 ? 0 : top; row < top + window && row < side; row++)
        for (int column = left < 0 ? 0 : left; column < left + window && column < side; column++)
            most = fmaxf(most, plane[(size_t)row * side + column]);
    return most;
}

/* Side of what pooling makes of an image. */
__host__ __device__ static inline int pooled_side(int side, int stride) {
    return (side - 1) / stride + 1;
}

/* The kernels: a thread for each value of the result. */

__device__ static inline size_t thread() {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void conv2d(float *out, const float *in, const float *weights, int side, int channels,
                       int out_channels, int radius) {
    size_t i = thread(), pixels = (size_t)side * side;
    if (i < pixels * out_channels)
        out[i] = convolved_at(in, weights, (int)(i % side), (int)(i % pixels / side), (int)(i / pixels), side,
                              channels, radius);
}

__global__ void mean_pool(float *out, const float *in, int side, int channels, int window, int stride) {
    int out_side = pooled_side(side, stride);
    size_t i = thread(), pixels = (size_t)out_side * out_side;
    if (i < pixels * channels)
        out[i] = mean_at(in + i / pixels * side * side, (int)(i % out_side), (int)(i % pixels / out_side),
                         side, window, stride);
}

__global__ void max_pool(float *out, const float *in, int side, int channels, int window, int stride) {
    int out_side = pooled_side(side, stride);
    size_t i = thread(), pixels = (size_t)out_side * out_side;
    if (i < pixels * channels)
        out[i] = most_at(in + i / pixels * side * side, (int)(i % out_side), (int)(i % pixels / out_side),
                         side, window, stride);
}

static inline unsigned blocks_of(size_t threads) {
    return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

/* What the kernels do, on the CPU. */

static inline void reference_conv2d(float *out, const float *in, const float *weights, int side, int channels,
                                    int out_channels, int radius) {
    for (int c = 0; c < out_channels; c++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                *out++ = convolved_at(in, weights, x, y, c, side, channels, radius);
}

static inline void reference_pool(float *out, const float *in, int side, int channels, int window, int stride,
                                  float (*at)(const float *, int, int, int, int, int)) {
    int out_side = pooled_side(side, stride);
    for (int c = 0; c < channels; c++)
        for (int y = 0; y < out_side; y++)
            for (int x = 0; x < out_side; x++)
                *out++ = at(in + (size_t)c * side * side, x, y, side, window, stride);
}

/* Memory and values. */

/* Values in [-half, half), from a generator that starts at `seed`. */
static inline void fill_random(float *values, size_t count, uint64_t seed, float half) {
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(2 * bench_random(&state) - 1) * half;
}

/* On the device; freed by cudaFree. */
static inline float *device_floats(size_t count) {
    float *memory;
    CHECK(MEMORY_MALLOC(&memory, count * sizeof(float)));
    return memory;
}

static inline float *device_copy(const float *values, size_t count) {
    float *memory = device_floats(count);
    memory_fill(memory, values, count * sizeof(float));
    return memory;
}

#endif
