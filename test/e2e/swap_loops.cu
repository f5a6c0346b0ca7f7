// Maximum and minimum, one block, by swaps in loops: each with as many passes as others come between, but nobody waits,
// so kernels may run beside each other. The results do not depend on the order.
// RUN: for level in 0 2 3; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level -Rpass=kesco %s -o %t.kesco 2>&1 | FileCheck %s || exit 1; \
// RUN:   env VGPU_STATS=%t.0.json %t.serial >%t.expected && FileCheck %s --check-prefix=OUT --input-file=%t.expected || exit 1; \
// RUN:   for seed in 0 1 2 3 4; do \
// RUN:     env KESCO_MODE=lanes VGPU_CHECK=races VGPU_SEED=$seed VGPU_STATS=%t.1.json %t.kesco | diff %t.expected - || exit 1; \
// RUN:   done; \
// RUN:   FileCheck %s --check-prefix=CHAIN --input-file=%t.0.json && FileCheck %s --check-prefix=LANES --input-file=%t.1.json || exit 1; \
// RUN: done
// CHECK: remark: 4 kernels and 5 other ops run on 4 lanes with 3 waits [-Rpass=kesco]
// OUT: 1023 -1023 523776
// CHAIN: "ordered_chain": 4
// LANES: "ordered_chain": 2

#include <cstdio>

enum { N = 1024, BLOCK = 64 };

__global__ void fill(int *values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i * 7 % N;
}

__device__ void raise(int *to, int value) {
    int old = *to;
    while (old < value)
        old = atomicCAS(to, old, value);
}

__global__ void maximum(int *to, const int *values) {
    raise(to, values[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void minimum(int *to, const int *values) {
    int value = -values[blockIdx.x * blockDim.x + threadIdx.x], old = *to;
    while (old > value) {
        int assumed = old;
        old = atomicCAS(to, assumed, value);
        if (old == assumed)
            break;
    }
}

__global__ void sum(unsigned long long *to, const int *values, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long old = *to, assumed;
        do {
            assumed = old;
            old = atomicCAS(to, assumed, assumed + values[i]);
        } while (old != assumed);
    }
}

int main(void) {
    int *values, *most, *least, results[2];
    unsigned long long *all, total;

    cudaMalloc(&values, N * sizeof(int));
    cudaMalloc(&most, sizeof(int));
    cudaMalloc(&least, sizeof(int));
    cudaMalloc(&all, sizeof *all);
    cudaMemset(most, 0, sizeof(int));
    cudaMemset(least, 0, sizeof(int));
    cudaMemset(all, 0, sizeof *all);
    fill<<<N / BLOCK, BLOCK>>>(values);
    maximum<<<N / BLOCK, BLOCK>>>(most, values);
    minimum<<<N / BLOCK, BLOCK>>>(least, values);
    sum<<<N / BLOCK / 2, BLOCK>>>(all, values, N);
    cudaMemcpy(&results[0], most, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&results[1], least, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, all, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d %d %llu\n", results[0], results[1], total);
    return 0;
}
