// RUN: %vgpu-clang++ -O0 %s -o %t.0
// RUN: %vgpu-clang++ -O2 %s -o %t.2
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/compare_times.sh $p "1 1" "1 2000000" 100 || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/compare_times.sh $p "1 2000000" "2 1000000" 0.9 || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/compare_times.sh $p "1 100000" "2 100000" 1.8 || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/compare_times.sh $p "1 100000" "3 100000" 1.8 || exit 1; done'
// RUN: sh -c 'for p in %t.0 %t.2; do VGPU_CHECK=races sh %S/Inputs/compare_times.sh $p "4 3000" "4 3000" 1 || exit 1; done'
// The virtual time of a kernel grows with the instructions that its threads run: in loops, in functions that it
// calls, and by threads that end early.
#include "check.h"

__device__ __noinline__ unsigned turn(unsigned value, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        value = value * 1664525u + (value >> 7);
    return value;
}

__global__ void once(unsigned *result, unsigned times) {
    *result = turn(threadIdx.x, times);
}

__global__ void twice(unsigned *result, unsigned times) {
    *result = turn(turn(threadIdx.x, times), times);
}

__global__ void leave(unsigned *result, unsigned times) {
    for (unsigned i = 0; i < 2 * times; i++)
        *result = *result * 1664525u + (*result >> 7);
    asm volatile("exit;");
}

__global__ void meet(unsigned *result, unsigned times) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = turn(threadIdx.x, times);
    __syncthreads();
    result[threadIdx.x] = values[63 - threadIdx.x];
}

int main(int argc, char **argv) {
    const int kind = argc > 1 ? atoi(argv[1]) : 1;
    const unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    unsigned *result = DEVICE_ZEROS(unsigned, 64);
    if (kind == 1)
        once<<<1, 1>>>(result, times);
    if (kind == 2)
        twice<<<1, 1>>>(result, times);
    if (kind == 3)
        leave<<<1, 1>>>(result, times);
    if (kind == 4)
        meet<<<1, 64>>>(result, times);
    CUDA(cudaDeviceSynchronize());
    return 0;
}
