// Functions of another source file that copy within the device between their launches, or that do nothing but that or clear
// memory: they overlap with what others launch where the device alone has the memory, with a stream or without. Where the host
// can touch it, as managed or pinned memory, the host waits as ever. A copy that is refused is told of where it is.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DPARTS -c -o %t.parts.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DPARTS -c -o %t.parts.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.parts.serial.o -o %t.serial && %vgpu %t.main.o %t.parts.o -o %t.both || exit 1; \
// RUN:   for memory in device managed pinned one; do for way in blocking stream apart; do \
// RUN:     sh %compare 4 %t.serial %t.both $memory $way || exit 1; \
// RUN:     for mode in auto turns graph serial; do \
// RUN:       KESCO_MODE=$mode sh %compare 2 %t.serial %t.both $memory $way || exit 1; \
// RUN:     done; \
// RUN:   done; done; \
// RUN:   sh %compare 2 %t.serial %t.both device refused || exit 1; \
// RUN:   for way in blocking stream; do \
// RUN:     env VGPU_STATS=%t.json %t.both device $way >/dev/null && FileCheck %s --input-file=%t.json || exit 1; \
// RUN:   done; \
// RUN:   env VGPU_STATS=%t.json %t.both device apart >/dev/null && \
// RUN:     FileCheck %s --check-prefix=APART --input-file=%t.json || exit 1; \
// RUN:   env KESCO_LOG=1 %t.both managed blocking 2>&1 >/dev/null | FileCheck %s --check-prefix=MANAGED || exit 1; \
// RUN: done
// CHECK: "launches": 52,
// CHECK: "ordered_chain": 16,
// APART: "launches": 28,
// APART: "ordered_chain": 10,
// MANAGED: the rest of a region runs serially: memory that the host may touch

#include <cstdio>
#include <cstring>

enum { SIZE = 512, FIELDS = 4, STEPS = 6 };

void advance(float *now, float *before, bool blocking);
void clear(float *sums);
void keep(float *before, const float *now);
void addUp(float *now, const float *before);
void refuse(float *now);

#ifdef PARTS

__global__ void differ(float *now, const float *before) {
    now[threadIdx.x] = now[threadIdx.x] * 0.75f + before[(threadIdx.x + 1) % SIZE];
}

__global__ void mix(float *now, const float *before) { now[threadIdx.x] += before[threadIdx.x] * 0.5f; }

void advance(float *now, float *before, bool blocking) {
    differ<<<1, SIZE>>>(now, before);
    if (blocking)
        cudaMemcpy(before, now, SIZE * sizeof *now, cudaMemcpyDeviceToDevice);
    else
        cudaMemcpyAsync(before, now, SIZE * sizeof *now, cudaMemcpyDeviceToDevice);
    mix<<<1, SIZE>>>(now, before);
}

void clear(float *sums) {
    cudaMemset(sums, 0, SIZE * sizeof *sums);
}

void keep(float *before, const float *now) {
    cudaMemcpy(before, now, SIZE * sizeof *now, cudaMemcpyDeviceToDevice);
}

void addUp(float *now, const float *before) {
    mix<<<1, SIZE>>>(now, before);
}

void refuse(float *now) {
    float *none = nullptr;
    mix<<<1, SIZE>>>(now, now);
    printf("%s\n", cudaGetErrorName(cudaMemcpy(none, now, 64, cudaMemcpyDeviceToDevice)));
    mix<<<1, SIZE>>>(now, now);
}

#else

#include "Inputs/memory_kinds.h"

__global__ void start(float *field, float first) { field[threadIdx.x] = first + threadIdx.x % 7; }

int main(int, char **argv) {
    float *now[FIELDS], *before[FIELDS], total = 0;

    for (int i = 0; i < FIELDS; i++) {
        now[i] = allocate(argv[1], i, SIZE);
        before[i] = allocate(argv[1], i, SIZE);
        start<<<1, SIZE>>>(now[i], i);
        cudaMemset(before[i], 0, SIZE * sizeof *before[i]);
    }
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < FIELDS; i++)
            if (strcmp(argv[2], "apart") == 0) {
                if (step % 3 == 0)
                    clear(before[i]);
                else
                    keep(before[i], now[i]);
                addUp(now[i], before[i]);
            } else if (strcmp(argv[2], "refused") == 0) {
                refuse(now[i]);
            } else {
                advance(now[i], before[i], strcmp(argv[2], "blocking") == 0);
            }
    for (int i = 0; i < FIELDS; i++)
        addAll(total, now[i], SIZE);
    printf("%a %s\n", total, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

#endif
