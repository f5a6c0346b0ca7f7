/*
 * The KeSCo paper's picture pipeline: sharpens the subject of a picture and softens what is behind it, in 11
 * kernels. Where the picture has strong edges it is taken to show the subject.
 *
 *   blur(image -> blurred_small)          sobel(blurred_small -> mask_small)
 *   blur(image -> blurred_large)          sobel(blurred_large -> mask_large)
 *   blur(image -> blurred_unsharpen)      max(mask_large -> maximum)
 *                                         min(mask_large -> minimum)
 *   extend(minimum, maximum -> mask_large)
 *   unsharpen(image, blurred_unsharpen -> sharpened)
 *   combine(sharpened, blurred_large, mask_large -> image2)
 *   combine(image2, blurred_small, mask_small -> image3)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the three blurs and what
 * follows from them run beside each other.
 *
 *   img IN.png OUT.png [--check]
 *
 * Any PNG of any size; a grey one stays grey, any other becomes RGB with 8 bits a channel, and what is
 * transparent is laid over white. --check compares the result with the same steps done on the CPU. Exit
 * status: 0 the picture is written, 1 it is not, or the check failed.
 *
 * samples/data/lighthouse.png and samples/data/knot.png (grey, of odd size) were drawn for this sample by a
 * program, from formulas alone; no photograph or other work is in them.
 */
#include "samples/check.h"
#include "samples/picture.h"

#include <math.h>
#include <string.h>

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

/* Largest difference to the CPU's result that --check allows, in steps of 1/255: one rounding. */
#define TOLERANCE 1

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

/* The kernels. Values are 0..1; a mask has one value a pixel, a picture `channels`, interleaved. */

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

/* One block of BLOCK threads: each takes a stride of the values, then they compare in a tree. */
__global__ void max(float *result, const float *in, size_t count) {
    __shared__ float largest[BLOCK];
    float own = in[0];
    for (size_t i = threadIdx.x; i < count; i += BLOCK)
        own = fmaxf(own, in[i]);
    largest[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = largest[0];
}

/* As max. */
__global__ void min(float *result, const float *in, size_t count) {
    __shared__ float smallest[BLOCK];
    float own = in[0];
    for (size_t i = threadIdx.x; i < count; i += BLOCK)
        own = fminf(own, in[i]);
    smallest[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            smallest[threadIdx.x] = fminf(smallest[threadIdx.x], smallest[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = smallest[0];
}

__global__ void extend(const float *minimum, const float *maximum, float *mask, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        mask[i] = extended(mask[i], *minimum, *maximum);
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

/* `in` and `out`: height x width x channels on the host. Ends the program when CUDA fails. */
static void run_pipeline(float *out, const float *in, int width, int height, int channels) {
    float *image, *blurred_small, *blurred_large, *blurred_unsharpen, *mask_small, *mask_large, *maximum,
        *minimum, *sharpened, *image2, *image3;
    size_t pixels = (size_t)width * height;
    size_t values = pixels * channels;
    dim3 block(SIDE, SIDE);
    dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    unsigned pixel_blocks = (unsigned)((pixels + BLOCK - 1) / BLOCK);
    unsigned value_blocks = (unsigned)((values + BLOCK - 1) / BLOCK);

    CHECK(cudaMalloc(&image, values * sizeof(float)));
    CHECK(cudaMalloc(&blurred_small, values * sizeof(float)));
    CHECK(cudaMalloc(&blurred_large, values * sizeof(float)));
    CHECK(cudaMalloc(&blurred_unsharpen, values * sizeof(float)));
    CHECK(cudaMalloc(&mask_small, pixels * sizeof(float)));
    CHECK(cudaMalloc(&mask_large, pixels * sizeof(float)));
    CHECK(cudaMalloc(&maximum, sizeof(float)));
    CHECK(cudaMalloc(&minimum, sizeof(float)));
    CHECK(cudaMalloc(&sharpened, values * sizeof(float)));
    CHECK(cudaMalloc(&image2, values * sizeof(float)));
    CHECK(cudaMalloc(&image3, values * sizeof(float)));
    CHECK(cudaMemcpy(image, in, values * sizeof(float), cudaMemcpyHostToDevice));

    blur<<<grid, block>>>(blurred_small, image, width, height, channels, small_radius, small_sigma);
    blur<<<grid, block>>>(blurred_large, image, width, height, channels, large_radius, large_sigma);
    blur<<<grid, block>>>(blurred_unsharpen, image, width, height, channels, unsharpen_radius,
                          unsharpen_sigma);
    sobel<<<grid, block>>>(mask_small, blurred_small, width, height, channels);
    sobel<<<grid, block>>>(mask_large, blurred_large, width, height, channels);
    max<<<1, BLOCK>>>(maximum, mask_large, pixels);
    min<<<1, BLOCK>>>(minimum, mask_large, pixels);
    extend<<<pixel_blocks, BLOCK>>>(minimum, maximum, mask_large, pixels);
    unsharpen<<<value_blocks, BLOCK>>>(sharpened, image, blurred_unsharpen, values, unsharpen_amount);
    combine<<<value_blocks, BLOCK>>>(image2, sharpened, blurred_large, mask_large, values, channels);
    combine<<<value_blocks, BLOCK>>>(image3, image2, blurred_small, mask_small, values, channels);

    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, image3, values * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image3));
    CHECK(cudaFree(image2));
    CHECK(cudaFree(sharpened));
    CHECK(cudaFree(minimum));
    CHECK(cudaFree(maximum));
    CHECK(cudaFree(mask_large));
    CHECK(cudaFree(mask_small));
    CHECK(cudaFree(blurred_unsharpen));
    CHECK(cudaFree(blurred_large));
    CHECK(cudaFree(blurred_small));
    CHECK(cudaFree(image));
}

/* The CPU reference: the same steps, one after the other. */

static float *host_floats(size_t count) {
    float *floats = (float *)malloc(count * sizeof(float));
    if (!floats) {
        fprintf(stderr, "img: not enough memory for a picture of %zu values\n", count);
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
        fprintf(stderr, "img: wrong result at x=%zu y=%zu: %g instead of %g\n", at % picture->width,
                at / picture->width, result[i], expected[i]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* Puts the pipeline's result in place of `picture`. With `check`, fails when the CPU's result differs. */
static int process(struct picture *picture, bool check) {
    size_t values = picture_values(picture);
    int width = (int)picture->width, height = (int)picture->height;
    int status = EXIT_SUCCESS;
    float *in = host_floats(values);
    float *out = host_floats(values);
    to_floats(in, picture);
    run_pipeline(out, in, width, height, picture->channels);
    if (check) {
        float *expected = host_floats(values);
        run_reference(expected, in, width, height, picture->channels);
        status = compare(out, expected, picture);
        free(expected);
    }
    from_floats(picture, out);
    free(out);
    free(in);
    return status;
}

static int run(const char *in_path, const char *out_path, bool check) {
    char error[PICTURE_ERROR_SIZE];
    struct picture picture;
    int status = EXIT_FAILURE;
    if (picture_read(&picture, in_path, error) || picture_can_write(out_path, error)) {
        fprintf(stderr, "img: %s\n", error);
    } else if (process(&picture, check) == EXIT_SUCCESS) {
        if (picture_write(&picture, out_path, error))
            fprintf(stderr, "img: %s\n", error);
        else
            status = EXIT_SUCCESS;
    }
    if (status == EXIT_SUCCESS)
        printf("%s: %u x %u, %s%s\n", out_path, picture.width, picture.height,
               picture.channels == 3 ? "RGB" : "grey", check ? ", as the CPU reference" : "");
    picture_destroy(&picture);
    return status;
}

static const char usage[] = "usage: img IN.png OUT.png [--check]\n"
                            "Sharpens a picture's subject and softens its background.\n"
                            "A grey picture stays grey, any other becomes RGB, 8 bits a channel;\n"
                            "what is transparent is laid over white.\n"
                            "  --check  compare the result with the CPU's\n";

int main(int argc, char **argv) {
    bool check = argc == 4 && strcmp(argv[3], "--check") == 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (argc != 3 && !check) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    return run(argv[1], argv[2], check);
}
