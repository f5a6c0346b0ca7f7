/*
 * The picture pipeline of the samples img and video on the CPU: the same steps as the kernels', one after the
 * other; and what the samples do with values on the host besides. The including file defines SAMPLE, its
 * name.
 */
#ifndef KESCO_SAMPLES_IMG_REFERENCE_H
#define KESCO_SAMPLES_IMG_REFERENCE_H

#include "samples/img_kernels.h"
#include "samples/picture.h"

#include <stdio.h>
#include <stdlib.h>

/* Largest difference to the CPU's result that compare allows, in steps of 1/255: one rounding. */
#define TOLERANCE 1

static float *host_floats(size_t count) {
    float *floats = (float *)malloc(count * sizeof(float));
    if (!floats) {
        fprintf(stderr, SAMPLE ": not enough memory for a picture of %zu values\n", count);
        exit(EXIT_FAILURE);
    }
    return floats;
}

static float *reference_blur(const float *in, int width, int height, int channels, int radius, float sigma) {
    float *out = host_floats((size_t)width * height * channels);
    float *next = out;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++)
                *next++ = blurred_at(in, x, y, c, width, height, channels, radius, sigma);
    return out;
}

static float *reference_sobel(const float *in, int width, int height, int channels) {
    float *mask = host_floats((size_t)width * height);
    float *next = mask;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            *next++ = edge_at(in, x, y, width, height, channels);
    return mask;
}

static void reference_extend(float *mask, size_t count) {
    float minimum = mask[0], maximum = mask[0];
    for (size_t i = 1; i < count; i++) {
        minimum = fminf(minimum, mask[i]);
        maximum = fmaxf(maximum, mask[i]);
    }
    for (size_t i = 0; i < count; i++)
        mask[i] = extended(mask[i], minimum, maximum);
}

static void run_reference(float *out, const float *in, int width, int height, int channels) {
    size_t pixels = (size_t)width * height;
    float *blurred_small = reference_blur(in, width, height, channels, small_radius, small_sigma);
    float *blurred_large = reference_blur(in, width, height, channels, large_radius, large_sigma);
    float *blurred_unsharpen = reference_blur(in, width, height, channels, unsharpen_radius, unsharpen_sigma);
    float *mask_small = reference_sobel(blurred_small, width, height, channels);
    float *mask_large = reference_sobel(blurred_large, width, height, channels);
    reference_extend(mask_large, pixels);
    for (size_t i = 0; i < pixels * channels; i++) {
        float sharpened = unsharpened(in[i], blurred_unsharpen[i], unsharpen_amount);
        float image2 = mixed(sharpened, blurred_large[i], mask_large[i / channels]);
        out[i] = mixed(image2, blurred_small[i], mask_small[i / channels]);
    }
    free(mask_large);
    free(mask_small);
    free(blurred_unsharpen);
    free(blurred_large);
    free(blurred_small);
}

static void to_floats(float *out, const struct picture *picture) {
    for (size_t i = 0; i < picture_values(picture); i++)
        out[i] = picture->pixels[i] / 255.0f;
}

static void from_floats(struct picture *picture, const float *in) {
    for (size_t i = 0; i < picture_values(picture); i++)
        picture->pixels[i] = (uint8_t)(clamp_unit(in[i]) * 255 + 0.5f);
}

/* Prints the first place where `result` is not `expected`; both in 0..1. */
static int compare(const float *result, const float *expected, const struct picture *picture) {
    for (size_t i = 0; i < picture_values(picture); i++) {
        /* Written so that a NaN differs. */
        if (fabsf(result[i] - expected[i]) * 255 <= TOLERANCE)
            continue;
        size_t at = i / picture->channels;
        fprintf(stderr, SAMPLE ": wrong result at x=%zu y=%zu: %g instead of %g\n", at % picture->width,
                at / picture->width, result[i], expected[i]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

#endif
