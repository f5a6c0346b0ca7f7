// A region that could go through calls, in a function that takes part in none, since it has a region with a plan, too: entered
// from code that nobody sees, the function closes what is open before the region is opened, and not between an op's placing
// and its call.
// RUN: %vgpu -O1 %s -o %t.serial
// RUN: for level in 0 1 2; do %vgpu-kesco -O$level %s -o %t.kesco && sh %compare 6 %t.serial %t.kesco || exit 1; done
// RUN: env KESCO_STATS=1 %t.kesco 2>&1 | FileCheck %s
// CHECK: ops placed

#include <cstdio>

enum { ALL = 4096, LENGTH = 40 };

static __global__ void fill(int *out, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value + i;
}

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorName(error));
}

// What is cleared goes up, what is filled goes down.
static void meet(int *memory, int count, int step, cudaStream_t stream, cudaStream_t other) {
    int *walk = memory + step;
    for (int i = count - 1; i >= 0; i--) {
        check(cudaMemsetAsync(walk, i, LENGTH * sizeof(int), stream));
        fill<<<1, 64, 0, stream>>>(memory + i * step, LENGTH, i);
        walk += step;
    }
    check(cudaStreamSynchronize(stream));
    if (count % 2 != 0)
        for (int i = 0; i < 2; i++) {
            fill<<<1, 64, 0, other>>>(memory + 2000, LENGTH, i);
            fill<<<1, 64, 0, other>>>(memory + 2100, LENGTH, i);
        }
}

static decltype(&meet) volatile run = meet;

int main() {
    static int host[ALL];
    int *memory;
    cudaStream_t stream, other;

    check(cudaStreamCreate(&stream));
    check(cudaStreamCreate(&other));
    check(cudaMallocManaged(&memory, sizeof host));
    check(cudaMemset(memory, 3, sizeof host));
    check(cudaDeviceSynchronize());
    for (int count = 5; count < 30; count += 8) {
        run(memory, count, 60, stream, other);
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
        unsigned sum = 0;
        for (int each : host)
            sum = sum * 31 + each;
        printf("%u\n", sum);
    }
    return 0;
}
