// How long these kernels take depends on what is in memory, so nothing can be estimated: the device is asked now and then
// how long it had work for a pass, beside the program's own work, and by that the region gets lanes.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 -fplugin-arg-kesco-across-calls=off %s -o %t/kesco
// RUN: %t/serial >%t/expected
// RUN: env VGPU_STATS=%t/serial.json VGPU_TIME=1 %t/serial | diff %t/expected -
// RUN: env KESCO_MODE=auto VGPU_STATS=%t/auto.json VGPU_TIME=1 %t/kesco | diff %t/expected -
// RUN: sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/serial.json %t/auto.json | awk '{ at[NR] = $1 } END { exit at[2] > 0.75 * at[1] }'
// RUN: for seed in 1 2 3; do env KESCO_MODE=auto VGPU_TIME=1 VGPU_CHECK=races VGPU_SEED=$seed %t/kesco | diff %t/expected - || exit 1; done

// A device that is reset takes the events with it; and whatever refuses, the program sees nothing of it.
// RUN: %t/serial reset | diff %t/expected -
// RUN: env KESCO_MODE=auto VGPU_TIME=1 VGPU_CHECK=races VGPU_SEED=4 %t/kesco reset | diff %t/expected -
// RUN: for call in cudaEventCreate:1 cudaEventCreate:2 cudaEventRecord:1 cudaEventRecord:2 cudaEventElapsedTime:1 cudaStreamGetId:1 \
// RUN:     cudaThreadExchangeStreamCaptureMode:1 cudaStreamIsCapturing:1; do \
// RUN:   env KESCO_MODE=auto VGPU_TIME=1 VGPU_FAIL=$call %t/kesco | diff %t/expected - || exit 1; \
// RUN: done

#include <cstdio>

enum { N = 64, PASSES = 200, ROUNDS = 4000 };

__global__ void mix(int *values, const int *rounds) {
    int value = values[threadIdx.x];
    for (int i = 0; i < rounds[0]; i++)
        value = value * 3 + i;
    values[threadIdx.x] = value;
}

static void step(int *a, int *b, const int *rounds) {
    mix<<<1, N>>>(a, rounds);
    mix<<<1, N>>>(b, rounds);
}

static int run(int seed) {
    void (*volatile pass)(int *, int *, const int *) = step; // each call is an opening of its region
    int *a, *b, *rounds, host = ROUNDS, result = 0;

    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMalloc(&rounds, sizeof *rounds);
    cudaMemset(a, seed, N * sizeof *a);
    cudaMemset(b, seed + 1, N * sizeof *b);
    cudaMemcpy(rounds, &host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < PASSES; i++) {
        pass(a, b, rounds);
        if (i % 40 == 39)
            cudaDeviceSynchronize();
    }
    cudaMemcpy(&result, a, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host, b, sizeof host, cudaMemcpyDeviceToHost);
    return result * 31 + host;
}

int main(int argc, char **) {
    int first = run(1);

    if (argc > 1)
        cudaDeviceReset();
    printf("%d %d %d\n", first, run(2), (int)cudaGetLastError());
    return 0;
}
