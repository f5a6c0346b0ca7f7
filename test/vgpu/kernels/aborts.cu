// RUN: %vgpu-clang++ -O0 %s -o %t
// RUN: %t 0
// RUN: sh -c '%t 1 2>%t.err' && FileCheck --check-prefix=ASSERT %s < %t.err
// RUN: sh -c '%t 2 2>%t.err' && FileCheck --check-prefix=TRAP %s < %t.err
// RUN: sh -c '%t 3 2>%t.err' && FileCheck --check-prefix=MEETING %s < %t.err
// RUN: sh -c '%t 4 2>%t.err' && FileCheck --check-prefix=DEADLOCK %s < %t.err
// RUN: sh -c '%t 5 2>%t.err' && FileCheck --check-prefix=MASK %s < %t.err
// RUN: sh -c '%t 6 2>%t.err' && FileCheck --check-prefix=WARP %s < %t.err
// RUN: sh -c '%t 7 2>%t.err' && FileCheck --check-prefix=NOWHERE %s < %t.err
// A failing assert, a trap, a barrier or warp function that can never be met: a message, and an error that the
// host sees at the next synchronisation.
#include "check.h"
#include <assert.h>

// ASSERT: aborts.cu:{{[0-9]+}}: {{.*}}asserts{{.*}}block: [1,0,0], thread: [2,0,0] Assertion `i != 6` failed.
__global__ void asserts(int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i != 6);
    out[i] = i;
}

// TRAP: kernel {{.*}}traps{{.*}}, block (0,0,0), thread (3,0,0): trap
__global__ void traps(int *out) {
    if (threadIdx.x == 3)
        __trap();
    out[threadIdx.x] = 1;
}

// MEETING: kernel {{.*}}traps_beside_barrier{{.*}}thread (3,0,0): trap
__global__ void traps_beside_barrier(int *out) {
    if (threadIdx.x == 3)
        __trap();
    __syncthreads();
    out[threadIdx.x] = 1;
}

// DEADLOCK: kernel {{.*}}never_met{{.*}}, block (1,0,0): deadlock: barrier 0 can never be met, 4 of 8 threads are there
__global__ void never_met(int *out) {
    if (blockIdx.x == 1 && threadIdx.x < 4)
        __syncthreads();
    else if (blockIdx.x == 1)
        __barrier_sync(1);
    out[threadIdx.x] = 1;
}

// MASK: kernel {{.*}}wrong_mask{{.*}} lane 1 calls it, but the mask 0x00000001 does not name that lane
__global__ void wrong_mask(int *out) {
    out[threadIdx.x] = __shfl_sync(1u, 1, 0);
}

// WARP: deadlock: barrier 0 can never be met{{.*}} 1 threads wait in warp functions (thread 0 in __ballot_sync, mask 0x00000003)
__global__ void half_a_vote(int *out) {
    if (threadIdx.x == 0)
        out[0] = __ballot_sync(3u, 1);
    else
        __syncthreads();
}

// NOWHERE: vgpu: {{.*}}touches_nothing{{.*}} touches 0x10, where no memory is
__global__ void touches_nothing(long address) {
    *(volatile int *)address = 1;
}

int main(int argc, char **argv) {
    int *out = DEVICE_ZEROS(int, 64);
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    if (which == 1)
        asserts<<<2, 4>>>(out);
    if (which == 2)
        traps<<<1, 8>>>(out);
    if (which == 3)
        traps_beside_barrier<<<1, 8>>>(out);
    if (which == 4)
        never_met<<<2, 8>>>(out);
    if (which == 5)
        wrong_mask<<<1, 2>>>(out);
    if (which == 6)
        half_a_vote<<<1, 2>>>(out);
    if (which == 7)
        touches_nothing<<<1, 1>>>(16);
    const cudaError_t error = cudaDeviceSynchronize();
    CHECK(error == (which == 0   ? cudaSuccess
                    : which == 1 ? cudaErrorAssert
                    : which == 7 ? cudaErrorIllegalAddress
                                 : cudaErrorLaunchFailure));
    // It is the answer of every later call.
    CHECK(cudaFree(out) == error);
    return 0;
}
