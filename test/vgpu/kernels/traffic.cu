// RUN: %vgpu-clang++ -O0 %s -o %t.0
// RUN: %vgpu-clang++ -O2 %s -o %t.2
// RUN: sh -c 'for p in %t.0 %t.2; do sh %S/Inputs/compare_times.sh $p dense spread 2.5 || exit 1; done'
// RUN: sh %S/Inputs/compare_times.sh %t.2 one spread 2.5
// RUN: sh %S/Inputs/compare_times.sh %t.2 spread written 1.5
// RUN: env VGPU_CHECK=races sh %S/Inputs/compare_times.sh %t.2 dense dense 1
// RUN: sh %S/Inputs/compare_times.sh %t.2 single double 1.4
// RUN: sh %S/Inputs/compare_times.sh %t.2 double exp 4

// The virtual time of a kernel grows with the sectors of memory that it touches, and with what its arithmetic
// costs.
#include "check.h"

enum { THREADS = 1 << 18, BLOCK = 256, ROWS = 16, LAUNCHES = 2, TIMES = 5000 };

/* Each thread reads an element of every row. */
__global__ void read(float *memory, size_t stride) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; row < ROWS; row++)
        if (memory[(row * THREADS + i) * stride] == 1)
            memory[0] = 2;
}

__global__ void increment(float *memory, size_t stride) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; row < ROWS; row++)
        memory[(row * THREADS + i) * stride] += 1;
}

template <typename T>
__global__ void multiply(float *memory, T factor) {
    T value = factor;
    for (int i = 0; i < TIMES; i++)
        value = value * factor + factor;
    memory[threadIdx.x] = (float)value;
}

__global__ void exponentiate(float *memory, double factor) {
    double value = factor;
    for (int i = 0; i < TIMES; i++)
        value = exp(value) * factor;
    memory[threadIdx.x] = (float)value;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "dense";
    float *memory;
    CUDA(cudaMalloc(&memory, (size_t)ROWS * THREADS * 8 * sizeof(float)));
    for (int i = 0; i < LAUNCHES; i++) {
        if (strcmp(kind, "one") == 0)
            read<<<THREADS / BLOCK, BLOCK>>>(memory, 0);
        if (strcmp(kind, "dense") == 0)
            read<<<THREADS / BLOCK, BLOCK>>>(memory, 1);
        if (strcmp(kind, "spread") == 0)
            read<<<THREADS / BLOCK, BLOCK>>>(memory, 8);
        if (strcmp(kind, "written") == 0)
            increment<<<THREADS / BLOCK, BLOCK>>>(memory, 8);
    }
    if (strcmp(kind, "single") == 0)
        multiply<float><<<132 * 8, BLOCK>>>(memory, 1.5f);
    if (strcmp(kind, "double") == 0)
        multiply<double><<<132 * 8, BLOCK>>>(memory, 1.5);
    if (strcmp(kind, "exp") == 0)
        exponentiate<<<132 * 8, BLOCK>>>(memory, 0.5);
    CUDA(cudaDeviceSynchronize());
    return 0;
}
