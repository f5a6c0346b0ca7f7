// Launches that come again are launched together, as a graph; with the arguments of each pass; and the program computes what
// it does without, in all modes, whichever call of the graph API fails, and sees the errors of its own launches where it
// makes them.
// RUN: rm -rf %t && mkdir %t && %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for what in swapped changing refused reset wide paths other; do \
// RUN:   %t/serial $what >%t/$what.out || exit 1; \
// RUN:   for mode in graph auto turns lanes serial; do for seed in 0 1 2 3; do \
// RUN:     VGPU_CHECK=races VGPU_SEED=$seed KESCO_MODE=$mode %t/kesco $what >%t/out && cmp %t/$what.out %t/out || \
// RUN:       { echo $what $mode $seed; exit 1; }; \
// RUN:   done; done; \
// RUN:   for call in GraphCreate GraphAddKernelNode GraphInstantiateWithFlags GraphExecKernelNodeSetParams GraphLaunch GraphExecDestroy GraphDestroy ThreadExchangeStreamCaptureMode; do \
// RUN:     for n in 1 2 5; do VGPU_FAIL=cuda$call:$n KESCO_MODE=graph %t/kesco $what >%t/out && cmp %t/$what.out %t/out || \
// RUN:       { echo $what $call $n; exit 1; }; done; \
// RUN:   done; \
// RUN: done

// Two buffers are swapped and nothing else changes: no node is ever given other arguments.
// RUN: env KESCO_MODE=graph VGPU_STATS=%t/swapped.json %t/kesco swapped
// RUN: FileCheck %s --input-file=%t/swapped.json --check-prefix=SWAPPED --implicit-check-not=SetParams
// SWAPPED: "graph_launches": {{[1-9][0-9]}},

// One of two kernels has a number that changes: as many nodes are changed as have it.
// RUN: env KESCO_MODE=graph VGPU_STATS=%t/changing.json %t/kesco changing
// RUN: awk -F'[:,]' '/SetParams/ {changed = $2} /graph_kernels/ {all = $2} END {exit !(all > 0 && 2 * changed == all)}' %t/changing.json

// It pays by itself, where launches are dearer than kernels; and where there is little to do, nothing is made.
// RUN: env KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/auto.json %t/kesco many
// RUN: env KESCO_MODE=serial VGPU_TIME=1 VGPU_STATS=%t/one.json %t/kesco many
// RUN: awk -F'[:,]' '/virtual_time/ {us[FILENAME] = $2} END {exit !(us[ARGV[1]] < 0.9 * us[ARGV[2]])}' %t/auto.json %t/one.json
// RUN: env KESCO_MODE=auto VGPU_STATS=%t/few.json %t/kesco few
// RUN: FileCheck %s --input-file=%t/few.json --check-prefix=FEW --implicit-check-not=GraphCreate
// FEW: "graph_launches": 0,
#include "Inputs/buffers.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void step(const float *from, float *to, float time) {
    const int i = threadIdx.x;
    to[i] = 0.5f * from[i] + 0.25f * from[(i + 1) % N] + time;
}
__global__ void add(float *to, float value) { to[threadIdx.x] += value; }
__global__ void join(const float *a, const float *b, float *to) { to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static void show(const float *device) {
    float host[N];
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i += 13)
        printf("%g ", host[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

static void solve(int steps, float change) {
    float *a = allocate(), *b = allocate();
    for (int s = 0; s < steps; ++s) {
        step<<<1, N>>>(a, b, 1);
        add<<<1, N>>>(b, 1 + change * s);
        float *c = a;
        a = b;
        b = c;
    }
    show(a);
    cudaFree(a);
    cudaFree(b);
}

/* Every 40th step is a launch that CUDA refuses, at its place. */
static void refused() {
    float *a = allocate(), *b = allocate();
    for (int s = 0; s < 200; ++s) {
        step<<<1, s % 40 == 39 ? 4096 : N>>>(a, b, 1);
        add<<<s % 50 == 49 ? 0 : 1, N>>>(b, 1);
        if (s % 40 == 39 || s % 50 == 49)
            printf("%d: %s\n", s, cudaGetErrorName(cudaGetLastError()));
    }
    show(b);
}

/* What was made went with the device. */
static void reset() {
    for (int i = 0; i < 3; ++i) {
        solve(300, 0);
        cudaDeviceReset();
    }
}

static void branch(float *a, float *b, float *c, float *d, float *e, float *to) {
    step<<<1, N>>>(a, b, 1);
    step<<<1, N>>>(c, d, 2);
    add<<<1, N>>>(e, 3);
    join<<<1, N>>>(b, d, a);
    join<<<1, N>>>(a, e, to);
}

/* Several lanes; now and then two pointers are one. */
static void wide() {
    float *p[6];
    for (int i = 0; i < 6; ++i)
        p[i] = allocate();
    for (int s = 0; s < 60; ++s) {
        branch(p[0], p[1], p[2], p[3], s % 20 == 19 ? p[3] : p[4], p[5]);
        if (s % 7 == 6)
            show(p[5]);
    }
    show(p[5]);
}

/* The way through the loop is another one now and then. */
static void paths() {
    float *a = allocate(), *b = allocate();
    for (int s = 0; s < 400; ++s) {
        step<<<1, N>>>(a, b, 1);
        if (s % 5 == 3)
            add<<<1, N>>>(b, 1);
        if (s % 90 > 70)
            step<<<1, N>>>(b, a, 2);
        else
            add<<<1, N>>>(a, s);
    }
    show(a);
}

/* On a stream of its own, waited for now and then. */
static void other() {
    float *a = allocate(), *b = allocate();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    for (int s = 0; s < 300; ++s) {
        step<<<1, N, 0, stream>>>(a, b, 1);
        add<<<1, N, 0, stream>>>(b, s % 100);
        step<<<1, N, 0, stream>>>(b, a, 1);
        if (s % 60 == 59)
            cudaStreamSynchronize(stream);
    }
    cudaStreamSynchronize(stream);
    show(a);
}

int main(int, char **arguments) {
    const char *what = arguments[1];
    if (!strcmp(what, "swapped"))
        solve(400, 0);
    else if (!strcmp(what, "changing"))
        solve(400, 1);
    else if (!strcmp(what, "many"))
        solve(12000, 0);
    else if (!strcmp(what, "few"))
        solve(10, 0);
    else if (!strcmp(what, "refused"))
        refused();
    else if (!strcmp(what, "reset"))
        reset();
    else if (!strcmp(what, "wide"))
        wide();
    else if (!strcmp(what, "paths"))
        paths();
    else
        other();
}
