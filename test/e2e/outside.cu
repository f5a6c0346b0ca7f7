// What no region issues is in the trace, in grey, on the row of its stream, and KESCO_STATS=all counts it: launches that
// stay as they are, a copy and a memset. What regions issue is not among them, be it issued serially.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu-kesco -O2 -I%root/runtime %s -o %t/app
// RUN: for mode in lanes serial; do for seed in 0 2; do \
// RUN:   env VGPU_SEED=$seed VGPU_CHECK=races KESCO_MODE=$mode KESCO_STATS=all KESCO_TRACE=%t/$mode.json \
// RUN:     %t/app 2>%t/stats || exit 1; \
// RUN:   FileCheck %s --input-file=%t/stats && %build/test/bin/check_trace %t/$mode.json >%t/told || exit 1; \
// RUN:   FileCheck %s --check-prefix=ROWS --input-file=%t/told || exit 1; \
// RUN: done; done
// RUN: env KESCO_STATS=all %t/app 2>&1 | FileCheck %s
// RUN: env VGPU_TIME=0 KESCO_STATS=all %t/app 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: kesco: outside of these regions, from the first on: kernels 6, copies 1, memsets 1
// NONE: kesco: not counted: ops outside of these regions, as there is no CUPTI
// ROWS: row kesco does not manage: stream {{[0-9]+}}: twice(float*, int) twice(float*, int) twice(float*, int) twice(float*, int) twice(float*, int) twice(float*, int) memset copy
#include <kesco.h>
#include <stdlib.h>

__global__ void add(float *values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += 1;
}

__global__ void twice(float *values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= 2;
}

__attribute__((noinline)) static void managed(float *a, float *b, int n) {
    add<<<n / 256, 256>>>(a, n);
    add<<<n / 256, 256>>>(b, n);
    cudaDeviceSynchronize();
}

KESCO_OFF __attribute__((noinline)) static void unmanaged(float *a, float *b, int n) {
    twice<<<n / 256, 256>>>(a, n);
    twice<<<n / 256, 256>>>(b, n);
    cudaDeviceSynchronize();
}

KESCO_OFF __attribute__((noinline)) static float look(const float *values, float *scratch, int n) {
    float first;
    cudaMemset(scratch, 0, n * sizeof(float));
    cudaMemcpy(&first, values, sizeof(float), cudaMemcpyDeviceToHost);
    return first;
}

KESCO_OFF int main() {
    const int n = 1 << 14;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    for (int i = 0; i < 3; i++) {
        managed(a, b, n);
        unmanaged(a, b, n);
    }
    return look(a, b, n) == 14 ? EXIT_SUCCESS : EXIT_FAILURE;
}
