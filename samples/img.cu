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
#define SAMPLE "img"

#include "samples/check.h"
#include "samples/img_kernels.h"
#include "samples/img_reference.h"
#include "samples/picture.h"

#include <string.h>

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
