// Kernels that take a small part of what they seem to, as most of their threads have nothing to do, and a wait behind them
// at which their region ends: what the host has waited for took no longer than that, so lanes, which cost more than they
// save here, do not come, or for a trial that is a small part of the time. Where the region is entered once, no estimate alone is reason enough.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for steps in 4 16 40; do %t/serial 20 $steps >%t/$steps.out || exit 1; \
// RUN:   for seed in 0 1 2; do for mode in auto lanes turns; do \
// RUN:     KESCO_MODE=$mode VGPU_TIME=1 VGPU_SEED=$seed VGPU_CHECK=races %t/kesco 20 $steps | cmp - %t/$steps.out || exit 1; \
// RUN:   done; done; \
// RUN: done
// RUN: for size in '1 16' '1 40' '2 4' '2 40' '5 16' '5 40' '20 4' '20 16' '50 40' '400 4' '400 100'; do \
// RUN: for run in serial kesco; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$run $size || exit 1; \
// RUN: done; done | paste - - | awk '{ print; slow += $2 > 1.02 * $1 } END { exit NR != 11 || slow }'

#include <chrono>
#include <cstdio>
#include <cstdlib>

enum { THREADS = 256, BUSY = 2, ENTRIES = 16 };

__global__ void begin(float *face, int steps, int entries, float value) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= BUSY)
        return;
    for (int step = 0; step < steps; step++)
        for (int entry = 0; entry < entries; entry++)
            face[(thread * steps + step) * entries + entry] = value / (float)(step + entry + 1);
}

__global__ void sum(float *result, const float *a, const float *b, const float *c, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        result[i] += a[i] + b[i] * c[i];
}

static float *allocate(int count) {
    float *result;
    if (cudaMalloc(&result, count * sizeof(float)) || cudaMemset(result, 0, count * sizeof(float)))
        exit(3);
    return result;
}

int main(int argc, char **argv) {
    const int passes = argc > 1 ? atoi(argv[1]) : 1, steps = argc > 2 ? atoi(argv[2]) : 4;
    const int count = BUSY * steps * ENTRIES;
    float *xy = allocate(count), *xz = allocate(count), *yz = allocate(count), *result = allocate(count), first;
    double took = 0;

    cudaDeviceSynchronize();
    for (int pass = 0; pass < passes; pass++) {
        auto start = std::chrono::steady_clock::now();
        begin<<<2, THREADS>>>(xy, steps, ENTRIES, 1.0f);
        begin<<<2, THREADS>>>(xz, steps, ENTRIES, 2.0f);
        begin<<<2, THREADS>>>(yz, steps, ENTRIES, 3.0f);
        sum<<<1, THREADS>>>(result, xy, xz, yz, count);
        cudaDeviceSynchronize();
        took += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    cudaMemcpy(&first, result, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g %s\n", first, took < 0 ? "never" : "done");
}
