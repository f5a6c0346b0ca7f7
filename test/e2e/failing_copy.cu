// The plan counts on the host's waiting for a copy. Where the call fails, the host does not wait, and what comes behind it
// is in order all the same.
// RUN: %vgpu -O1 %s -o %t.serial
// RUN: %vgpu-kesco -O1 %s -o %t.kesco -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: sh %compare 10 %t.serial %t.kesco

#include <cstdio>

#define N 64

__global__ void fill(int *out, int value) {
    out[threadIdx.x] = value + threadIdx.x;
}
__global__ void add(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static void show(const int *host, cudaError_t error) {
    printf("%d %d %s %s\n", host[0], host[N - 1], cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
}

// No wait is made for the first kernel: the copy is one.
// CHECK-LABEL: "name": "straight(unsigned long)"
// CHECK: "waits": [
// CHECK-NEXT: {"op": 5, "on": 3}],
void straight(size_t size) {
    int *a, *b, *c, host[N] = {0};
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, sizeof host);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    cudaError_t error = cudaMemcpy(host, a, size, cudaMemcpyDeviceToHost);
    add<<<1, N>>>(c, a, b);
    fill<<<1, N>>>(a, 5);
    show(host, error);
    error = cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    show(host, error);
}

int main(void) {
    straight(N * sizeof(int));
    straight(2 * N * sizeof(int));
    return 0;
}
