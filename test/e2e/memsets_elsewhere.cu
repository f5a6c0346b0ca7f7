// Functions of another source file that clear what a kernel adds up in, by a memset without a stream, and that kernel: they
// overlap where the device alone has the memory. Where the host can touch it, as managed or pinned memory, the host waits as ever.
// Their caller may have lanes of its own before.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DMEMSETS -c -o %t.layers.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DMEMSETS -c -o %t.layers.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.layers.serial.o -o %t.serial && %vgpu %t.main.o %t.layers.o -o %t.both || exit 1; \
// RUN:   for memory in device managed pinned one; do \
// RUN:     sh %compare 5 %t.serial %t.both $memory || exit 1; \
// RUN:     for mode in auto turns graph serial; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.both $memory || exit 1; done; \
// RUN:   done; \
// RUN:   env VGPU_STATS=%t.json %t.both device >/dev/null && FileCheck %s --input-file=%t.json || exit 1; \
// RUN:   env KESCO_LOG=1 %t.both managed 2>&1 >/dev/null | FileCheck %s --check-prefix=MANAGED || exit 1; \
// RUN: done
// CHECK: "launches": 28,
// CHECK: "ordered_chain": 7,
// MANAGED: the rest of a region runs serially: memory that the host may touch

#include <cstdio>
#include <cstring>

enum { SIZE = 512, SUMS = 8, LAYERS = 4, STEPS = 6 };

void layer(float *sums, float *data);

#ifdef MEMSETS

__global__ void addUp(float *sums, float *data) {
    sums[threadIdx.x] += data[threadIdx.x] * 0.5f;
    data[threadIdx.x] = data[threadIdx.x] * 0.75f + sums[threadIdx.x];
}

void layer(float *sums, float *data) {
    cudaMemset(sums, 0, SUMS * sizeof *sums);
    addUp<<<1, SUMS>>>(sums, data);
}

#else

#include "Inputs/memory_kinds.h"

__global__ void start(float *data, float first) { data[threadIdx.x] = first + threadIdx.x % 7; }

int main(int, char **argv) {
    float *data[LAYERS], *sums[LAYERS], total = 0;
    const bool device = strcmp(argv[1], "device") == 0;

    for (int i = 0; i < LAYERS; i++) {
        cudaMalloc(&data[i], SIZE * sizeof **data);
        start<<<1, SIZE>>>(data[i], i);
        sums[i] = allocate(argv[1], i, SUMS);
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < LAYERS; i++)
            layer(sums[i], data[i]);
        if (!device && step % 2 == 0)
            cudaDeviceSynchronize();
    }
    for (int i = 0; i < LAYERS; i++)
        addAll(total, sums[i], SUMS);
    printf("%a %s\n", total, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

#endif
