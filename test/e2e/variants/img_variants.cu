// The sample img in other words: in helpers, in a class, in a loop over ten pictures, with pointers as arguments. Each has
// the plan that the straight program has, and computes the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s %picture -lpng -I%root -o %t/serial
// RUN: for o in 0 1 2 3; do \
// RUN:   %vgpu-kesco -O$o %s %picture -lpng -I%root -o %t/kesco -fplugin-arg-kesco-report=%t/$o.json || exit 1; \
// RUN:   for name in run_pipeline in_helpers in_a_class over_ten_pictures with_arguments; do \
// RUN:     sed -n "/\"name\": \"$name(/,/\"barriers\"/p" %t/$o.json | FileCheck %s || { echo $name; exit 1; }; \
// RUN:   done; \
// RUN:   sh %compare 12 %t/serial %t/kesco %samples/data/knot.png || exit 1; \
// RUN: done
// RUN: grep -v '"why"' %t/0.json >%t/0.plans && grep -v '"why"' %t/3.json | cmp %t/0.plans -

// CHECK: "lanes": 4,
// CHECK: {"id": 10, {{.*}}"name": "combine"
// CHECK: "waits": [
// CHECK-NEXT: {"op": 6, "on": 4},
// CHECK-NEXT: {"op": 7, "on": 6},
// CHECK-NEXT: {"op": 9, "on": 8},
// CHECK-NEXT: {"op": 10, "on": 9}],
// CHECK-NEXT: "records": [4, 6, 8, 9],

#define main sample_main
#include "samples/img.cu"
#undef main

#define PICTURES 10
#define ROWS 24 /* of the pictures here: the first of the file's, for the tests' speed */

static float *on_device(size_t count) {
    float *memory;
    CHECK(cudaMalloc(&memory, count * sizeof(float)));
    return memory;
}

static struct reduction *on_device() {
    struct reduction *memory;
    CHECK(cudaMalloc(&memory, sizeof *memory));
    return memory;
}

static dim3 pixel_grid(int width, int height) {
    return dim3((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
}

static unsigned blocks_for(size_t count) {
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

/* In helpers. */

static void launch_blur(float *out, const float *in, int width, int height, int channels, int radius, float sigma) {
    blur<<<pixel_grid(width, height), dim3(SIDE, SIDE)>>>(out, in, width, height, channels, radius, sigma);
    CHECK(cudaGetLastError());
}

static void launch_sobel(float *mask, const float *in, int width, int height, int channels) {
    sobel<<<pixel_grid(width, height), dim3(SIDE, SIDE)>>>(mask, in, width, height, channels);
    CHECK(cudaGetLastError());
}

static void stretch_mask(float *mask, struct reduction *minimum, struct reduction *maximum, size_t pixels) {
    max<<<1, BLOCK>>>(maximum, mask, pixels);
    min<<<1, BLOCK>>>(minimum, mask, pixels);
    extend<<<blocks_for(pixels), BLOCK>>>(minimum, maximum, mask, pixels);
    CHECK(cudaGetLastError());
}

static void launch_combine(float *out, const float *sharp, const float *soft, const float *mask, size_t values,
                           int channels) {
    combine<<<blocks_for(values), BLOCK>>>(out, sharp, soft, mask, values, channels);
    CHECK(cudaGetLastError());
}

void in_helpers(float *out, const float *in, int width, int height, int channels) {
    size_t pixels = (size_t)width * height, values = pixels * channels;
    float *image = on_device(values), *blurred_small = on_device(values), *blurred_large = on_device(values),
          *blurred_unsharpen = on_device(values), *mask_small = on_device(pixels), *mask_large = on_device(pixels),
          *sharpened = on_device(values), *image2 = on_device(values), *image3 = on_device(values);
    struct reduction *maximum = on_device(), *minimum = on_device();
    CHECK(cudaMemcpy(image, in, values * sizeof(float), cudaMemcpyHostToDevice));
    launch_blur(blurred_small, image, width, height, channels, small_radius, small_sigma);
    launch_blur(blurred_large, image, width, height, channels, large_radius, large_sigma);
    launch_blur(blurred_unsharpen, image, width, height, channels, unsharpen_radius, unsharpen_sigma);
    launch_sobel(mask_small, blurred_small, width, height, channels);
    launch_sobel(mask_large, blurred_large, width, height, channels);
    stretch_mask(mask_large, minimum, maximum, pixels);
    unsharpen<<<blocks_for(values), BLOCK>>>(sharpened, image, blurred_unsharpen, values, unsharpen_amount);
    launch_combine(image2, sharpened, blurred_large, mask_large, values, channels);
    launch_combine(image3, image2, blurred_small, mask_small, values, channels);
    CHECK(cudaMemcpy(out, image3, values * sizeof(float), cudaMemcpyDeviceToHost));
}

/* In a class. */

class Pipeline {
  public:
    Pipeline(int width, int height, int channels)
        : width(width), height(height), channels(channels), pixels((size_t)width * height), values(pixels * channels),
          image(on_device(values)), blurred_small(on_device(values)), blurred_large(on_device(values)),
          blurred_unsharpen(on_device(values)), mask_small(on_device(pixels)), mask_large(on_device(pixels)),
          sharpened(on_device(values)), image2(on_device(values)), image3(on_device(values)), maximum(on_device()),
          minimum(on_device()) {
    }

    void run(float *out, const float *in) {
        CHECK(cudaMemcpy(image, in, values * sizeof(float), cudaMemcpyHostToDevice));
        blur_all();
        find_edges();
        stretch();
        mix();
        CHECK(cudaMemcpy(out, image3, values * sizeof(float), cudaMemcpyDeviceToHost));
    }

  private:
    void blur_to(float *out, int radius, float sigma) const {
        blur<<<pixel_grid(width, height), dim3(SIDE, SIDE)>>>(out, image, width, height, channels, radius, sigma);
    }

    void blur_all() const {
        blur_to(blurred_small, small_radius, small_sigma);
        blur_to(blurred_large, large_radius, large_sigma);
        blur_to(blurred_unsharpen, unsharpen_radius, unsharpen_sigma);
    }

    void find_edges() const {
        dim3 grid = pixel_grid(width, height), block(SIDE, SIDE);
        sobel<<<grid, block>>>(mask_small, blurred_small, width, height, channels);
        sobel<<<grid, block>>>(mask_large, blurred_large, width, height, channels);
    }

    void stretch() const {
        max<<<1, BLOCK>>>(maximum, mask_large, pixels);
        min<<<1, BLOCK>>>(minimum, mask_large, pixels);
        extend<<<blocks_for(pixels), BLOCK>>>(minimum, maximum, mask_large, pixels);
    }

    void mix() const {
        unsigned blocks = blocks_for(values);
        unsharpen<<<blocks, BLOCK>>>(sharpened, image, blurred_unsharpen, values, unsharpen_amount);
        combine<<<blocks, BLOCK>>>(image2, sharpened, blurred_large, mask_large, values, channels);
        combine<<<blocks, BLOCK>>>(image3, image2, blurred_small, mask_small, values, channels);
        CHECK(cudaGetLastError());
    }

    int width, height, channels;
    size_t pixels, values;
    float *image, *blurred_small, *blurred_large, *blurred_unsharpen, *mask_small, *mask_large, *sharpened, *image2,
        *image3;
    struct reduction *maximum, *minimum;
};

void in_a_class(float *out, const float *in, int width, int height, int channels) {
    Pipeline pipeline(width, height, channels);
    pipeline.run(out, in);
}

/* In a loop over pictures of one size, in the same memory. */

void over_ten_pictures(float *out, const float *in, int pictures, int width, int height, int channels) {
    size_t pixels = (size_t)width * height, values = pixels * channels;
    float *image = on_device(values), *blurred_small = on_device(values), *blurred_large = on_device(values),
          *blurred_unsharpen = on_device(values), *mask_small = on_device(pixels), *mask_large = on_device(pixels),
          *sharpened = on_device(values), *image2 = on_device(values), *image3 = on_device(values);
    struct reduction *maximum = on_device(), *minimum = on_device();
    dim3 block(SIDE, SIDE), grid = pixel_grid(width, height);
    for (int i = 0; i < pictures; i++) {
        CHECK(cudaMemcpy(image, in + i * values, values * sizeof(float), cudaMemcpyHostToDevice));
        blur<<<grid, block>>>(blurred_small, image, width, height, channels, small_radius, small_sigma);
        blur<<<grid, block>>>(blurred_large, image, width, height, channels, large_radius, large_sigma);
        blur<<<grid, block>>>(blurred_unsharpen, image, width, height, channels, unsharpen_radius, unsharpen_sigma);
        sobel<<<grid, block>>>(mask_small, blurred_small, width, height, channels);
        sobel<<<grid, block>>>(mask_large, blurred_large, width, height, channels);
        max<<<1, BLOCK>>>(maximum, mask_large, pixels);
        min<<<1, BLOCK>>>(minimum, mask_large, pixels);
        extend<<<blocks_for(pixels), BLOCK>>>(minimum, maximum, mask_large, pixels);
        unsharpen<<<blocks_for(values), BLOCK>>>(sharpened, image, blurred_unsharpen, values, unsharpen_amount);
        combine<<<blocks_for(values), BLOCK>>>(image2, sharpened, blurred_large, mask_large, values, channels);
        combine<<<blocks_for(values), BLOCK>>>(image3, image2, blurred_small, mask_small, values, channels);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out + i * values, image3, values * sizeof(float), cudaMemcpyDeviceToHost));
    }
}

/* With pointers that only the caller knows. */

void with_arguments(float *image, float *blurred_small, float *blurred_large, float *blurred_unsharpen,
                    float *mask_small, float *mask_large, struct reduction *maximum, struct reduction *minimum,
                    float *sharpened, float *image2, float *image3, int width, int height, int channels) {
    size_t pixels = (size_t)width * height, values = pixels * channels;
    dim3 block(SIDE, SIDE), grid = pixel_grid(width, height);
    blur<<<grid, block>>>(blurred_small, image, width, height, channels, small_radius, small_sigma);
    blur<<<grid, block>>>(blurred_large, image, width, height, channels, large_radius, large_sigma);
    blur<<<grid, block>>>(blurred_unsharpen, image, width, height, channels, unsharpen_radius, unsharpen_sigma);
    sobel<<<grid, block>>>(mask_small, blurred_small, width, height, channels);
    sobel<<<grid, block>>>(mask_large, blurred_large, width, height, channels);
    max<<<1, BLOCK>>>(maximum, mask_large, pixels);
    min<<<1, BLOCK>>>(minimum, mask_large, pixels);
    extend<<<blocks_for(pixels), BLOCK>>>(minimum, maximum, mask_large, pixels);
    unsharpen<<<blocks_for(values), BLOCK>>>(sharpened, image, blurred_unsharpen, values, unsharpen_amount);
    combine<<<blocks_for(values), BLOCK>>>(image2, sharpened, blurred_large, mask_large, values, channels);
    combine<<<blocks_for(values), BLOCK>>>(image3, image2, blurred_small, mask_small, values, channels);
}

static void (*volatile by_arguments)(float *, float *, float *, float *, float *, float *, struct reduction *,
                                     struct reduction *, float *, float *, float *, int, int, int) = with_arguments;

static void call_with_arguments(float *out, const float *in, int width, int height, int channels) {
    size_t pixels = (size_t)width * height, values = pixels * channels;
    float *image = on_device(values), *image3 = on_device(values);
    CHECK(cudaMemcpy(image, in, values * sizeof(float), cudaMemcpyHostToDevice));
    by_arguments(image, on_device(values), on_device(values), on_device(values), on_device(pixels), on_device(pixels),
                 on_device(), on_device(), on_device(values), on_device(values), image3, width, height, channels);
    CHECK(cudaMemcpy(out, image3, values * sizeof(float), cudaMemcpyDeviceToHost));
}

static void show(const char *what, const float *values, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + (uint64_t)(values[i] * 65536);
    printf("%s: %llu\n", what, (unsigned long long)sum);
}

int main(int argc, char **argv) {
    char error[PICTURE_ERROR_SIZE];
    struct picture picture;
    if (argc != 2 || picture_read(&picture, argv[1], error))
        return EXIT_FAILURE;
    if (picture.height > ROWS)
        picture.height = ROWS;
    int width = (int)picture.width, height = (int)picture.height, channels = picture.channels;
    size_t values = picture_values(&picture);
    float *in = host_floats(PICTURES * values), *out = host_floats(PICTURES * values);
    to_floats(in, &picture);
    for (size_t i = values; i < PICTURES * values; i++)
        in[i] = in[i - values] * 0.9f + (float)(i % 7) / 70;
    /* What is called in this way runs by its own plan. */
    void (*volatile each[])(float *, const float *, int, int, int) = {run_pipeline, in_helpers, in_a_class,
                                                                      call_with_arguments};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        each[i](out, in, width, height, channels);
        show("one picture", out, values);
    }
    void (*volatile ten)(float *, const float *, int, int, int, int) = over_ten_pictures;
    ten(out, in, PICTURES, width, height, channels);
    for (int i = 0; i < PICTURES; i++)
        show("of ten pictures", out + i * values, values);
    free(out);
    free(in);
    picture_destroy(&picture);
    return EXIT_SUCCESS;
}
