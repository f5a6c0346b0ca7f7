/*
 * All of the sample ml but for how its kernels are launched (ml.cu; by_hand/ml.cu and graph/ml.cu by hand):
 * an ensemble of two classifiers, naive Bayes and ridge regression, over rows of FEATURES counts.
 *
 *   ml [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * Scale 1 is 10000 rows; 160 to 800 are the 1.6 to 8 million of the paper, which take 2.7 to 14 GB of device
 * memory. The rows come from a generator with a fixed seed: each belongs to a class, whose features have
 * higher counts. --check allows for MAX_ERROR in a probability, because the device's expf and logf are not
 * rounded as the CPU's; where two classes are as close, either is right. Exit status: 0 the rows are
 * classified, 1 they are not, or the check failed.
 */
#ifndef KESCO_SAMPLES_ML_H
#define KESCO_SAMPLES_ML_H

#include "samples/bench.h"

#include <math.h>

#define FEATURES 200
#define CLASSES 10
#define ROWS 10000 /* at scale 1 */
#define MAX_ROWS ((size_t)1 << 31)
#define CHUNK 4096 /* rows that the host holds at a time */
#define BLOCK 256
#define MAX_ERROR 1e-3f

struct ml_data {      /* on the device, by rows */
    float *x;         /* rows x FEATURES: counts */
    float *z;         /* rows x FEATURES: standardised */
    float *featlogp;  /* FEATURES x CLASSES: log-probabilities */
    float *coeff;     /* FEATURES x CLASSES */
    float *intercept; /* CLASSES */
    float *r1;        /* rows x CLASSES: of naive Bayes */
    float *r2;        /* rows x CLASSES: of ridge regression */
    float *amax;      /* rows */
    float *l;         /* rows */
    int *r;           /* rows: classes */
    size_t rows;
};

BENCH_RUN(ml_data);

/* What the kernels do for one row; the CPU reference does the same. */

/* Standardises `x`: mean 0 and deviation 1. */
__host__ __device__ static inline void standardise(float *z, const float *x) {
    float sum = 0, squares = 0;
    for (int f = 0; f < FEATURES; f++)
        sum += x[f];
    float mean = sum / FEATURES;
    for (int f = 0; f < FEATURES; f++)
        squares = fmaf(x[f] - mean, x[f] - mean, squares);
    float deviation = sqrtf(squares / FEATURES);
    for (int f = 0; f < FEATURES; f++)
        z[f] = deviation > 0 ? (x[f] - mean) / deviation : 0;
}

__host__ __device__ static inline float dot(const float *row, const float *by_class, int c) {
    float sum = 0;
    for (int f = 0; f < FEATURES; f++)
        sum = fmaf(row[f], by_class[f * CLASSES + c], sum);
    return sum;
}

__host__ __device__ static inline float largest(const float *row) {
    float most = row[0];
    for (int c = 1; c < CLASSES; c++)
        most = fmaxf(most, row[c]);
    return most;
}

/* log(sum(exp(row))), where `most` is the largest of them. */
__host__ __device__ static inline float log_sum(const float *row, float most) {
    float sum = 0;
    for (int c = 0; c < CLASSES; c++)
        sum += expf(row[c] - most);
    return most + logf(sum);
}

__host__ __device__ static inline void soften(float *row) {
    float most = largest(row), sum = 0;
    for (int c = 0; c < CLASSES; c++) {
        row[c] = expf(row[c] - most);
        sum += row[c];
    }
    for (int c = 0; c < CLASSES; c++)
        row[c] /= sum;
}

__host__ __device__ static inline int best(const float *row1, const float *row2) {
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (row1[c] + row2[c] > row1[best] + row2[best])
            best = c;
    return best;
}

/* The kernels: a thread for each row, or for each row and class. */

__device__ static inline size_t thread() {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void rr_1(float *z, const float *x, size_t rows) {
    size_t row = thread();
    if (row < rows)
        standardise(z + row * FEATURES, x + row * FEATURES);
}

__global__ void rr_2(float *r2, const float *z, const float *coeff, size_t rows) {
    size_t i = thread();
    if (i < rows * CLASSES)
        r2[i] = dot(z + i / CLASSES * FEATURES, coeff, (int)(i % CLASSES));
}

__global__ void rr_3(float *r2, const float *intercept, size_t rows) {
    size_t i = thread();
    if (i < rows * CLASSES)
        r2[i] += intercept[i % CLASSES];
}

__global__ void nb_1(float *r1, const float *x, const float *featlogp, size_t rows) {
    size_t i = thread();
    if (i < rows * CLASSES)
        r1[i] = dot(x + i / CLASSES * FEATURES, featlogp, (int)(i % CLASSES));
}

__global__ void nb_2(float *amax, const float *r1, size_t rows) {
    size_t row = thread();
    if (row < rows)
        amax[row] = largest(r1 + row * CLASSES);
}

__global__ void nb_3(float *l, const float *r1, const float *amax, size_t rows) {
    size_t row = thread();
    if (row < rows)
        l[row] = log_sum(r1 + row * CLASSES, amax[row]);
}

__global__ void nb_4(float *r1, const float *l, size_t rows) {
    size_t i = thread();
    if (i < rows * CLASSES)
        r1[i] = expf(r1[i] - l[i / CLASSES]);
}

__global__ void softmax(float *r, size_t rows) {
    size_t row = thread();
    if (row < rows)
        soften(r + row * CLASSES);
}

__global__ void argmax(int *r, const float *r1, const float *r2, size_t rows) {
    size_t row = thread();
    if (row < rows)
        r[row] = best(r1 + row * CLASSES, r2 + row * CLASSES);
}

static inline unsigned blocks_of(size_t threads) {
    return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

/* The input, and the model: feature f speaks for class f % CLASSES. */

static void generate(float *x, size_t first, size_t rows) {
    for (size_t row = first; row < first + rows; row++) {
        uint64_t state = row * 0x9e3779b97f4a7c15u;
        bench_random(&state);
        int own = (int)(bench_random(&state) * CLASSES);
        for (int f = 0; f < FEATURES; f++)
            *x++ = (float)(int)(bench_random(&state) * (f % CLASSES == own ? 5 : 4));
    }
}

static float feature_log_probability(int f, int c) {
    return logf((f % CLASSES == c ? 2.0f : 1.5f) / (FEATURES * 1.55f));
}

static float coefficient(int f, int c) {
    return f % CLASSES == c ? 0.09f : -0.01f;
}

static float intercept_of(int c) {
    return 0.01f * (float)c;
}

static float *upload(const float *values, size_t count) {
    float *memory;
    CHECK(MEMORY_MALLOC(&memory, count * sizeof(float)));
    memory_fill(memory, values, count * sizeof(float));
    return memory;
}

struct model {
    float featlogp[FEATURES * CLASSES], coeff[FEATURES * CLASSES], intercept[CLASSES];
};

static void fill(struct model *model) {
    for (int f = 0; f < FEATURES; f++)
        for (int c = 0; c < CLASSES; c++) {
            model->featlogp[f * CLASSES + c] = feature_log_probability(f, c);
            model->coeff[f * CLASSES + c] = coefficient(f, c);
        }
    for (int c = 0; c < CLASSES; c++)
        model->intercept[c] = intercept_of(c);
}

static size_t chunk_at(size_t first, size_t rows) {
    return rows - first < CHUNK ? rows - first : CHUNK;
}

/* `x`: room for CHUNK rows. */
static void create(struct ml_data *data, const struct model *model, float *x) {
    size_t rows = data->rows;
    CHECK(MEMORY_MALLOC(&data->x, rows * FEATURES * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->z, rows * FEATURES * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->r1, rows * CLASSES * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->r2, rows * CLASSES * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->amax, rows * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->l, rows * sizeof(float)));
    CHECK(MEMORY_MALLOC(&data->r, rows * sizeof(int)));
    memory_add_result(data->r);
    data->featlogp = upload(model->featlogp, FEATURES * CLASSES);
    data->coeff = upload(model->coeff, FEATURES * CLASSES);
    data->intercept = upload(model->intercept, CLASSES);
    for (size_t first = 0; first < rows; first += CHUNK) {
        size_t count = chunk_at(first, rows) * FEATURES;
        generate(x, first, chunk_at(first, rows));
        memory_fill(data->x + first * FEATURES, x, count * sizeof(float));
    }
}

static void destroy(struct ml_data *data) {
    CHECK(cudaFree(data->intercept));
    CHECK(cudaFree(data->coeff));
    CHECK(cudaFree(data->featlogp));
    CHECK(cudaFree(data->r));
    CHECK(cudaFree(data->l));
    CHECK(cudaFree(data->amax));
    CHECK(cudaFree(data->r2));
    CHECK(cudaFree(data->r1));
    CHECK(cudaFree(data->z));
    CHECK(cudaFree(data->x));
}

/* The CPU's probabilities of one row. */
static void classify(float *r1, float *r2, const float *x, const struct model *model) {
    float z[FEATURES];
    standardise(z, x);
    for (int c = 0; c < CLASSES; c++) {
        r1[c] = dot(x, model->featlogp, c);
        r2[c] = dot(z, model->coeff, c) + model->intercept[c];
    }
    float l = log_sum(r1, largest(r1));
    for (int c = 0; c < CLASSES; c++)
        r1[c] = expf(r1[c] - l);
    soften(r1);
    soften(r2);
}

static int compare_row(const float *r1, const float *r2, int r, const float *x, const struct model *model,
                       size_t row) {
    float expected1[CLASSES], expected2[CLASSES];
    classify(expected1, expected2, x, model);
    for (int c = 0; c < CLASSES; c++) {
        if (!(fabsf(r1[c] - expected1[c]) <= MAX_ERROR) || !(fabsf(r2[c] - expected2[c]) <= MAX_ERROR)) {
            fprintf(stderr, "ml: wrong result: row %zu, class %d: %g and %g instead of %g and %g\n", row, c,
                    r1[c], r2[c], expected1[c], expected2[c]);
            return EXIT_FAILURE;
        }
    }
    int expected = best(expected1, expected2);
    if (r < 0 || r >= CLASSES ||
        !(expected1[r] + expected2[r] >= expected1[expected] + expected2[expected] - 4 * MAX_ERROR)) {
        fprintf(stderr, "ml: wrong result: row %zu is of class %d instead of %d\n", row, r, expected);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* Prints the result; with `check`, compares it. `x`: room for CHUNK rows. */
static int show(const struct ml_data *data, const struct model *model, float *x, bool check) {
    static float r1[CHUNK * CLASSES], r2[CHUNK * CLASSES];
    static int r[CHUNK];
    uint64_t digest = BENCH_DIGEST;
    size_t of_class[CLASSES] = {0};
    for (size_t first = 0; first < data->rows; first += CHUNK) {
        size_t rows = chunk_at(first, data->rows), bytes = rows * CLASSES * sizeof(float);
        CHECK(cudaMemcpy(r1, data->r1 + first * CLASSES, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(r2, data->r2 + first * CLASSES, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(r, data->r + first, rows * sizeof(int), cudaMemcpyDeviceToHost));
        digest =
            bench_digest(bench_digest(bench_digest(digest, r1, bytes), r2, bytes), r, rows * sizeof(int));
        if (check)
            generate(x, first, rows);
        for (size_t i = 0; i < rows; i++) {
            if (check && compare_row(r1 + i * CLASSES, r2 + i * CLASSES, r[i], x + i * FEATURES, model,
                                     first + i) != EXIT_SUCCESS)
                return EXIT_FAILURE;
            of_class[r[i] % CLASSES]++;
        }
    }
    printf("ml: %zu rows, by classes", data->rows);
    for (int c = 0; c < CLASSES; c++)
        printf(" %zu", of_class[c]);
    printf(", digest %016llx\n", (unsigned long long)digest);
    return EXIT_SUCCESS;
}

struct ml_task {
    struct ml_data data;
    struct model *model;
    float *x; /* room on the host for CHUNK rows */
};

static void create_task(struct ml_task *task, const struct bench *bench) {
    task->data.rows = bench_scaled(bench, ROWS, MAX_ROWS, "rows");
    task->x = (float *)bench_alloc(bench, CHUNK * FEATURES, sizeof(float));
    task->model = (struct model *)bench_alloc(bench, 1, sizeof *task->model);
    fill(task->model);
    create(&task->data, task->model, task->x);
}

static int show_task(const struct ml_task *task, const struct bench *bench) {
    return show(&task->data, task->model, task->x, bench->check);
}

static void destroy_task(struct ml_task *task) {
    destroy(&task->data);
    free(task->model);
    free(task->x);
}

BENCH_MAIN("ml", ml_task, ml_data);

#endif
