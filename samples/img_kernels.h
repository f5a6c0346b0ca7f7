/*
 * The kernels of the KeSCo paper's picture pipeline, for the samples img and video, and what they compute at
 * one place, which the CPU reference (samples/img_reference.h) computes too. Values are 0..1; a mask has one
 * value a pixel, a picture `channels`, interleaved.
 */
#ifndef KESCO_SAMPLES_IMG_KERNELS_H
#define KESCO_SAMPLES_IMG_KERNELS_H

#include "samples/reduction.h"

#include <math.h>
#include <stddef.h>

#define SIDE 16   /* a block over pixels is SIDE x SIDE threads; 65535 such rows are more than libpng reads */
#define BLOCK 256 /* threads a block over values */

/* Radius in pixels and standard deviation of the three blurs. */
static const int small_radius = 2, large_radius = 4, unsharpen_radius = 2;
static const float small_sigma = 1.2f, large_sigma = 3.0f, unsharpen_sigma = 1.5f;

/* How much of its difference to its blurred self is added to the picture. */
static const float unsharpen_amount = 0.8f;

/* An edge counts in full from a third of the Sobel operator's length on: a wall's bricks are edges too. */
#define EDGE_GAIN 3.0f

/* A mask's range is stretched to 0..MASK_BOOST and cut at 1: soft edges belong to the subject too. */
#define MASK_BOOST 5.0f

/* What the kernels do at one place; the CPU reference does the same. */

__host__ __device__ static inline int clamp_index(int i, int count) {
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

__host__ __device__ static inline float clamp_unit(float value) {
    return value < 0 ? 0.0f : value > 1 ? 1.0f : value;
}

/* The value of channel `c` at (x, y); pixels beyond an edge repeat it. */
__host__ __device__ static inline float pixel(const float *in, int x, int y, int c, int width, int height,
                                              int channels) {
    size_t index = (size_t)clamp_index(y, height) * width + clamp_index(x, width);
    return in[index * channels + c];
}

__host__ __device__ static inline float gaussian(int distance, float sigma) {
    return expf(-(float)(distance * distance) / (2 * sigma * sigma));
}

__host__ __device__ static inline float blurred_at(const float *in, int x, int y, int c, int width,
                                                   int height, int channels, int radius, float sigma) {
    float sum = 0, weights = 0;
    for (int dy = -radius; dy <= radius; dy++) {
        float row_weight = gaussian(dy, sigma);
        for (int dx = -radius; dx <= radius; dx++) {
            float weight = row_weight * gaussian(dx, sigma);
            sum += weight * pixel(in, x + dx, y + dy, c, width, height, channels);
            weights += weight;
        }
    }
    return sum / weights;
}

/* The Sobel operator's length in the channel where it is longest, times EDGE_GAIN, cut at 1. */
__host__ __device__ static inline float edge_at(const float *in, int x, int y, int width, int height,
                                                int channels) {
    float longest = 0;
    for (int c = 0; c < channels; c++) {
        float across = 0, down = 0;
        for (int d = -1; d <= 1; d++) {
            float weight = d == 0 ? 2.0f : 1.0f;
            across += weight * (pixel(in, x + 1, y + d, c, width, height, channels) -
                                pixel(in, x - 1, y + d, c, width, height, channels));
            down += weight * (pixel(in, x + d, y + 1, c, width, height, channels) -
                              pixel(in, x + d, y - 1, c, width, height, channels));
        }
        longest = fmaxf(longest, sqrtf(across * across + down * down));
    }
    return clamp_unit(EDGE_GAIN * longest);
}

__host__ __device__ static inline float extended(float value, float minimum, float maximum) {
    return maximum > minimum ? clamp_unit(MASK_BOOST * (value - minimum) / (maximum - minimum)) : 0.0f;
}

__host__ __device__ static inline float unsharpened(float value, float blurred, float amount) {
    return clamp_unit(value + amount * (value - blurred));
}

__host__ __device__ static inline float mixed(float sharp, float soft, float mask) {
    return sharp * mask + soft * (1 - mask);
}

/* The kernels. */

__global__ void blur(float *out, const float *in, int width, int height, int channels, int radius,
                     float sigma) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    size_t first = ((size_t)y * width + x) * channels;
    for (int c = 0; c < channels; c++)
        out[first + c] = blurred_at(in, x, y, c, width, height, channels, radius, sigma);
}

__global__ void sobel(float *mask, const float *in, int width, int height, int channels) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        mask[(size_t)y * width + x] = edge_at(in, x, y, width, height, channels);
}

__global__ void max(struct reduction *result, const float *in, size_t count) {
    float own = in[0];
    for (size_t i = reduction_first(); i < count; i += reduction_stride())
        own = fmaxf(own, in[i]);
    reduce_all(result, REDUCTION_MAXIMUM, own);
}

__global__ void min(struct reduction *result, const float *in, size_t count) {
    float own = in[0];
    for (size_t i = reduction_first(); i < count; i += reduction_stride())
        own = fminf(own, in[i]);
    reduce_all(result, REDUCTION_MINIMUM, own);
}

__global__ void extend(const struct reduction *minimum, const struct reduction *maximum, float *mask,
                       size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        mask[i] = extended(mask[i], minimum->value, maximum->value);
}

__global__ void unsharpen(float *out, const float *in, const float *blurred, size_t count, float amount) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = unsharpened(in[i], blurred[i], amount);
}

/* `sharp` where the mask is 1, `soft` where it is 0. */
__global__ void combine(float *out, const float *sharp, const float *soft, const float *mask, size_t count,
                        int channels) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mixed(sharp[i], soft[i], mask[i / channels]);
}

#endif
