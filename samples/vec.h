/*
 * All of the sample vec but for how its kernels are launched (vec.cu; by_hand/vec.cu and graph/vec.cu by
 * hand): vector squares, res = sum(x[i] * x[i] - y[i] * y[i]).
 *
 *   vec [N] [--scale S] [--repeat N] [--times FILE] [--check]    (samples/bench.h)
 *
 * N elements a vector, default 100000 times the scale; 1600 to 9500 are the 160 to 950 million of the paper,
 * which take 2.6 to 15 GB of device memory, and half of that on the host. The elements are whole numbers from
 * 0 to 15, from a generator with a fixed seed. So sums are exact in float, whatever their order, and the
 * result has to equal the CPU's; that is always checked. Exit status: 0 the result is right, 1 it is not, or
 * an error.
 */
#ifndef KESCO_SAMPLES_VEC_H
#define KESCO_SAMPLES_VEC_H

#include "samples/bench.h"
#include "samples/reduction.h"

#define DEFAULT_COUNT 100000
#define MAX_COUNT ((size_t)1 << 30)
#define BLOCK 256

struct vec_data { /* on the device */
    float *x, *y;
    float *x1, *y1;        /* their squares */
    struct reduction *res; /* the sum of the differences */
    size_t count;
};

BENCH_RUN(vec_data);

__global__ void square(float *out, const float *in, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * in[i];
}

__global__ void reduce(struct reduction *result, const float *x, const float *y, size_t count) {
    float sum = 0;
    for (size_t i = reduction_first(); i < count; i += reduction_stride())
        sum += x[i] - y[i];
    reduce_all(result, REDUCTION_SUM, sum);
}

static inline unsigned blocks_of(size_t count) {
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

static void create(struct vec_data *data, const float *host_x, const float *host_y, size_t count) {
    size_t bytes = count * sizeof(float);
    data->count = count;
    CHECK(MEMORY_MALLOC(&data->x, bytes));
    CHECK(MEMORY_MALLOC(&data->y, bytes));
    CHECK(MEMORY_MALLOC(&data->x1, bytes));
    CHECK(MEMORY_MALLOC(&data->y1, bytes));
    data->res = reduction_create();
    memory_fill(data->x, host_x, bytes);
    memory_fill(data->y, host_y, bytes);
    memory_add_result(&data->res->value);
}

static float result_of(const struct vec_data *data) {
    float sum;
    CHECK(cudaMemcpy(&sum, &data->res->value, sizeof(float), cudaMemcpyDeviceToHost));
    return sum;
}

static void destroy(struct vec_data *data) {
    CHECK(cudaFree(data->res));
    CHECK(cudaFree(data->y1));
    CHECK(cudaFree(data->x1));
    CHECK(cudaFree(data->y));
    CHECK(cudaFree(data->x));
}

static float next_element(uint64_t *state) {
    return (float)(bench_next(state) >> 60);
}

/* Fills both and returns the sum of their square differences. */
static double generate(float *x, float *y, size_t count) {
    uint64_t state = 2023;
    double expected = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] = next_element(&state);
        y[i] = next_element(&state);
        expected += (double)x[i] * x[i] - (double)y[i] * y[i];
    }
    return expected;
}

static int show(float sum, double expected, size_t count) {
    if (sum != expected) {
        fprintf(stderr, "vec: wrong result: %.1f instead of %.1f\n", sum, expected);
        return EXIT_FAILURE;
    }
    printf("vec: sum of %zu square differences: %.1f\n", count, sum);
    return EXIT_SUCCESS;
}

#ifdef BENCH_PARTS
struct vec_task {
    struct vec_data data;
    double expected;
};

static void create_task(struct vec_task *task, const struct bench *bench) {
    size_t count = bench_scaled(bench, DEFAULT_COUNT, MAX_COUNT, "elements");
    float *x = (float *)bench_alloc(bench, count, sizeof(float));
    float *y = (float *)bench_alloc(bench, count, sizeof(float));
    task->expected = generate(x, y, count);
    create(&task->data, x, y, count);
    free(y);
    free(x);
}

static int show_task(const struct vec_task *task, const struct bench *) {
    return show(result_of(&task->data), task->expected, task->data.count);
}

static void destroy_task(struct vec_task *task) {
    destroy(&task->data);
}
#else
static struct bench bench = bench_create("vec", "[N]");

BENCH_TIMED(vec_data);

/* Ends the program when CUDA fails. */
static float sum_of_square_differences(const float *host_x, const float *host_y, size_t count) {
    struct vec_data data;
    create(&data, host_x, host_y, count);
    run_timed(&data, &bench);
    float sum = result_of(&data);
    destroy(&data);
    return sum;
}

static int compute(size_t count) {
    float *x = (float *)bench_alloc(&bench, count, sizeof(float));
    float *y = (float *)bench_alloc(&bench, count, sizeof(float));
    double expected = generate(x, y, count);
    float sum = sum_of_square_differences(x, y, count);
    free(y);
    free(x);
    return show(sum, expected, count);
}

/* Returns 0 unless `text` is a whole number from 1 to MAX_COUNT. */
static size_t parse_count(const char *text) {
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    return *end || errno || count > MAX_COUNT ? 0 : (size_t)count;
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        if (bench_take(&bench, argc, argv, &i))
            continue;
        if (count || *argv[i] == '-')
            bench_reject(&bench, argv[i]);
        count = parse_count(argv[i]);
        if (count == 0) {
            fprintf(stderr, "vec: '%s' is not a number of elements from 1 to %zu\n", argv[i], MAX_COUNT);
            return EXIT_FAILURE;
        }
    }
    return compute(count ? count : bench_scaled(&bench, DEFAULT_COUNT, MAX_COUNT, "elements"));
}
#endif

#endif
