// Memsets, and copies within device memory, are nodes of the graphs that launches become; with what changes from pass to
// pass, in memory of any kind, and whatever call fails. What the host would wait for, or CUDA refuse, is not put off.
// RUN: rm -rf %t && mkdir %t && %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for what in changing wide joined kinds refused urgent; do \
// RUN:   %t/serial $what >%t/$what.out || exit 1; \
// RUN:   for mode in graph auto turns lanes; do for seed in 0 2; do \
// RUN:     VGPU_CHECK=races VGPU_SEED=$seed KESCO_MODE=$mode %t/kesco $what >%t/out && cmp %t/$what.out %t/out || \
// RUN:       { echo $what $mode $seed; exit 1; }; \
// RUN:   done; done; \
// RUN: done
// RUN: for call in GraphAddMemsetNode GraphAddMemcpyNode1D GraphExecMemsetNodeSetParams GraphExecMemcpyNodeSetParams1D \
// RUN:   PointerGetAttributes GraphKernelNodeSetAttribute DeviceGetStreamPriorityRange; do for what in changing wide urgent; do \
// RUN:     VGPU_FAIL=cuda$call:4 KESCO_MODE=graph %t/kesco $what >%t/out && cmp %t/$what.out %t/out || \
// RUN:       { echo $what $call; exit 1; }; \
// RUN:   done; done

// All of a pass is one graph, of which only nodes that differ are changed.
// RUN: env KESCO_MODE=graph VGPU_STATS=%t/changing.json %t/kesco changing
// RUN: FileCheck %s --input-file=%t/changing.json
// CHECK: "graph_launches": 5,
// CHECK: "graph_kernels": 80,
// CHECK-DAG: "cudaGraphAddMemcpyNode1D": 8,
// CHECK-DAG: "cudaGraphAddMemsetNode": 8,
// CHECK-DAG: "cudaGraphExecMemsetNodeSetParams": {{[1-9]}}
// CHECK-DAG: "cudaGraphExecMemcpyNodeSetParams1D": {{[1-9]}}

// Kernels of an urgent task are urgent nodes; where their priority cannot be set, they are launched.
// RUN: env KESCO_MODE=graph VGPU_STATS=%t/urgent.json %t/kesco urgent
// RUN: FileCheck %s --input-file=%t/urgent.json --check-prefix=URGENT
// URGENT: "graph_launches": {{[1-9]}}
// URGENT-DAG: "cudaGraphKernelNodeSetAttribute": {{[1-9]}}
#include "Inputs/buffers.h"
#include <cstdio>
#include <cstring>
#include <kesco.h>

__global__ void sum(const float *from, float *to) { atomicAdd(to, from[threadIdx.x]); }
__global__ void add(float *to, const float *by) { to[threadIdx.x] = 0.5f * to[threadIdx.x] + 1 + 0.001f * *by; }

static void show(const float *device) {
    float host[N];
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDefault);
    printf("%g %g %g %s\n", host[0], host[7], host[N - 1], cudaGetErrorName(cudaGetLastError()));
}

/* A residual that is cleared in each pass, a state that is kept; value, size and target change now and then. */
__attribute__((noinline)) static void steps(float *state, float *before, float *other, float *rest) {
    for (int i = 0; i < 60; ++i) {
        cudaMemset(rest, i % 7, 4 + i % 3);
        sum<<<1, N>>>(state, rest);
        cudaMemcpyAsync(i % 5 == 3 ? other : before, state, N * sizeof *state, cudaMemcpyDeviceToDevice);
        add<<<1, N>>>(state, rest);
    }
}

static void changing() {
    float *state = allocate(), *before = allocate(), *other = allocate(), *rest = allocate();
    steps(state, before, other, rest);
    show(state);
    show(before);
    show(other);
}

__attribute__((noinline)) static void pass(float *a, float *b, float *c, float *d, float *to) {
    cudaMemsetAsync(c, 0, N * sizeof *c);
    cudaMemsetAsync(d, 0, N * sizeof *d);
    sum<<<1, N>>>(a, c);
    sum<<<1, N>>>(b, d);
    cudaMemcpyAsync(to, c, sizeof *to, cudaMemcpyDeviceToDevice);
    cudaMemcpy(to + 1, d, sizeof *to, cudaMemcpyDeviceToDevice);
    add<<<1, N>>>(a, to);
    add<<<1, N>>>(b, to + 1);
}

/* Several lanes; now and then two pointers are one. */
static void wide() {
    float *p[5];
    for (int i = 0; i < 5; ++i)
        p[i] = allocate();
    for (int i = 0; i < 24; ++i)
        pass(p[0], p[1], p[2], i % 8 == 7 ? p[2] : p[3], p[4]);
    for (int i = 0; i < 5; ++i)
        show(p[i]);
}

/* Memsets that the program does not issue to a stream, on lanes of their own, two of which meet. */
__attribute__((noinline)) static void join(float *a, float *b, float *c, float *to, float *other) {
    cudaMemset(a, 60, N * sizeof *a);
    cudaMemset(b, 61, N * sizeof *b);
    cudaMemset(c, 62, N * sizeof *c);
    sum<<<1, N>>>(a, to);
    sum<<<1, N>>>(c, other);
    sum<<<1, N>>>(b, to);
    add<<<1, N>>>(c, other);
    add<<<1, N>>>(a, b);
}

static void joined() {
    float *p[5];
    for (int i = 0; i < 5; ++i)
        p[i] = allocate();
    for (int i = 0; i < 24; ++i)
        join(p[0], p[1], p[2], p[3], p[4]);
    for (int i = 0; i < 5; ++i)
        show(p[i]);
}

/* The host looks at the memory as soon as the memset returns. */
__attribute__((noinline)) static float look(float *to, float *device, int passes, bool looks) {
    float seen = 0;
    for (int i = 0; i < passes; ++i) {
        cudaMemset(to, 0, N * sizeof *to);
        seen += looks ? *to : 0;
        add<<<1, N>>>(to, device);
        sum<<<1, N>>>(to, device);
        cudaMemcpy(to + 1, device, sizeof *to, cudaMemcpyDeviceToDevice);
        add<<<1, N>>>(to, device);
    }
    return seen;
}

static void kinds() {
    float *device = allocate(), *memory[3];
    cudaMallocManaged(&memory[0], N * sizeof(float));
    cudaMallocHost(&memory[1], N * sizeof(float));
    memory[2] = allocate();
    for (int k = 0; k < 9; ++k) {
        float seen = look(memory[k % 3], device, 40 + k, k % 3 < 2);
        cudaDeviceSynchronize();
        printf("%g ", seen);
        show(memory[k % 3]);
    }
}

KESCO_PRIORITY(5) __global__ void hurry(float *to) { to[threadIdx.x] += 2; }

static void urgent() {
    float *slow = allocate(), *fast = allocate(), *by = allocate();
    for (int i = 0; i < 60; ++i) {
        add<<<1, N>>>(slow, by);
        hurry<<<1, N>>>(fast);
        add<<<1, N>>>(slow, by);
        hurry<<<1, N>>>(fast);
    }
    show(slow);
    show(fast);
}

/* Nothing to do, beyond the end, and nowhere, at times. */
static void refused() {
    float *a = allocate(), *b = allocate();
    for (int i = 0; i < 300; ++i) {
        int set = cudaMemset(i % 97 == 96 ? nullptr : a, 0, i % 70 == 69 ? 0 : i % 50 == 49 ? 8 * N : 4);
        sum<<<1, N>>>(b, a);
        int copied = cudaMemcpy(b, a, i % 60 == 59 ? 8 * N : 4, cudaMemcpyDeviceToDevice);
        add<<<1, N>>>(b, a);
        if (set || copied)
            printf("%d: %d %d %s\n", i, set, copied, cudaGetErrorName(cudaGetLastError()));
    }
    show(b);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    !strcmp(what, "changing") ? changing() : !strcmp(what, "wide") ? wide() : !strcmp(what, "kinds")    ? kinds()
    : !strcmp(what, "urgent") ? urgent()
    : !strcmp(what, "joined") ? joined()
                              : refused();
    return 0;
}
