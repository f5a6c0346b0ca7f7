// Steps of short kernels, some of which need not wait for each other: a graph with branches would be too dear for as few as the
// loop says are to come, and is made as a chain. Of more steps it has its branches, and of few none is made.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 200 || exit 1; done
// RUN: for steps in 10 200 1000; do \
// RUN:   VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t.serial $steps && \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t.kesco $steps || exit 1; \
// RUN: done | awk 'NR % 2 { serial = $1; next } { bad += $1 > (NR == 2 ? 1.01 : NR == 4 ? 0.75 : 0.55) * serial } \
// RUN:   END { exit bad > 0 || NR < 6 }'
//
// The branches of the ones, and not of the others.
// RUN: for steps in 200 1000; do KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.$steps.json %t.kesco $steps; done
// RUN: cat %t.200.json %t.1000.json | FileCheck %s
// CHECK: "ordered_chain": 1400,
// CHECK: "ordered_chain": {{[3-6][0-9][0-9][0-9]}},

#include <cstdio>
#include <cstdlib>

enum { SIZE = 256 };

__global__ void relax(float *values, int step) {
    values[threadIdx.x] = values[threadIdx.x] * 0.75f + (step + threadIdx.x) % 3;
}

__global__ void add(float *values, const float *others) { values[threadIdx.x] += 0.25f * others[threadIdx.x]; }

int main(int, char **argv) {
    const int steps = atoi(argv[1]);
    float *fields[4], values[SIZE], total = 0;
    for (int i = 0; i < 4; i++) {
        cudaMalloc(&fields[i], sizeof values);
        cudaMemset(fields[i], 0, sizeof values);
    }
    for (int step = 0; step < steps; step++) {
        relax<<<1, SIZE>>>(fields[0], step);
        relax<<<1, SIZE>>>(fields[1], step + 1);
        relax<<<1, SIZE>>>(fields[2], step + 2);
        relax<<<1, SIZE>>>(fields[3], step);
        add<<<1, SIZE>>>(fields[0], fields[1]);
        add<<<1, SIZE>>>(fields[2], fields[3]);
        add<<<1, SIZE>>>(fields[0], fields[2]);
    }
    cudaMemcpy(values, fields[0], sizeof values, cudaMemcpyDeviceToHost);
    for (float value : values)
        total += value;
    printf("%a\n", total);
    return 0;
}
