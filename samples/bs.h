/*
 * All of the sample bs but for how its kernels are launched (bs.cu; by_hand/bs.cu and graph/bs.cu by hand):
 * Black-Scholes prices of European call options in VECTORS portfolios, as functions of the share's price.
 *
 *   bs [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is 100000 options a portfolio; 100 to 350 are the 10 to 35 million of the paper, which take 1.6 to
 * 5.6 GB of device memory. Share prices are in [20, 120), from a generator with a fixed seed. --check allows
 * for MAX_ERROR, because the device's log, exp and erfc are not rounded as the CPU's. Exit status: 0 the
 * prices are computed, 1 they are not, or the check failed.
 */
#ifndef KESCO_SAMPLES_BS_H
#define KESCO_SAMPLES_BS_H

#include "samples/bench.h"

#include <math.h>

#define VECTORS 10
#define COUNT 100000 /* options a portfolio at scale 1 */
#define MAX_COUNT ((size_t)1 << 32)
#define BLOCK 256
#define MAX_ERROR 1e-9 /* in the currency of the prices */

#define STRIKE 60.0
#define RATE 0.035
#define VOLATILITY 0.2
#define YEARS 10.0

struct bs_data {
    double *x[VECTORS]; /* prices of shares, on the device */
    double *y[VECTORS]; /* prices of options, on the device */
    size_t count;       /* options a portfolio */
};

BENCH_RUN(bs_data);

/* The normal distribution's cumulative function. */
__host__ __device__ static inline double below(double x) {
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

/* F. Black and M. Scholes, "The pricing of options and corporate liabilities" (1973), equation 13. */
__host__ __device__ static inline double call_price(double share) {
    double deviation = VOLATILITY * sqrt(YEARS);
    double d1 = (log(share / STRIKE) + (RATE + VOLATILITY * VOLATILITY / 2) * YEARS) / deviation;
    return share * below(d1) - STRIKE * exp(-RATE * YEARS) * below(d1 - deviation);
}

__global__ void bs(double *y, const double *x, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = call_price(x[i]);
}

static inline unsigned blocks_of(const struct bs_data *data) {
    return (unsigned)((data->count + BLOCK - 1) / BLOCK);
}

/* The share prices of portfolio `j`. */
static void generate(double *x, size_t count, int j) {
    uint64_t state = 2023 + j;
    for (size_t i = 0; i < count; i++)
        x[i] = 20 + 100 * bench_random(&state);
}

static int compare(const double *y, const double *x, size_t count, int j) {
    for (size_t i = 0; i < count; i++) {
        double expected = call_price(x[i]);
        if (!(fabs(y[i] - expected) <= MAX_ERROR)) {
            fprintf(stderr, "bs: wrong result: option %zu of portfolio %d costs %.17g instead of %.17g\n", i,
                    j, y[i], expected);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static void create(struct bs_data *data, double *host) {
    for (int j = 0; j < VECTORS; j++) {
        CHECK(MEMORY_MALLOC(&data->x[j], data->count * sizeof(double)));
        CHECK(MEMORY_MALLOC(&data->y[j], data->count * sizeof(double)));
        generate(host, data->count, j);
        memory_fill(data->x[j], host, data->count * sizeof(double));
        memory_add_result(data->y[j]);
    }
}

static void destroy(struct bs_data *data) {
    for (int j = 0; j < VECTORS; j++) {
        CHECK(cudaFree(data->y[j]));
        CHECK(cudaFree(data->x[j]));
    }
}

/* Prints the result; with `check`, compares it. `x` and `y`: room for `count` values each. */
static int show(const struct bs_data *data, double *x, double *y, bool check) {
    uint64_t digest = BENCH_DIGEST;
    int status = EXIT_SUCCESS;
    for (int j = 0; j < VECTORS && status == EXIT_SUCCESS; j++) {
        CHECK(cudaMemcpy(y, data->y[j], data->count * sizeof(double), cudaMemcpyDeviceToHost));
        digest = bench_digest(digest, y, data->count * sizeof(double));
        if (check) {
            generate(x, data->count, j);
            status = compare(y, x, data->count, j);
        }
    }
    if (status == EXIT_SUCCESS)
        printf("bs: %d x %zu options, digest %016llx\n", VECTORS, data->count, (unsigned long long)digest);
    return status;
}

struct bs_task {
    struct bs_data data;
    double *x, *y; /* room on the host for the prices of a portfolio */
};

static void create_task(struct bs_task *task, const struct bench *bench) {
    task->data.count = bench_scaled(bench, COUNT, MAX_COUNT, "options");
    task->x = (double *)bench_alloc(bench, task->data.count, sizeof(double));
    task->y = (double *)bench_alloc(bench, task->data.count, sizeof(double));
    create(&task->data, task->x);
}

static int show_task(const struct bs_task *task, const struct bench *bench) {
    return show(&task->data, task->x, task->y, bench->check);
}

static void destroy_task(struct bs_task *task) {
    destroy(&task->data);
    free(task->y);
    free(task->x);
}

BENCH_MAIN("bs", bs_task, bs_data);

#endif
