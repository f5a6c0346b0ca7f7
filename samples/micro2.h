/*
 * All of the sample micro2 but for how its kernels are launched (micro2.cu; by_hand/micro2.cu and
 * graph/micro2.cu by hand): multi-head attention, a part of language models. Twelve heads, as many as in
 * BERT's base model, each relate every word of a text to every other one; A. Vaswani et al., "Attention is
 * all you need" (2017), section 3.2.
 *
 *   micro2 [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is a text of 128 words; words are multiplied by it. Scale 64 is 8192, which takes 3.3 GB of device
 * memory. Text and weights come from a generator with a fixed seed. --check allows for MAX_ERROR, because the
 * device's expf is not rounded as the CPU's. Exit status: 0 the result is computed, 1 it is not, or the check
 * failed.
 */
#ifndef KESCO_SAMPLES_MICRO2_H
#define KESCO_SAMPLES_MICRO2_H

#include "samples/layers.h"

#define WORDS 128 /* at scale 1 */
#define MAX_WORDS ((size_t)1 << 20)
#define HEADS 12
#define HEAD 16              /* values a word has in a head */
#define WIDTH (HEADS * HEAD) /* values a word has */
#define PROJECTED (3 * HEAD) /* a query, a key and a value */
#define MAX_ERROR 1e-4f

struct heads {
    float *of[HEADS];
};

struct micro2_data {         /* on the device */
    float *x;                /* words x WIDTH: the text */
    float *weights[HEADS];   /* WIDTH x PROJECTED */
    float *projected[HEADS]; /* words x PROJECTED */
    float *scores[HEADS];    /* words x words */
    struct heads attended;   /* words x HEAD each */
    float *mix;              /* WIDTH x WIDTH */
    float *z;                /* words x WIDTH: the result */
    size_t words;
};

BENCH_RUN(micro2_data);

/* What the kernels do at one place; the CPU reference does the same. */

__host__ __device__ static inline float projected_at(const float *word, const float *weights, size_t column) {
    float sum = 0;
    for (size_t i = 0; i < WIDTH; i++)
        sum = fmaf(word[i], weights[i * PROJECTED + column], sum);
    return sum;
}

/* How much a word with this query looks at one with this key. */
__host__ __device__ static inline float score_of(const float *query, const float *key) {
    float sum = 0;
    for (int i = 0; i < HEAD; i++)
        sum = fmaf(query[i], key[i], sum);
    return sum * 0.25f; /* 1 / sqrt(HEAD) */
}

__host__ __device__ static inline void soften(float *row, size_t count) {
    float most = row[0], sum = 0;
    for (size_t i = 1; i < count; i++)
        most = fmaxf(most, row[i]);
    for (size_t i = 0; i < count; i++) {
        row[i] = expf(row[i] - most);
        sum += row[i];
    }
    for (size_t i = 0; i < count; i++)
        row[i] /= sum;
}

/* `values`: of the first word, at the place that is asked for. */
__host__ __device__ static inline float attended_at(const float *scores, const float *values, size_t words) {
    float sum = 0;
    for (size_t i = 0; i < words; i++)
        sum = fmaf(scores[i], values[i * PROJECTED], sum);
    return sum;
}

__host__ __device__ static inline float mixed_at(struct heads attended, const float *mix, size_t word,
                                                 size_t column) {
    float sum = 0;
    for (size_t h = 0; h < HEADS; h++)
        for (size_t i = 0; i < HEAD; i++)
            sum = fmaf(attended.of[h][word * HEAD + i], mix[(h * HEAD + i) * WIDTH + column], sum);
    return sum;
}

/* The kernels: a thread for each value of the result; for softmax, for each row. */

__global__ void project(float *projected, const float *x, const float *weights, size_t words) {
    size_t i = thread();
    if (i < words * PROJECTED)
        projected[i] = projected_at(x + i / PROJECTED * WIDTH, weights, i % PROJECTED);
}

__global__ void score(float *scores, const float *projected, size_t words) {
    size_t i = thread();
    if (i < words * words)
        scores[i] = score_of(projected + i / words * PROJECTED, projected + i % words * PROJECTED + HEAD);
}

__global__ void softmax(float *scores, size_t words) {
    size_t row = thread();
    if (row < words)
        soften(scores + row * words, words);
}

__global__ void attend(float *attended, const float *scores, const float *projected, size_t words) {
    size_t i = thread();
    if (i < words * HEAD)
        attended[i] = attended_at(scores + i / HEAD * words, projected + 2 * HEAD + i % HEAD, words);
}

__global__ void join(float *z, struct heads attended, const float *mix, size_t words) {
    size_t i = thread();
    if (i < words * WIDTH)
        z[i] = mixed_at(attended, mix, i / WIDTH, i % WIDTH);
}

/* On the host. */
struct host_values {
    float *x, *mix;
    float *weights[HEADS];
};

static float *random_floats(const struct bench *bench, size_t count, uint64_t seed, float half) {
    float *values = (float *)bench_alloc(bench, count, sizeof(float));
    fill_random(values, count, seed, half);
    return values;
}

static void create_host(struct host_values *host, const struct bench *bench, size_t words) {
    host->x = random_floats(bench, words * WIDTH, 1, 1);
    host->mix = random_floats(bench, WIDTH * WIDTH, 2, 0.2f);
    for (int h = 0; h < HEADS; h++)
        host->weights[h] = random_floats(bench, WIDTH * PROJECTED, 3 + h, 0.2f);
}

static void destroy_host(struct host_values *host) {
    for (int h = 0; h < HEADS; h++)
        free(host->weights[h]);
    free(host->mix);
    free(host->x);
}

static void create(struct micro2_data *data, const struct host_values *host) {
    size_t words = data->words;
    data->x = device_copy(host->x, words * WIDTH);
    data->mix = device_copy(host->mix, WIDTH * WIDTH);
    data->z = device_floats(words * WIDTH);
    memory_add_result(data->z);
    for (int h = 0; h < HEADS; h++) {
        data->weights[h] = device_copy(host->weights[h], WIDTH * PROJECTED);
        data->projected[h] = device_floats(words * PROJECTED);
        data->scores[h] = device_floats(words * words);
        data->attended.of[h] = device_floats(words * HEAD);
    }
}

static void destroy(struct micro2_data *data) {
    for (int h = 0; h < HEADS; h++) {
        CHECK(cudaFree(data->attended.of[h]));
        CHECK(cudaFree(data->scores[h]));
        CHECK(cudaFree(data->projected[h]));
        CHECK(cudaFree(data->weights[h]));
    }
    CHECK(cudaFree(data->z));
    CHECK(cudaFree(data->mix));
    CHECK(cudaFree(data->x));
}

/* The CPU's result of one head. `projected`: words x PROJECTED; `row`: words. */
static void reference_head(float *attended, float *projected, float *row, const float *x,
                           const float *weights, size_t words) {
    for (size_t i = 0; i < words * PROJECTED; i++)
        projected[i] = projected_at(x + i / PROJECTED * WIDTH, weights, i % PROJECTED);
    for (size_t word = 0; word < words; word++) {
        for (size_t other = 0; other < words; other++)
            row[other] = score_of(projected + word * PROJECTED, projected + other * PROJECTED + HEAD);
        soften(row, words);
        for (size_t i = 0; i < HEAD; i++)
            attended[word * HEAD + i] = attended_at(row, projected + 2 * HEAD + i, words);
    }
}

static int compare(const struct bench *bench, const struct host_values *host, const float *z, size_t words) {
    float *projected = (float *)bench_alloc(bench, words * PROJECTED, sizeof(float));
    float *row = (float *)bench_alloc(bench, words, sizeof(float));
    struct heads attended;
    int status = EXIT_SUCCESS;
    for (int h = 0; h < HEADS; h++) {
        attended.of[h] = (float *)bench_alloc(bench, words * HEAD, sizeof(float));
        reference_head(attended.of[h], projected, row, host->x, host->weights[h], words);
    }
    for (size_t i = 0; i < words * WIDTH && status == EXIT_SUCCESS; i++) {
        float expected = mixed_at(attended, host->mix, i / WIDTH, i % WIDTH);
        if (!(fabsf(z[i] - expected) <= MAX_ERROR)) {
            fprintf(stderr, "micro2: wrong result: value %zu of word %zu is %g instead of %g\n", i % WIDTH,
                    i / WIDTH, z[i], expected);
            status = EXIT_FAILURE;
        }
    }
    for (int h = 0; h < HEADS; h++)
        free(attended.of[h]);
    free(row);
    free(projected);
    return status;
}

/* Prints the result; with --check, compares it. */
static int show(const struct bench *bench, const struct micro2_data *data, const struct host_values *host) {
    size_t bytes = data->words * WIDTH * sizeof(float);
    float *z = (float *)bench_alloc(bench, data->words * WIDTH, sizeof(float));
    CHECK(cudaMemcpy(z, data->z, bytes, cudaMemcpyDeviceToHost));
    int status = bench->check ? compare(bench, host, z, data->words) : EXIT_SUCCESS;
    if (status == EXIT_SUCCESS)
        printf("micro2: %zu words, %d heads, digest %016llx\n", data->words, HEADS,
               (unsigned long long)bench_digest(BENCH_DIGEST, z, bytes));
    free(z);
    return status;
}

BENCH_TIMED(micro2_data);

int main(int argc, char **argv) {
    struct bench bench = bench_from_options("micro2", argc, argv);
    struct host_values host;
    struct micro2_data data;
    data.words = bench_scaled(&bench, WORDS, MAX_WORDS, "words");
    create_host(&host, &bench, data.words);
    create(&data, &host);
    run_timed(&data, &bench);
    int status = show(&bench, &data, &host);
    destroy(&data);
    destroy_host(&host);
    return status;
}

#endif
