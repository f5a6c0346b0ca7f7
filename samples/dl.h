/*
 * All of the sample dl but for how its kernels are launched (dl.cu; by_hand/dl.cu and graph/dl.cu by hand): a
 * small neural network that compares two images (one tower of layers for each) and gives one number.
 *
 *   dl [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is images of 160 x 160 pixels; pixels are multiplied by it. Scale 625 is 4000 x 4000, which takes
 * 2.2 GB of device memory. Images and weights come from a generator with a fixed seed. The check is exact up
 * to the last layer's sum, which is made in another order on the CPU: it allows for MAX_ERROR of the sum of
 * absolute values. Exit status: 0 the number is computed, 1 it is not, or the check failed.
 */
#ifndef KESCO_SAMPLES_DL_H
#define KESCO_SAMPLES_DL_H

#include "samples/layers.h"
#include "samples/reduction.h"

#define PIXELS (160 * 160) /* at scale 1 */
#define MAX_PIXELS ((size_t)1 << 30)
#define CHANNELS 8
#define RADIUS 1 /* of convolutions */
#define WINDOW 2 /* of pooling, and its stride */
#define WEIGHTS1 (CHANNELS * (2 * RADIUS + 1) * (2 * RADIUS + 1))
#define WEIGHTS2 (CHANNELS * WEIGHTS1)
#define MAX_ERROR 1e-6

struct dl_tower {    /* on the device */
    float *in;       /* side x side */
    float *weights1; /* WEIGHTS1 */
    float *weights2; /* WEIGHTS2 */
    float *filtered; /* CHANNELS x side x side: behind the first convolution */
    float *pooled;   /* CHANNELS x small_side x small_side: behind pooling */
    float *out;      /* as large: behind the second convolution */
};

struct dl_data {
    struct dl_tower x, y;
    float *z;              /* both towers' results */
    float *weights;        /* as many */
    struct reduction *res; /* their dot product */
    int side;              /* of the images */
    int small_side;        /* behind pooling */
    size_t pixels;         /* side x side */
    size_t small_pixels;   /* small_side x small_side */
};

BENCH_RUN(dl_data);

/* out = a, then b, of `count` values each. */
__global__ void concat(float *out, const float *a, const float *b, size_t count) {
    size_t i = thread();
    if (i < count)
        out[i] = a[i];
    else if (i < 2 * count)
        out[i] = b[i - count];
}

__global__ void dot_product(struct reduction *result, const float *a, const float *b, size_t count) {
    float own = 0;
    for (size_t i = reduction_first(); i < count; i += reduction_stride())
        own = fmaf(a[i], b[i], own);
    reduce_all(result, REDUCTION_SUM, own);
}

/* On the host: the images one behind the other, the weights of each layer, and the results. */
struct host_values {
    float *images;   /* 2 x pixels */
    float *weights1; /* 2 x WEIGHTS1 */
    float *weights2; /* 2 x WEIGHTS2 */
    float *weights;  /* of the last layer */
};

static void create_tower(struct dl_tower *tower, const struct dl_data *data, const struct host_values *host,
                         int number) {
    tower->in = device_copy(host->images + number * data->pixels, data->pixels);
    tower->weights1 = device_copy(host->weights1 + number * WEIGHTS1, WEIGHTS1);
    tower->weights2 = device_copy(host->weights2 + number * WEIGHTS2, WEIGHTS2);
    tower->filtered = device_floats(CHANNELS * data->pixels);
    tower->pooled = device_floats(CHANNELS * data->small_pixels);
    tower->out = device_floats(CHANNELS * data->small_pixels);
}

static void create(struct dl_data *data, const struct host_values *host) {
    create_tower(&data->x, data, host, 0);
    create_tower(&data->y, data, host, 1);
    data->z = device_floats(2 * CHANNELS * data->small_pixels);
    data->weights = device_copy(host->weights, 2 * CHANNELS * data->small_pixels);
    data->res = reduction_create();
    memory_add_result(&data->res->value);
}

static void destroy_tower(struct dl_tower *tower) {
    CHECK(cudaFree(tower->out));
    CHECK(cudaFree(tower->pooled));
    CHECK(cudaFree(tower->filtered));
    CHECK(cudaFree(tower->weights2));
    CHECK(cudaFree(tower->weights1));
    CHECK(cudaFree(tower->in));
}

static void destroy(struct dl_data *data) {
    CHECK(cudaFree(data->res));
    CHECK(cudaFree(data->weights));
    CHECK(cudaFree(data->z));
    destroy_tower(&data->y);
    destroy_tower(&data->x);
}

static void create_host(struct host_values *host, const struct bench *bench, const struct dl_data *data) {
    size_t last = 2 * CHANNELS * data->small_pixels;
    host->images = (float *)bench_alloc(bench, 2 * data->pixels, sizeof(float));
    host->weights1 = (float *)bench_alloc(bench, 2 * WEIGHTS1, sizeof(float));
    host->weights2 = (float *)bench_alloc(bench, 2 * WEIGHTS2, sizeof(float));
    host->weights = (float *)bench_alloc(bench, last, sizeof(float));
    fill_random(host->images, 2 * data->pixels, 1, 1);
    fill_random(host->weights1, 2 * WEIGHTS1, 2, 0.3f);
    fill_random(host->weights2, 2 * WEIGHTS2, 3, 0.2f);
    fill_random(host->weights, last, 4, 1);
}

static void destroy_host(struct host_values *host) {
    free(host->weights);
    free(host->weights2);
    free(host->weights1);
    free(host->images);
}

/* The CPU's result of one tower. */
static void reference_tower(float *out, const struct bench *bench, const struct dl_data *data,
                            const struct host_values *host, int number) {
    float *filtered = (float *)bench_alloc(bench, CHANNELS * data->pixels, sizeof(float));
    float *pooled = (float *)bench_alloc(bench, CHANNELS * data->small_pixels, sizeof(float));
    reference_conv2d(filtered, host->images + number * data->pixels, host->weights1 + number * WEIGHTS1,
                     data->side, 1, CHANNELS, RADIUS);
    reference_pool(pooled, filtered, data->side, CHANNELS, WINDOW, WINDOW, mean_at);
    reference_conv2d(out, pooled, host->weights2 + number * WEIGHTS2, data->small_side, CHANNELS, CHANNELS,
                     RADIUS);
    free(pooled);
    free(filtered);
}

static int compare(const struct bench *bench, const struct dl_data *data, const struct host_values *host,
                   const float *z, float res) {
    size_t half = CHANNELS * data->small_pixels;
    double sum = 0, absolute = 0;
    int status = EXIT_SUCCESS;
    float *expected = (float *)bench_alloc(bench, 2 * half, sizeof(float));
    reference_tower(expected, bench, data, host, 0);
    reference_tower(expected + half, bench, data, host, 1);
    for (size_t i = 0; i < 2 * half && status == EXIT_SUCCESS; i++) {
        sum += (double)expected[i] * host->weights[i];
        absolute += fabs((double)expected[i] * host->weights[i]);
        if (z[i] != expected[i]) {
            fprintf(stderr, "dl: wrong result: value %zu of z is %g instead of %g\n", i, z[i], expected[i]);
            status = EXIT_FAILURE;
        }
    }
    if (status == EXIT_SUCCESS && !(fabs(res - sum) <= MAX_ERROR * absolute)) {
        fprintf(stderr, "dl: wrong result: %g instead of %g\n", res, sum);
        status = EXIT_FAILURE;
    }
    free(expected);
    return status;
}

/* Prints the result; with --check, compares it. */
static int show(const struct bench *bench, const struct dl_data *data, const struct host_values *host) {
    float res;
    size_t count = 2 * CHANNELS * data->small_pixels;
    float *z = (float *)bench_alloc(bench, count, sizeof(float));
    CHECK(cudaMemcpy(z, data->z, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&res, &data->res->value, sizeof res, cudaMemcpyDeviceToHost));
    int status = bench->check ? compare(bench, data, host, z, res) : EXIT_SUCCESS;
    if (status == EXIT_SUCCESS)
        printf("dl: 2 images of %d x %d, result %.9g, digest %016llx\n", data->side, data->side, res,
               (unsigned long long)bench_digest(BENCH_DIGEST, z, count * sizeof(float)));
    free(z);
    return status;
}

struct dl_task {
    struct dl_data data;
    struct host_values host;
};

static void create_task(struct dl_task *task, const struct bench *bench) {
    struct dl_data *data = &task->data;
    data->side = (int)sqrt((double)bench_scaled(bench, PIXELS, MAX_PIXELS, "pixels"));
    data->small_side = pooled_side(data->side, WINDOW);
    data->pixels = (size_t)data->side * data->side;
    data->small_pixels = (size_t)data->small_side * data->small_side;
    create_host(&task->host, bench, data);
    create(data, &task->host);
}

static int show_task(const struct dl_task *task, const struct bench *bench) {
    return show(bench, &task->data, &task->host);
}

static void destroy_task(struct dl_task *task) {
    destroy(&task->data);
    destroy_host(&task->host);
}

BENCH_MAIN("dl", dl_task, dl_data);

#endif
