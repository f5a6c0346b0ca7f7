// RUN: %vgpu-clang++ -O0 %s -o %t.0
// RUN: %vgpu-clang++ -O2 %s -o %t.2
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t.0 && FileCheck --check-prefix=NONE %s < %t.json
// RUN: python3 %S/Inputs/put_summaries.py %t.0 %t.0s %s && chmod +x %t.0s
// RUN: python3 %S/Inputs/put_summaries.py %t.2 %t.2s %s && chmod +x %t.2s
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t.0s && FileCheck %s < %t.json
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t.2s && FileCheck %s < %t.json
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "P 0 8 r two.from" "" "kernel two, launched at" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "P 0 0 w two.to" "P 0 0 r" "writes bytes 4 to 7 of the allocation" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "P 1 16 w three.to" "P 1 0 w" "writes bytes 4 to 7" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "P 0 24 r array.from[1]" "" "kernel array, launched at" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "V total rw" "" "bytes 0 to 3 of the variable total" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "V total rw" "V total r" "writes bytes 0 to 3 of the variable total" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "C weights r" "" "reads bytes 8 to 11 of the variable weights" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "P 0 0 rw atomic.counter" "P 0 0 w" "reads bytes 0 to 3" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "A rw - rows" "A r - rows" "kernel rows, launched at" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "F p" "" "kernel says, launched at" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "K idle" "K idles" "kernel idle has no summary" || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/summary_lie.sh $p %s "K idle" "k idle" "that is unfit" || exit 1; done'
// The access summaries in an image are kept, are no variable of the program, and hold what kernels do: where that is
// more than they say, VGPU_CHECK=races reports it. Below are right ones; the lines above make each of them a lie.
#include "check.h"
#include <assert.h>

extern "C" __device__ __attribute__((used)) unsigned char __kesco1_summary_test[1024] = "PLACE FOR SUMMARIES";

struct Two {
    int *to;
    const int *from;
};
struct Three {
    int place;
    const int *from;
    int *to;
};
struct Array {
    int *to[2];
    const int *from[2];
};

__device__ int total;
__constant__ int weights[4];
__device__ static const int table[4] = {4, 3, 2, 1};

// SUMMARY: K two
// SUMMARY: P 0 0 w two.to
// SUMMARY: P 0 8 r two.from
extern "C" __global__ void two(struct Two t) {
    t.to[1] = t.from[2];
}

// SUMMARY: K three
// SUMMARY: P 1 8 r three.from
// SUMMARY: P 1 16 w three.to
extern "C" __global__ void three(int place, struct Three t) {
    t.to += t.place;
    t.to[0] = t.from[place] + table[place & 3];
}

// SUMMARY: K array
// SUMMARY: P 0 0 w array.to[0]
// SUMMARY: P 0 8 w array.to[1]
// SUMMARY: P 0 16 r array.from[0]
// SUMMARY: P 0 24 r array.from[1]
extern "C" __global__ void array(struct Array a) {
    for (int i = 0; i < 2; i++)
        a.to[i][0] = a.from[i][0];
}

__device__ __noinline__ void count(int by) {
    total += by;
}

// SUMMARY: K variables
// SUMMARY: V total rw
// SUMMARY: C weights r
extern "C" __global__ void variables(int which) {
    count(weights[which]);
}

// SUMMARY: K atomic
// SUMMARY: P 0 0 rw atomic.counter
extern "C" __global__ void atomic(int *counter) {
    atomicAdd(counter, 1);
}

// SUMMARY: K rows
// SUMMARY: P 0 0 r
// SUMMARY: A rw - rows
extern "C" __global__ void rows(int **all) {
    all[0][0] += 1;
}

// SUMMARY: K says
// SUMMARY: F p
extern "C" __global__ void says(int number) {
    printf("%d\n", number);
}

// SUMMARY: K idle
extern "C" __global__ void idle(void) {
    __shared__ int shared[32];
    int local[4] = {0};
    shared[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    local[threadIdx.x & 3] = shared[31 - threadIdx.x];
    assert(local[threadIdx.x & 3] >= 0);
}

int main(void) {
    int *memory[4], **list;
    void *address;
    for (int i = 0; i < 4; i++)
        memory[i] = DEVICE_ZEROS(int, 16);
    CUDA(cudaMallocManaged(&list, sizeof(*list)));
    list[0] = memory[3];
    two<<<1, 1>>>(Two{memory[0], memory[1]});
    three<<<1, 1>>>(2, Three{1, memory[1], memory[2]});
    array<<<1, 1>>>(Array{{memory[0], memory[1]}, {memory[2], memory[3]}});
    variables<<<1, 1>>>(2);
    atomic<<<1, 1>>>(memory[3]);
    rows<<<1, 1>>>(list);
    says<<<1, 1>>>(3);
    idle<<<1, 32>>>();
    CUDA(cudaDeviceSynchronize());
    CHECK(cudaGetSymbolAddress(&address, __kesco1_summary_test) != cudaSuccess);
    return 0;
}
// NONE: "summaries_checked": 0,
// NONE-NEXT: "summary_violations": 0,
// CHECK: "summaries_checked": 8,
// CHECK-NEXT: "summary_violations": 0,
