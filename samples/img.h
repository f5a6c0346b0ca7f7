/*
 * All of the sample img but for how its kernels are launched (img.cu; by_hand/img.cu and graph/img.cu by
 * hand): sharpens the subject of a picture and softens what is behind it. Where the picture has strong edges
 * it is taken to show the subject.
 *
 *   img [IN.png OUT.png] [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Any PNG of any size; a grey one stays grey, any other becomes RGB with 8 bits a channel, and what is
 * transparent is laid over white. Without pictures, one is made from a formula: at scale 1, 256 x 256 pixels,
 * which are multiplied by it; 625 to 6104 are the 6400 to 20000 a side of the paper, which take 3.8 to 37 GB
 * of device memory. --check compares the result with the same steps done on the CPU. Exit status: 0 the
 * picture is computed (and written), 1 it is not, or the check failed.
 *
 * samples/data/lighthouse.png and samples/data/knot.png (grey, of odd size) were drawn for this sample by a
 * program, from formulas alone; no photograph or other work is in them.
 */
#ifndef KESCO_SAMPLES_IMG_H
#define KESCO_SAMPLES_IMG_H

#define SAMPLE "img"

#include "samples/bench.h"
#include "samples/img_kernels.h"
#include "samples/img_reference.h"
#include "samples/picture.h"

#define PIXELS (256 * 256) /* of the made picture, at scale 1 */
#define MAX_PIXELS ((size_t)1 << 30)

struct img_size {
    int width, height, channels;
    size_t pixels; /* width x height */
    size_t values; /* pixels x channels */
};

/* The picture by each radius. */
struct blurs {
    float *small, *large, *unsharpen;
};

/* Where there are edges in what is blurred by that radius. */
struct masks {
    float *small, *large;
};

struct img_data { /* on the device: height x width x channels, or height x width for masks */
    float *image, *sharpened, *image2, *image3;
    struct blurs blurred;
    struct masks mask;
    struct reduction *maximum, *minimum;
    struct img_size size;
};

BENCH_RUN(img_data);

/* Blocks for the kernels over pixels in two dimensions (of SIDE x SIDE threads), and in one (of BLOCK). */

static inline dim3 grid_of(const struct img_data *data) {
    return dim3((data->size.width + SIDE - 1) / SIDE, (data->size.height + SIDE - 1) / SIDE);
}

static inline unsigned blocks_of(size_t count) {
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

/* `in`: height x width x channels on the host. */
static void create(struct img_data *data, const float *in, int width, int height, int channels) {
    data->size.width = width;
    data->size.height = height;
    data->size.channels = channels;
    data->size.pixels = (size_t)width * height;
    data->size.values = data->size.pixels * channels;
    size_t picture_bytes = data->size.values * sizeof(float), mask_bytes = data->size.pixels * sizeof(float);
    CHECK(MEMORY_MALLOC(&data->image, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->blurred.small, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->blurred.large, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->blurred.unsharpen, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->mask.small, mask_bytes));
    CHECK(MEMORY_MALLOC(&data->mask.large, mask_bytes));
    CHECK(MEMORY_MALLOC(&data->sharpened, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->image2, picture_bytes));
    CHECK(MEMORY_MALLOC(&data->image3, picture_bytes));
    data->maximum = reduction_create();
    data->minimum = reduction_create();
    memory_fill(data->image, in, picture_bytes);
    memory_add_result(data->image3);
}

/* `out`: as `in` of create. */
static void take_result(float *out, const struct img_data *data) {
    CHECK(cudaMemcpy(out, data->image3, data->size.values * sizeof(float), cudaMemcpyDeviceToHost));
}

static void destroy(struct img_data *data) {
    CHECK(cudaFree(data->minimum));
    CHECK(cudaFree(data->maximum));
    CHECK(cudaFree(data->image3));
    CHECK(cudaFree(data->image2));
    CHECK(cudaFree(data->sharpened));
    CHECK(cudaFree(data->mask.large));
    CHECK(cudaFree(data->mask.small));
    CHECK(cudaFree(data->blurred.unsharpen));
    CHECK(cudaFree(data->blurred.large));
    CHECK(cudaFree(data->blurred.small));
    CHECK(cudaFree(data->image));
}

/* A striped disc before a grained slope. */
static void draw(struct picture *picture) {
    int64_t width = picture->width, height = picture->height;
    uint8_t *next = picture->pixels;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            int64_t across = 2 * x - width, down = 2 * y - height;
            bool disc = 9 * (across * across + down * down) < 4 * width * height;
            *next++ = (uint8_t)(disc ? x / 4 % 2 * 160 + 60 : 40 + 120 * x / width + (7 * x + 5 * y) % 11);
            *next++ = (uint8_t)(disc ? y / 8 % 2 * 90 + 80 : 60 + 90 * y / height);
            *next++ = (uint8_t)(60 + 100 * (x + y) / (width + height));
        }
}

/* Of a size that the scale says; to be destroyed by the caller. */
static void make_picture(struct picture *picture, const struct bench *bench) {
    uint32_t side = (uint32_t)sqrt((double)bench_scaled(bench, PIXELS, MAX_PIXELS, "pixels"));
    if (picture_create(picture, side, side, 3)) {
        fprintf(stderr, "img: not enough memory for a picture of %u x %u\n", side, side);
        exit(EXIT_FAILURE);
    }
    draw(picture);
}

static int check_result(const float *out, const float *in, const struct picture *picture) {
    float *expected = host_floats(picture_values(picture));
    run_reference(expected, in, (int)picture->width, (int)picture->height, picture->channels);
    int status = compare(out, expected, picture);
    free(expected);
    return status;
}

static void print_digest(const struct picture *picture) {
    printf("img: %u x %u, RGB, digest %016llx\n", picture->width, picture->height,
           (unsigned long long)bench_digest(BENCH_DIGEST, picture->pixels, picture_values(picture)));
}

#ifdef BENCH_PARTS
struct img_task {
    struct img_data data;
    struct picture *picture; /* the input; behind show_task, the result */
    float *in, *out;         /* on the host */
};

static void create_task(struct img_task *task, const struct bench *bench) {
    task->picture = (struct picture *)bench_alloc(bench, 1, sizeof *task->picture);
    make_picture(task->picture, bench);
    task->in = host_floats(picture_values(task->picture));
    task->out = host_floats(picture_values(task->picture));
    to_floats(task->in, task->picture);
    create(&task->data, task->in, (int)task->picture->width, (int)task->picture->height,
           task->picture->channels);
}

static int show_task(const struct img_task *task, const struct bench *bench) {
    take_result(task->out, &task->data);
    int status = bench->check ? check_result(task->out, task->in, task->picture) : EXIT_SUCCESS;
    from_floats(task->picture, task->out);
    print_digest(task->picture);
    return status;
}

static void destroy_task(struct img_task *task) {
    destroy(&task->data);
    free(task->out);
    free(task->in);
    picture_destroy(task->picture);
    free(task->picture);
}
#else
static struct bench bench = bench_create("img", "[IN.png OUT.png]");

BENCH_TIMED(img_data);

/* `in` and `out`: height x width x channels on the host. Ends the program when CUDA fails. */
static void run_pipeline(float *out, const float *in, int width, int height, int channels) {
    struct img_data data;
    create(&data, in, width, height, channels);
    run_timed(&data, &bench);
    take_result(out, &data);
    destroy(&data);
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
    if (check)
        status = check_result(out, in, picture);
    from_floats(picture, out);
    free(out);
    free(in);
    return status;
}

/* Without pictures in files. */
static int run_drawn(void) {
    struct picture picture;
    make_picture(&picture, &bench);
    int status = process(&picture, bench.check);
    if (status == EXIT_SUCCESS)
        print_digest(&picture);
    picture_destroy(&picture);
    return status;
}

static int run_files(const char *in_path, const char *out_path) {
    char error[PICTURE_ERROR_SIZE];
    struct picture picture;
    int status = EXIT_FAILURE;
    if (picture_read(&picture, in_path, error) || picture_can_write(out_path, error)) {
        fprintf(stderr, "img: %s\n", error);
    } else if (process(&picture, bench.check) == EXIT_SUCCESS) {
        if (picture_write(&picture, out_path, error))
            fprintf(stderr, "img: %s\n", error);
        else
            status = EXIT_SUCCESS;
    }
    if (status == EXIT_SUCCESS)
        printf("%s: %u x %u, %s%s\n", out_path, picture.width, picture.height,
               picture.channels == 3 ? "RGB" : "grey", bench.check ? ", as the CPU reference" : "");
    picture_destroy(&picture);
    return status;
}

static const char usage[] = "Sharpens a picture's subject and softens its background.\n"
                            "A grey picture stays grey, any other becomes RGB, 8 bits a channel;\n"
                            "what is transparent is laid over white. Without pictures, one is made.\n"
                            "  --check  compare the result with the CPU's\n";

int main(int argc, char **argv) {
    const char *paths[2];
    int count = 0;
    bool scaled = false;
    for (int i = 1; i < argc; i++) {
        scaled = scaled || strcmp(argv[i], "--scale") == 0;
        if (strcmp(argv[i], "--help") == 0) {
            bench_print_usage(&bench, stdout);
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        }
        if (bench_take(&bench, argc, argv, &i))
            continue;
        if (count == 2 || strncmp(argv[i], "--", 2) == 0)
            bench_reject(&bench, argv[i]);
        paths[count++] = argv[i];
    }
    if (count == 1) {
        fprintf(stderr, "img: there is no OUT.png beside '%s'\n", paths[0]);
        return EXIT_FAILURE;
    }
    if (count == 2 && scaled) {
        fprintf(stderr, "img: --scale is for a picture that is made, not for '%s'\n", paths[0]);
        return EXIT_FAILURE;
    }
    return count == 2 ? run_files(paths[0], paths[1]) : run_drawn();
}
#endif

#endif
