/*
 * All of the sample chain but for how its kernels are launched (chain.cu; graph/chain.cu by hand): heat in a
 * rod, step by step, as solvers and simulations are written. A step is three small kernels, each behind the
 * one before, so that nothing can overlap; there are so many steps that launching takes longer than
 * computing. Two buffers are swapped, a number changes from step to step, and now and then the host looks at
 * how much still changes.
 *
 *   chain [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is 4096 places; places are multiplied by it. The check is exact. Exit status: 0 the result is
 * computed, 1 it is not, or the check failed.
 */
#ifndef KESCO_SAMPLES_CHAIN_H
#define KESCO_SAMPLES_CHAIN_H

#include "samples/bench.h"

#include <math.h>

#define PLACES 4096 /* at scale 1 */
#define MAX_PLACES ((size_t)1 << 28)
#define STEPS 200 /* even: the last step writes `now` */
#define LOOK 50   /* after so many, the host looks */
#define BLOCK 256 /* threads a block */

struct chain_data {
    float *now, *next; /* on the device: the temperature at each place */
    float *change;     /* on the device: of each block's places, the most */
    float *changes;    /* on the host, of as many */
    size_t places;
    float most[STEPS / LOOK]; /* what the host has seen: the most that any place changed */
};

BENCH_RUN(chain_data);

/* What the kernels do at one place; the CPU reference does the same. */

__host__ __device__ static inline float first_at(size_t i) {
    return (float)(i * 37 % 101) * 0.01f;
}

__host__ __device__ static inline float spread_at(const float *now, size_t i, size_t places) {
    float left = now[i == 0 ? i : i - 1], right = now[i + 1 == places ? i : i + 1];
    return fmaf(0.2f, left - 2 * now[i] + right, now[i]);
}

/* The rod is heated in the middle half. */
__host__ __device__ static inline float heated_at(float next, size_t i, size_t places, float strength) {
    return i >= places / 4 && i < places - places / 4 ? next + strength : next;
}

__host__ __device__ static inline float cooled_at(float next) {
    return next * 0.999f;
}

static inline float strength_of(int step) {
    return 0.001f * (float)(step % 17);
}

/* The kernels: a thread for each place; for largest_change, for each block of places. */

__device__ static inline size_t thread() {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static inline unsigned blocks_of(size_t threads) {
    return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

__global__ void begin(float *now, size_t places) {
    size_t i = thread();
    if (i < places)
        now[i] = first_at(i);
}

__global__ void spread(float *next, const float *now, size_t places) {
    size_t i = thread();
    if (i < places)
        next[i] = spread_at(now, i, places);
}

__global__ void heat(float *next, size_t places, float strength) {
    size_t i = thread();
    if (i < places)
        next[i] = heated_at(next[i], i, places, strength);
}

__global__ void cool(float *next, size_t places) {
    size_t i = thread();
    if (i < places)
        next[i] = cooled_at(next[i]);
}

__host__ __device__ static inline float change_of(const float *next, const float *now, size_t block,
                                                  size_t places) {
    size_t end = (block + 1) * BLOCK < places ? (block + 1) * BLOCK : places;
    float most = 0;
    for (size_t i = block * BLOCK; i < end; i++)
        most = fmaxf(most, fabsf(next[i] - now[i]));
    return most;
}

__global__ void largest_change(float *change, const float *next, const float *now, size_t places) {
    size_t block = thread();
    if (block < (places + BLOCK - 1) / BLOCK)
        change[block] = change_of(next, now, block, places);
}

/* Brings what largest_change found to the host, which waits for it. */
static inline void look(struct chain_data *data, int step) {
    unsigned blocks = blocks_of(data->places);
    float most = 0;
    CHECK(cudaMemcpy(data->changes, data->change, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < blocks; i++)
        most = fmaxf(most, data->changes[i]);
    data->most[step / LOOK] = most;
}

static void create(struct chain_data *data, const struct bench *bench) {
    unsigned blocks;
    data->places = bench_scaled(bench, PLACES, MAX_PLACES, "places");
    blocks = blocks_of(data->places);
    CHECK(cudaMalloc(&data->now, data->places * sizeof(float)));
    CHECK(cudaMalloc(&data->next, data->places * sizeof(float)));
    CHECK(cudaMalloc(&data->change, blocks * sizeof(float)));
    data->changes = (float *)bench_alloc(bench, blocks, sizeof(float));
}

static void destroy(struct chain_data *data) {
    free(data->changes);
    CHECK(cudaFree(data->change));
    CHECK(cudaFree(data->next));
    CHECK(cudaFree(data->now));
}

static void reference_step(float *next, const float *now, size_t places, int step) {
    for (size_t i = 0; i < places; i++)
        next[i] = cooled_at(heated_at(spread_at(now, i, places), i, places, strength_of(step)));
}

static int compare(const struct bench *bench, const struct chain_data *data, const float *result) {
    float *now = (float *)bench_alloc(bench, data->places, sizeof(float));
    float *next = (float *)bench_alloc(bench, data->places, sizeof(float)), *swapped;
    int status = EXIT_SUCCESS;
    for (size_t i = 0; i < data->places; i++)
        now[i] = first_at(i);
    for (int step = 0; step < STEPS; step++) {
        reference_step(next, now, data->places, step);
        swapped = now;
        now = next;
        next = swapped;
    }
    for (size_t i = 0; i < data->places && status == EXIT_SUCCESS; i++) {
        if (result[i] != now[i]) {
            fprintf(stderr, "chain: wrong result: place %zu has %g instead of %g\n", i, result[i], now[i]);
            status = EXIT_FAILURE;
        }
    }
    free(next);
    free(now);
    return status;
}

/* Prints the result; with --check, compares it. */
static int show(const struct bench *bench, const struct chain_data *data) {
    size_t bytes = data->places * sizeof(float);
    float *result = (float *)bench_alloc(bench, data->places, sizeof(float));
    CHECK(cudaMemcpy(result, data->now, bytes, cudaMemcpyDeviceToHost));
    int status = bench->check ? compare(bench, data, result) : EXIT_SUCCESS;
    if (status == EXIT_SUCCESS)
        printf("chain: %zu places, changes %g to %g, digest %016llx\n", data->places, data->most[0],
               data->most[STEPS / LOOK - 1], (unsigned long long)bench_digest(BENCH_DIGEST, result, bytes));
    free(result);
    return status;
}

BENCH_TIMED(chain_data);

int main(int argc, char **argv) {
    struct bench bench = bench_from_options("chain", argc, argv);
    struct chain_data data;
    create(&data, &bench);
    run_timed(&data, &bench);
    int status = show(&bench, &data);
    destroy(&data);
    return status;
}

#endif
