// Small managed allocations, of which several would fit into one page: each has pages of its own, which the host and
// kernels touch for themselves.
// RUN: %vgpu-clang++ -O2 %s -o %t && env VGPU_STATS=%t.json %t
// RUN: FileCheck --input-file=%t.json %s
// CHECK: "page_faults": 7
#include "check.h"

__global__ void add(int *sum, const int *a, const int *b) {
    int value = *(const volatile int *)b;
    *sum = value + *a;
}

int main(void) {
    int *a, *b, *sum;
    CUDA(cudaMallocManaged(&a, sizeof(int)));
    CUDA(cudaMallocManaged(&b, sizeof(int)));
    CUDA(cudaMallocManaged(&sum, sizeof(int)));
    for (int pass = 0; pass < 2; pass++) {
        *b = 2;
        *a = pass;
        add<<<1, 1>>>(sum, a, b);
        CUDA(cudaDeviceSynchronize());
    }
    CHECK(*sum == 3);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(sum));
    return 0;
}
