// RUN: %vgpu-clang++ -O0 -std=c++17 -isystem $CUDA_PATH/include/cccl %s -o %t && %t
// RUN: %vgpu-clang++ -O2 -std=c++17 -isystem $CUDA_PATH/include/cccl %s -o %t && %t
// RUN: for s in 0 1 2 3; do env VGPU_SEED=$s VGPU_CHECK=races VGPU_STATS=%t.json %t || exit 1; done
// RUN: FileCheck %s < %t.json
// CHECK-DAG: "races": 0,
// CHECK-DAG: "cudaLaunchCooperativeKernel": 2
// Blocks that wait for each other run by turns, each with shared memory of its own: cooperative launches, and a
// barrier by hand. More blocks than fit are refused, and another launch has no barrier of its grid.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, BLOCKS = 24, N = THREADS * BLOCKS, STEPS = 3 };

/* Every step reads what another block wrote in the step before it, and what this block keeps. */
__global__ void steps(int *data, int *next) {
    extern __shared__ int kept[];
    __shared__ int fixed[THREADS];
    cg::grid_group grid = cg::this_grid();
    const int own = (int)grid.thread_rank(), other = (own + THREADS) % N;
    kept[threadIdx.x] = own;
    fixed[threadIdx.x] = blockIdx.x;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) {
        next[own] = data[other] + kept[THREADS - 1 - threadIdx.x] + fixed[threadIdx.x];
        grid.sync();
        data[own] = next[own];
        grid.sync();
    }
}

__global__ void ask(int *valid) {
    if (cg::this_grid().is_valid())
        atomicAdd(valid, 1);
}

/* The barrier of programs that launch no more blocks than fit. */
__global__ void by_hand(unsigned *arrived, int *out) {
    __shared__ int kept;
    if (threadIdx.x == 0)
        kept = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x)
            ;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = kept;
}

static void check_steps(void) {
    static int host[N], next[N];
    int *data = DEVICE_ZEROS(int, N), *room = DEVICE_ZEROS(int, N);
    void *args[] = {&data, &room};
    CUDA(cudaLaunchCooperativeKernel(steps, BLOCKS, THREADS, args, THREADS * sizeof(int), 0));
    for (int i = 0; i < STEPS; i++) {
        for (int own = 0; own < N; own++)
            next[own] = host[(own + THREADS) % N] + own / THREADS * THREADS + THREADS - 1 - own % THREADS + own / THREADS;
        memcpy(host, next, sizeof(host));
    }
    fetch(next, data, sizeof(next));
    CHECK(!memcmp(host, next, sizeof(host)));
}

static void check_limits(void) {
    int *valid = DEVICE_ZEROS(int, 1), got, can, each, processors;
    void *args[] = {&valid};
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    CHECK_EQUAL(can, 1);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, ask, 1024, 0));
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK_EQUAL(cudaLaunchCooperativeKernel(ask, each * processors + 1, 1024, args, 0, 0),
                cudaErrorCooperativeLaunchTooLarge);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    ask<<<1, 1>>>(valid);
    fetch(&got, valid, sizeof(got));
    CHECK_EQUAL(got, 0);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 8;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, ask, valid));
    fetch(&got, valid, sizeof(got));
    CHECK_EQUAL(got, 16);
}

int main(void) {
    check_steps();
    check_limits();
    unsigned *arrived = DEVICE_ZEROS(unsigned, 1);
    int *out = DEVICE_ZEROS(int, N), got[N];
    by_hand<<<BLOCKS, THREADS>>>(arrived, out);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < N; i++)
        CHECK_EQUAL(got[i], i / THREADS);
    return 0;
}
