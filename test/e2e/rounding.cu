// Numbers that a loop with a constant number of passes computes for its launches: also where each pass has launches of its own,
// and its counter is a constant, products and sums are rounded as in the serial program, with and without instructions that do
// both at once.
// RUN: for options in -O0 -O1 -O2 -O3 '-O2 -mfma' '-O2 -ffp-contract=off' '-O2 -ffp-contract=fast'; do \
// RUN:   case "$options" in *mfma) grep -q ' fma ' /proc/cpuinfo || continue ;; esac; \
// RUN:   %vgpu $options %s -o %t.serial && %vgpu-kesco $options %s -o %t.kesco && sh %compare 2 %t.serial %t.kesco || exit 1; \
// RUN: done

#include <cstdio>

enum { LENGTH = 32, PASSES = 16 };

__global__ void scale(double *values, double by, float more) { values[threadIdx.x] = values[threadIdx.x] * by + more; }

int main() {
    double *a, *b, values[LENGTH];

    cudaMalloc(&a, sizeof values);
    cudaMalloc(&b, sizeof values);
    cudaMemset(a, 1, sizeof values);
    cudaMemset(b, 2, sizeof values);
    for (int i = 0; i < PASSES; i++) {
        const double by = 0.9 - i * 0.01;
        const float more = 0.1f * i + 0.3f;
        scale<<<1, LENGTH>>>(a, by, more);
        scale<<<1, LENGTH>>>(b, by * 0.7 + i, more * i - 0.2f);
        printf("%a %a\n", by, more);
    }
    for (double *each : {a, b}) {
        cudaMemcpy(values, each, sizeof values, cudaMemcpyDeviceToHost);
        printf("%a\n", values[3]);
    }
    return 0;
}
