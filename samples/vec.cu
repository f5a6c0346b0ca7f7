/*
 * Vector squares: res = sum(x[i] * x[i] - y[i] * y[i]), in three kernels.
 *
 *   square(x -> x1)   square(y -> y1)   reduce(x1, y1 -> res)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. The two squares need not wait for each
 * other, and with KeSCo they run beside each other.
 *
 *   vec [N]    N elements a vector, default 131072
 *
 * The elements are whole numbers from 0 to 15, from a generator with a fixed seed. So every sum is exact in
 * float, whatever its order, and the result has to equal the CPU's. Exit status: 0 the result is right, 1 it
 * is not, or an error.
 */
#include "samples/check.h"

#include <errno.h>
#include <stdint.h>

#define DEFAULT_COUNT 131072
#define MAX_COUNT ((size_t)1 << 30)
#define BLOCK 256

__global__ void square(float *out, const float *in, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * in[i];
}

/* One block of BLOCK threads: each sums a stride of the differences, then they sum in a tree. */
__global__ void reduce(float *result, const float *x, const float *y, size_t count) {
    __shared__ float sums[BLOCK];
    float sum = 0;
    for (size_t i = threadIdx.x; i < count; i += BLOCK)
        sum += x[i] - y[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = sums[0];
}

static float sum_of_square_differences(const float *host_x, const float *host_y, size_t count) {
    float *x, *y, *x1, *y1, *res;
    float sum;
    size_t bytes = count * sizeof(float);
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&y, bytes));
    CHECK(cudaMalloc(&x1, bytes));
    CHECK(cudaMalloc(&y1, bytes));
    CHECK(cudaMalloc(&res, sizeof(float)));
    CHECK(cudaMemcpy(x, host_x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host_y, bytes, cudaMemcpyHostToDevice));

    unsigned blocks = (unsigned)((count + BLOCK - 1) / BLOCK);
    square<<<blocks, BLOCK>>>(x1, x, count);
    square<<<blocks, BLOCK>>>(y1, y, count);
    reduce<<<1, BLOCK>>>(res, x1, y1, count);

    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, res, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(res));
    CHECK(cudaFree(y1));
    CHECK(cudaFree(x1));
    CHECK(cudaFree(y));
    CHECK(cudaFree(x));
    return sum;
}

/* A linear congruential generator (Knuth's MMIX constants); the high bits are the good ones. */
static float next_element(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(*state >> 60);
}

static int run(size_t count) {
    float *x = (float *)malloc(count * sizeof(float));
    float *y = (float *)malloc(count * sizeof(float));
    if (!x || !y) {
        fprintf(stderr, "vec: not enough memory for two vectors of %zu elements\n", count);
        free(y);
        free(x);
        return EXIT_FAILURE;
    }
    uint64_t state = 2023;
    double expected = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] = next_element(&state);
        y[i] = next_element(&state);
        expected += (double)x[i] * x[i] - (double)y[i] * y[i];
    }
    float sum = sum_of_square_differences(x, y, count);
    free(y);
    free(x);
    if (sum != expected) {
        fprintf(stderr, "vec: wrong result: %.1f instead of %.1f\n", sum, expected);
        return EXIT_FAILURE;
    }
    printf("vec: sum of %zu square differences: %.1f\n", count, sum);
    return EXIT_SUCCESS;
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
    if (argc > 2) {
        fprintf(stderr, "usage: vec [N]\n");
        return EXIT_FAILURE;
    }
    size_t count = argc == 2 ? parse_count(argv[1]) : DEFAULT_COUNT;
    if (count == 0) {
        fprintf(stderr, "vec: '%s' is not a number of elements from 1 to %zu\n", argv[1], MAX_COUNT);
        return EXIT_FAILURE;
    }
    return run(count);
}
