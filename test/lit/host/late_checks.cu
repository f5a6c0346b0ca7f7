// An error is dealt with late as by a wait that is put off. The check here is behind one that is kept, as the host reads
// what kernels write; the wait that is put off, in a region of its own, has no check.
// RUN: %vgpu-kesco -O2 %s -o %t -Rpass=kesco 2>&1 | FileCheck %s

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error = (call)) {                                                                              \
            fprintf(stderr, "%s\n", cudaGetErrorName(error));                                                          \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

__global__ void add(int *to, int by) {
    to[blockIdx.x * 64 + threadIdx.x] += by;
}

__global__ void join(int *to, const int *a, const int *b) {
    int i = blockIdx.x * 64 + threadIdx.x;
    to[i] = a[i] + b[i];
}

int run(int **device, int *managed, int *pinned, int n) {
    int host[256], sum = 0;
    for (int i = 0; i < 5; i++) {
        add<<<4, 64>>>(managed, i);
        cudaMemcpyAsync(pinned, device[0], sizeof host, cudaMemcpyDeviceToHost);
    }
    if (n > 3)
        join<<<4, 64>>>(device[2], device[1], device[0]);
    CHECK(cudaDeviceSynchronize());
    sum += managed[n];
    for (int i = 0; i < 5; i++) {
        cudaMemcpy(host, device[0], sizeof host, cudaMemcpyDeviceToHost);
        add<<<4, 64>>>(managed, i);
        // CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: call to 'cudaStreamSynchronize' is put off
        cudaStreamSynchronize(0);
    }
    return sum;
}

int main(int argc, char **argv) {
    int *device[3], *managed, *pinned;
    for (int *&each : device)
        cudaMalloc(&each, 256 * sizeof *each);
    cudaMallocManaged(&managed, 256 * sizeof *managed);
    cudaMallocHost(&pinned, 256 * sizeof *pinned);
    printf("%d\n", run(device, managed, pinned, 5));
}
