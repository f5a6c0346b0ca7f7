// Lanes make the longest chain of launches as short as the data ask for, and change nothing in what the data ask for.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: %vgpu-kesco -O1 %s -o %t/kesco
// RUN: for run in serial kesco; do VGPU_CHECK=races VGPU_STATS=%t/$run.json %t/$run || exit 1; \
// RUN:   echo $run $(sed -n 's/.*_chain": \([0-9]*\).*/\1/p' %t/$run.json); done | FileCheck %s

// CHECK: 66 66 66
// CHECK-NEXT: serial 12 4
// CHECK-NEXT: 66 66 66
// CHECK-NEXT: kesco 4 4

#include <cstdio>

enum { N = 64, BYTES = N * sizeof(int) };

static __global__ void add(int *a, int value) { a[threadIdx.x] += value; }

int main(void) {
    int *a, *b, *c, sums[3];
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&c, BYTES);
    cudaMemset(a, 0, BYTES);
    cudaMemset(b, 0, BYTES);
    cudaMemset(c, 0, BYTES);
    for (int i = 0; i < 4; i++) {
        add<<<1, N>>>(a, 15 + i);
        add<<<1, N>>>(b, 15 + i);
        add<<<1, N>>>(c, 15 + i);
    }
    cudaMemcpy(&sums[0], a, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&sums[1], b, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&sums[2], c, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", sums[0], sums[1], sums[2]);
    return 0;
}
