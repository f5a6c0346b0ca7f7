// Managed memory and a checked wait behind each kernel, as benchmarks have it: where the check prints what CUDA says and ends the
// program, the host touches nothing in between, so the waits are put off, and the kernels overlap.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: sh %compare 8 %t/serial %t/kesco
// RUN: VGPU_CONCURRENT_MANAGED=0 sh %compare 8 %t/serial %t/kesco
// RUN: for run in serial kesco; do VGPU_STATS=%t/$run.stats %t/$run || exit 1; \
// RUN:   grep -o '"cudaDeviceSynchronize": [0-9]*' %t/$run.stats; done | FileCheck %s
// CHECK: "cudaDeviceSynchronize": 3
// CHECK: "cudaDeviceSynchronize": 2

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                                      \
    do {                                                                                                                                 \
        cudaError_t error = (call);                                                                                                      \
        if (error != cudaSuccess) {                                                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));                                    \
            exit(EXIT_FAILURE);                                                                                                          \
        }                                                                                                                                \
    } while (0)

enum { N = 256 };

__global__ void square(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }
__global__ void add(float *out, const float *a, const float *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

struct data {
    float *x, *y, *x1, *y1, *sum;
};

__attribute__((noinline)) static void run(data *d) {
    square<<<1, N>>>(d->x1, d->x);
    CHECK(cudaDeviceSynchronize());
    square<<<1, N>>>(d->y1, d->y);
    CHECK(cudaDeviceSynchronize());
    add<<<1, N>>>(d->sum, d->x1, d->y1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main() {
    data d;
    for (float **p : {&d.x, &d.y, &d.x1, &d.y1, &d.sum})
        CHECK(cudaMallocManaged(p, N * sizeof(float)));
    for (int i = 0; i < N; i++)
        d.x[i] = d.y[i] = (float)i;
    run(&d);
    printf("sum %f\n", d.sum[N - 1]);
}
