// RUN: %vgpu-clang++ -O0 %s -o %t && %t 0
// RUN: sh -c '%t 1 2>%t.err; test $? = 65' && FileCheck %s < %t.err
// RUN: %vgpu-clang++ -O2 %s -o %t && %t 0
// RUN: sh -c '%t 1 2>%t.err; test $? = 65' && FileCheck %s < %t.err
// A thread may wait for another one of its block by reading memory. To wait for another block is not modelled, as
// blocks run one after another, and ends the program instead of hanging.
#include "check.h"

// CHECK: a thread that waits{{.*}} is not modelled: {{.*}}grid_barrier

/* Each warp waits for the one behind it; the last one opens the chain. */
__global__ void chain(int *out) {
    __shared__ volatile int turn;
    __shared__ int locked;
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) {
        turn = warps - 1;
        locked = 0;
    }
    __syncthreads();
    while (turn != warp)
        ;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&locked, 0, 1) != 0)
            ;
        out[warp] = warps - warp;
        atomicExch(&locked, 0);
        turn = warp - 1;
    }
}

__global__ void grid_barrier(unsigned *arrived) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x)
        ;
}

int main(int argc, char **argv) {
    int *out = DEVICE_ZEROS(int, 8), got[8];
    if (argc > 1 && atoi(argv[1])) {
        grid_barrier<<<2, 1>>>((unsigned *)out);
        CUDA(cudaDeviceSynchronize());
    }
    chain<<<1, 256>>>(out);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(got[i], 8 - i);
    return 0;
}
