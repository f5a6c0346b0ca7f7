// How often the kernels' loops go round is an argument, which says how long a launch takes: a program that runs once, for
// a millisecond or so, gets lanes where kernels are long, and pays nothing where they are short.
// RUN: rm -rf %t && mkdir %t
// RUN: for level in 0 2; do \
// RUN:   %vgpu -O$level %s -o %t/serial && %vgpu-kesco -O$level %s -o %t/kesco || exit 1; \
// RUN:   for rounds in 1000 2; do \
// RUN:     env VGPU_STATS=%t/0.json VGPU_TIME=1 %t/serial $rounds >%t/expected || exit 1; \
// RUN:     env KESCO_MODE=auto VGPU_STATS=%t/1.json VGPU_TIME=1 %t/kesco $rounds | diff %t/expected - || exit 1; \
// RUN:     for seed in 1 2; do env KESCO_MODE=auto VGPU_TIME=1 VGPU_CHECK=races VGPU_SEED=$seed %t/kesco $rounds | diff %t/expected - || exit 1; done; \
// RUN:     sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json | \
// RUN:       awk -v rounds=$rounds '{ at[NR] = $1 } END { print rounds, at[1] / at[2]; exit at[2] > (rounds > 2 ? 0.5 : 1.01) * at[1] }' || exit 1; \
// RUN:   done; \
// RUN: done

#include <cstdio>
#include <cstdlib>

enum { N = 1024, BUFFERS = 4, PASSES = 20 };

struct Shape {
    int rows, columns;
};

__global__ void mix(int *values, Shape shape, int add) {
    int value = values[threadIdx.x];
    for (int i = 0; i < shape.rows; i++)
        for (int j = 0; j < shape.columns; j++)
            value = value * 3 + j + add;
    values[threadIdx.x] = value;
}

struct Solver {
    int *buffers[BUFFERS];
    Shape shape;

    void step(int add) {
        for (int i = 0; i < BUFFERS; i++)
            mix<<<1, N>>>(buffers[i], shape, add);
    }
};

int main(int argc, char **argv) {
    Solver solver;
    int sum = 0;

    solver.shape = {argc > 1 ? atoi(argv[1]) : 1, 2};
    for (int i = 0; i < BUFFERS; i++) {
        cudaMalloc(&solver.buffers[i], N * sizeof(int));
        cudaMemset(solver.buffers[i], i, N * sizeof(int));
    }
    for (int pass = 0; pass < PASSES; pass++)
        solver.step(pass);
    for (int i = 0; i < BUFFERS; i++) {
        int value;
        cudaMemcpy(&value, solver.buffers[i] + i, sizeof value, cudaMemcpyDeviceToHost);
        sum = sum * 7 + value;
    }
    printf("%d\n", sum);
    return cudaDeviceSynchronize() != cudaSuccess;
}
