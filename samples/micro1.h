/*
 * All of the sample micro1 but for how its kernels are launched (micro1.cu; by_hand/micro1.cu and
 * graph/micro1.cu by hand): an inception block, a part of networks that recognise pictures. Six branches of
 * different depth look at the same image, and their results are put together; C. Szegedy et al., "Rethinking
 * the Inception Architecture for Computer Vision" (2016), figure 5, with a branch for each kind of filter and
 * of pooling.
 *
 *   micro1 [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is an image of 100 x 100 pixels; pixels are multiplied by it. Scale 1600 is 4000 x 4000, which
 * takes 9.7 GB of device memory. Image and weights come from a generator with a fixed seed. The check is
 * exact. Exit status: 0 the result is computed, 1 it is not, or the check failed.
 */
#ifndef KESCO_SAMPLES_MICRO1_H
#define KESCO_SAMPLES_MICRO1_H

#include "samples/layers.h"

#define PIXELS (100 * 100) /* at scale 1 */
#define MAX_PIXELS ((size_t)1 << 30)
#define CHANNELS 8 /* of the image and of what each branch makes of it */
#define BRANCHES 6
#define INNER 6   /* buffers within branches */
#define LAYERS 10 /* convolutions */
#define WINDOW 3  /* of pooling */

/* Radius of each convolution. */
enum { POINT = 0, SMALL = 1, LARGE = 2 };
static const int radius_of[LAYERS] = {POINT, POINT, SMALL, POINT, LARGE, POINT, SMALL, SMALL, POINT, POINT};

struct micro1_data {         /* on the device: images of CHANNELS planes */
    float *x;                /* the input */
    float *inner[INNER];     /* between the layers of a branch */
    float *branch[BRANCHES]; /* results of the branches */
    float *z;                /* BRANCHES * CHANNELS planes: the result */
    float *weights[LAYERS];  /* of convolutions, in program order */
    int side;                /* of the images */
    size_t pixels;           /* side x side */
    size_t values;           /* CHANNELS x pixels */
};

BENCH_RUN(micro1_data);

/* out = a to f, one behind the other, of `count` values each. */
__global__ void concat(float *out, const float *a, const float *b, const float *c, const float *d,
                       const float *e, const float *f, size_t count) {
    size_t i = thread();
    if (i >= BRANCHES * count)
        return;
    const float *from[BRANCHES] = {a, b, c, d, e, f};
    out[i] = from[i / count][i % count];
}

/* Values of the weights of layer `layer`. */
static size_t weights_of(int layer) {
    size_t window = 2 * (size_t)radius_of[layer] + 1;
    return window * window * CHANNELS * CHANNELS;
}

/* On the host. */
struct host_values {
    float *x;
    float *weights[LAYERS];
};

static void create_host(struct host_values *host, const struct bench *bench, const struct micro1_data *data) {
    host->x = (float *)bench_alloc(bench, data->values, sizeof(float));
    fill_random(host->x, data->values, 1, 1);
    for (int layer = 0; layer < LAYERS; layer++) {
        size_t count = weights_of(layer);
        host->weights[layer] = (float *)bench_alloc(bench, count, sizeof(float));
        fill_random(host->weights[layer], count, 2 + layer, 0.3f);
    }
}

static void destroy_host(struct host_values *host) {
    for (int layer = 0; layer < LAYERS; layer++)
        free(host->weights[layer]);
    free(host->x);
}

static void create(struct micro1_data *data, const struct host_values *host) {
    data->x = device_copy(host->x, data->values);
    for (int i = 0; i < INNER; i++)
        data->inner[i] = device_floats(data->values);
    for (int i = 0; i < BRANCHES; i++)
        data->branch[i] = device_floats(data->values);
    data->z = device_floats(BRANCHES * data->values);
    memory_add_result(data->z);
    for (int layer = 0; layer < LAYERS; layer++)
        data->weights[layer] = device_copy(host->weights[layer], weights_of(layer));
}

static void destroy(struct micro1_data *data) {
    for (int layer = 0; layer < LAYERS; layer++)
        CHECK(cudaFree(data->weights[layer]));
    CHECK(cudaFree(data->z));
    for (int i = 0; i < BRANCHES; i++)
        CHECK(cudaFree(data->branch[i]));
    for (int i = 0; i < INNER; i++)
        CHECK(cudaFree(data->inner[i]));
    CHECK(cudaFree(data->x));
}

/* A convolution of the CPU's reference. */
static void reference_layer(float *out, const float *in, const struct host_values *host, int side,
                            int layer) {
    reference_conv2d(out, in, host->weights[layer], side, CHANNELS, CHANNELS, radius_of[layer]);
}

/* `z`: the result, BRANCHES times `values`; `a` and `b`: room for `values` each. */
static void reference(float *z, float *a, float *b, const struct host_values *host, int side, size_t values) {
    reference_layer(z, host->x, host, side, 0);
    reference_layer(a, host->x, host, side, 1);
    reference_layer(z + values, a, host, side, 2);
    reference_layer(a, host->x, host, side, 3);
    reference_layer(z + 2 * values, a, host, side, 4);
    reference_layer(a, host->x, host, side, 5);
    reference_layer(b, a, host, side, 6);
    reference_layer(z + 3 * values, b, host, side, 7);
    reference_pool(a, host->x, side, CHANNELS, WINDOW, 1, most_at);
    reference_layer(z + 4 * values, a, host, side, 8);
    reference_pool(a, host->x, side, CHANNELS, WINDOW, 1, mean_at);
    reference_layer(z + 5 * values, a, host, side, 9);
}

static int compare(const struct bench *bench, const struct micro1_data *data, const struct host_values *host,
                   const float *z) {
    float *expected = (float *)bench_alloc(bench, BRANCHES * data->values, sizeof(float));
    float *a = (float *)bench_alloc(bench, data->values, sizeof(float));
    float *b = (float *)bench_alloc(bench, data->values, sizeof(float));
    int status = EXIT_SUCCESS;
    reference(expected, a, b, host, data->side, data->values);
    for (size_t i = 0; i < BRANCHES * data->values && status == EXIT_SUCCESS; i++) {
        if (z[i] != expected[i]) {
            fprintf(stderr, "micro1: wrong result: value %zu of branch %zu is %g instead of %g\n",
                    i % data->values, i / data->values, z[i], expected[i]);
            status = EXIT_FAILURE;
        }
    }
    free(b);
    free(a);
    free(expected);
    return status;
}

/* Prints the result; with --check, compares it. */
static int show(const struct bench *bench, const struct micro1_data *data, const struct host_values *host) {
    size_t bytes = BRANCHES * data->values * sizeof(float);
    float *z = (float *)bench_alloc(bench, BRANCHES * data->values, sizeof(float));
    CHECK(cudaMemcpy(z, data->z, bytes, cudaMemcpyDeviceToHost));
    int status = bench->check ? compare(bench, data, host, z) : EXIT_SUCCESS;
    if (status == EXIT_SUCCESS)
        printf("micro1: %d channels of %d x %d, digest %016llx\n", BRANCHES * CHANNELS, data->side,
               data->side, (unsigned long long)bench_digest(BENCH_DIGEST, z, bytes));
    free(z);
    return status;
}

BENCH_TIMED(micro1_data);

int main(int argc, char **argv) {
    struct bench bench = bench_from_options("micro1", argc, argv);
    struct host_values host;
    struct micro1_data data;
    data.side = (int)sqrt((double)bench_scaled(&bench, PIXELS, MAX_PIXELS, "pixels"));
    data.pixels = (size_t)data.side * data.side;
    data.values = CHANNELS * data.pixels;
    create_host(&host, &bench, &data);
    create(&data, &host);
    run_timed(&data, &bench);
    int status = show(&bench, &data, &host);
    destroy(&data);
    destroy_host(&host);
    return status;
}

#endif
