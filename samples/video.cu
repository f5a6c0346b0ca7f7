/*
 * The picture pipeline of the sample img (img.cu) for the frames of a film: a camera moves over a picture,
 * from its upper left corner to the lower right one.
 *
 *   for each frame: copy to the device, the 11 kernels of img, copy back
 *
 * The source is serial: no stream in it, and not a word for KeSCo. There are two sets of buffers, which
 * frames use in turn. With KeSCo the kernels of a frame run beside each other, and beside those of the frame
 * before and the copies of both.
 *
 *   video IN.png OUT.png [FRAMES] [--check]
 *
 * FRAMES, default 6, is how many frames there are; each is half as wide and half as high as the picture.
 * OUT.png has them one below the other. For IN.png and --check see img.cu. Exit status: 0 the frames are
 * written, 1 they are not, or the check failed.
 */
#define SAMPLE "video"

#include "samples/check.h"
#include "samples/img_kernels.h"
#include "samples/img_reference.h"
#include "samples/picture.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_FRAMES 6
#define MAX_FRAMES 1000
#define SETS 2

/* On the device, for one frame. */
struct buffers {
    float *image, *blurred_small, *blurred_large, *blurred_unsharpen, *mask_small, *mask_large, *sharpened,
        *image2, *image3;
    struct reduction *maximum, *minimum;
};

/* `in` and `out`: height x width x channels on the host, pinned. */
static void run_pipeline(float *out, const float *in, const struct buffers *set, int width, int height,
                         int channels) {
    size_t pixels = (size_t)width * height;
    size_t values = pixels * channels;
    dim3 block(SIDE, SIDE);
    dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    unsigned pixel_blocks = (unsigned)((pixels + BLOCK - 1) / BLOCK);
    unsigned value_blocks = (unsigned)((values + BLOCK - 1) / BLOCK);

    CHECK(cudaMemcpyAsync(set->image, in, values * sizeof(float), cudaMemcpyHostToDevice));
    blur<<<grid, block>>>(set->blurred_small, set->image, width, height, channels, small_radius, small_sigma);
    blur<<<grid, block>>>(set->blurred_large, set->image, width, height, channels, large_radius, large_sigma);
    blur<<<grid, block>>>(set->blurred_unsharpen, set->image, width, height, channels, unsharpen_radius,
                          unsharpen_sigma);
    sobel<<<grid, block>>>(set->mask_small, set->blurred_small, width, height, channels);
    sobel<<<grid, block>>>(set->mask_large, set->blurred_large, width, height, channels);
    max<<<1, BLOCK>>>(set->maximum, set->mask_large, pixels);
    min<<<1, BLOCK>>>(set->minimum, set->mask_large, pixels);
    extend<<<pixel_blocks, BLOCK>>>(set->minimum, set->maximum, set->mask_large, pixels);
    unsharpen<<<value_blocks, BLOCK>>>(set->sharpened, set->image, set->blurred_unsharpen, values,
                                       unsharpen_amount);
    combine<<<value_blocks, BLOCK>>>(set->image2, set->sharpened, set->blurred_large, set->mask_large, values,
                                     channels);
    combine<<<value_blocks, BLOCK>>>(set->image3, set->image2, set->blurred_small, set->mask_small, values,
                                     channels);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, set->image3, values * sizeof(float), cudaMemcpyDeviceToHost));
}

/* `in` and `out`: `frames` frames, one after the other, on the host, pinned. Ends the program when CUDA
 * fails. */
static void run_frames(float *out, const float *in, size_t frames, int width, int height, int channels) {
    struct buffers sets[SETS];
    size_t pixels = (size_t)width * height;
    size_t values = pixels * channels;
    for (int i = 0; i < SETS; i++) {
        CHECK(cudaMalloc(&sets[i].image, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].blurred_small, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].blurred_large, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].blurred_unsharpen, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].mask_small, pixels * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].mask_large, pixels * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].maximum, sizeof(struct reduction)));
        CHECK(cudaMalloc(&sets[i].minimum, sizeof(struct reduction)));
        CHECK(cudaMalloc(&sets[i].sharpened, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].image2, values * sizeof(float)));
        CHECK(cudaMalloc(&sets[i].image3, values * sizeof(float)));
    }
    for (size_t first = 0; first < frames; first += SETS) {
        for (int i = 0; i < SETS; i++) {
            size_t frame = first + i;
            if (frame == frames)
                break;
            run_pipeline(out + frame * values, in + frame * values, &sets[i], width, height, channels);
        }
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < SETS; i++) {
        CHECK(cudaFree(sets[i].image3));
        CHECK(cudaFree(sets[i].image2));
        CHECK(cudaFree(sets[i].sharpened));
        CHECK(cudaFree(sets[i].minimum));
        CHECK(cudaFree(sets[i].maximum));
        CHECK(cudaFree(sets[i].mask_large));
        CHECK(cudaFree(sets[i].mask_small));
        CHECK(cudaFree(sets[i].blurred_unsharpen));
        CHECK(cudaFree(sets[i].blurred_large));
        CHECK(cudaFree(sets[i].blurred_small));
        CHECK(cudaFree(sets[i].image));
    }
}

/* Puts what the camera sees into `frame`, in frame `number` of `frames`. */
static void take(struct picture *frame, const struct picture *picture, size_t number, size_t frames) {
    size_t steps = frames > 1 ? frames - 1 : 1;
    size_t left = (picture->width - frame->width) * number / steps;
    size_t top = (picture->height - frame->height) * number / steps;
    size_t row_values = (size_t)frame->width * frame->channels;
    for (size_t y = 0; y < frame->height; y++) {
        size_t from = ((top + y) * picture->width + left) * picture->channels;
        memcpy(frame->pixels + y * row_values, picture->pixels + from, row_values);
    }
}

/* The frames of `sheet`, which are one below the other: a picture that owns nothing. */
static struct picture frame_of(const struct picture *sheet, size_t number, size_t frames) {
    struct picture frame = *sheet;
    frame.height = (uint32_t)(sheet->height / frames);
    frame.pixels += number * picture_values(&frame);
    return frame;
}

static int check_frames(const float *out, const float *in, const struct picture *sheet, size_t frames) {
    int status = EXIT_SUCCESS;
    struct picture frame = frame_of(sheet, 0, frames);
    size_t values = picture_values(&frame);
    float *expected = host_floats(values);
    for (size_t i = 0; i < frames && status == EXIT_SUCCESS; i++) {
        run_reference(expected, in + i * values, (int)frame.width, (int)frame.height, frame.channels);
        status = compare(out + i * values, expected, &frame);
        if (status != EXIT_SUCCESS)
            fprintf(stderr, "video: in frame %zu\n", i);
    }
    free(expected);
    return status;
}

/* Puts the pipeline's results in place of the frames of `sheet`. With `check`, fails when the CPU's differ.
 */
static int process(struct picture *sheet, size_t frames, bool check) {
    size_t bytes = picture_values(sheet) * sizeof(float);
    int status = EXIT_SUCCESS;
    float *in, *out;
    CHECK(cudaMallocHost(&in, bytes));
    CHECK(cudaMallocHost(&out, bytes));
    to_floats(in, sheet);
    run_frames(out, in, frames, (int)sheet->width, (int)(sheet->height / frames), sheet->channels);
    if (check)
        status = check_frames(out, in, sheet, frames);
    from_floats(sheet, out);
    CHECK(cudaFreeHost(out));
    CHECK(cudaFreeHost(in));
    return status;
}

/* Makes `sheet`, with all frames that the camera takes of `picture`. Returns 0 or a negative errno. */
static int film(struct picture *sheet, const struct picture *picture, size_t frames) {
    uint32_t width = (picture->width + 1) / 2, height = (picture->height + 1) / 2;
    int code = picture_create(sheet, width, height * (uint32_t)frames, picture->channels);
    for (size_t i = 0; !code && i < frames; i++) {
        struct picture frame = frame_of(sheet, i, frames);
        take(&frame, picture, i, frames);
    }
    return code;
}

static int run(const char *in_path, const char *out_path, size_t frames, bool check) {
    char error[PICTURE_ERROR_SIZE];
    struct picture picture, sheet;
    int status = EXIT_FAILURE;
    if (picture_read(&picture, in_path, error) || picture_can_write(out_path, error)) {
        fprintf(stderr, "video: %s\n", error);
        picture_destroy(&picture);
        return EXIT_FAILURE;
    }
    int code = film(&sheet, &picture, frames);
    picture_destroy(&picture);
    if (code)
        fprintf(stderr, "video: cannot make %zu frames of '%s': %s\n", frames, in_path, strerror(-code));
    else if (process(&sheet, frames, check) == EXIT_SUCCESS) {
        if (picture_write(&sheet, out_path, error))
            fprintf(stderr, "video: %s\n", error);
        else
            status = EXIT_SUCCESS;
    }
    if (status == EXIT_SUCCESS)
        printf("%s: frames: %zu, %u x %u, %s%s\n", out_path, frames, sheet.width,
               (unsigned)(sheet.height / frames), sheet.channels == 3 ? "RGB" : "grey",
               check ? ", as the CPU reference" : "");
    picture_destroy(&sheet);
    return status;
}

/* Returns 0 unless `text` is a whole number from 1 to MAX_FRAMES. */
static size_t parse_frames(const char *text) {
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    unsigned long count = strtoul(text, &end, 10);
    return *end || errno || count > MAX_FRAMES ? 0 : (size_t)count;
}

static const char usage[] =
    "usage: video IN.png OUT.png [FRAMES] [--check]\n"
    "Moves a camera over a picture, sharpens the subject of each frame and softens its\n"
    "background. The frames come out one below the other.\n"
    "  --check  compare the results with the CPU's\n";

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    bool check = argc > 3 && strcmp(argv[argc - 1], "--check") == 0;
    int arguments = argc - check;
    if (arguments < 3 || arguments > 4) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    size_t frames = arguments == 4 ? parse_frames(argv[3]) : DEFAULT_FRAMES;
    if (frames == 0) {
        fprintf(stderr, "video: '%s' is not a number of frames from 1 to %d\n", argv[3], MAX_FRAMES);
        return EXIT_FAILURE;
    }
    return run(argv[1], argv[2], frames, check);
}
