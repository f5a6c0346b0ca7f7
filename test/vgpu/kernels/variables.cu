// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// __device__ and __constant__ variables: initial values, access by the host, arrays, pointers to one another, and
// variables inside functions.
#include "check.h"

__device__ int counter = 40;
__device__ double table[8];
static __device__ int hidden = 5;
__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ struct {
    char tag;
    double value;
} settings;
__device__ int *pointer = &counter;

__global__ void use(float *out) {
    __device__ static int calls;
    counter += 2;
    hidden++;
    calls += 3;
    *pointer += 10;
    for (int i = 0; i < 8; i++)
        table[i] += i * settings.value;
    out[0] = weights[0] + weights[1] + weights[2] + weights[3];
    out[1] = (float)calls;
    out[2] = (float)settings.tag;
}

int main(void) {
    float *out = DEVICE_ZEROS(float, 3), got[3];
    const float weights2[4] = {10, 20, 30, 40};
    struct {
        char tag;
        double value;
    } s = {7, 0.5};
    int number;
    double values[8];
    CUDA(cudaMemcpyToSymbol(settings, &s, sizeof(s)));
    use<<<1, 1>>>(out);
    fetch(got, out, sizeof(got));
    CHECK(got[0] == 10 && got[1] == 3 && got[2] == 7);
    CUDA(cudaMemcpyToSymbol(weights, weights2, sizeof(weights2)));
    number = 100;
    CUDA(cudaMemcpyToSymbol(counter, &number, sizeof(number)));
    use<<<1, 1>>>(out);
    fetch(got, out, sizeof(got));
    CHECK(got[0] == 100 && got[1] == 6);
    CUDA(cudaMemcpyFromSymbol(&number, counter, sizeof(number)));
    CHECK_EQUAL(number, 112);
    CUDA(cudaMemcpyFromSymbol(&number, hidden, sizeof(number)));
    CHECK_EQUAL(number, 7);
    CUDA(cudaMemcpyFromSymbol(values, table, sizeof(values)));
    for (int i = 0; i < 8; i++)
        CHECK(values[i] == 2 * 0.5 * i);
    CUDA(cudaMemcpyFromSymbol(&values[0], table, sizeof(double), 3 * sizeof(double)));
    CHECK(values[0] == 3.0);
    return 0;
}
