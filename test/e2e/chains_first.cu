// Loops of short kernels on lanes: a graph that is a chain pays soon, one with branches late, and more. Chains come first; branches
// where the loop says that there is enough to come, or once chains have saved some times what they cost.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph; do for how in "told 40" "untold 120"; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $how || exit 1; done; done
// RUN: for how in "told 50 0.8" "told 200 0.5" "told 4000 0.34" "untold 150 0.75" "untold 400 0.6" "untold 3000 0.42"; do set -- $how; \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $1 $2 >%t.expected && KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $1 $2 | diff %t.expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json`; \
// RUN: done | tee %t.times | awk '{ bad += $5 > $3 * $4 } END { exit bad > 0 || NR < 6 }'

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 4000, BLOCKS = (N + 255) / 256 };

__global__ void halve(float *values, float added) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        values[i] = values[i] * 0.5f + added;
}

__global__ void add(float *to, const float *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        to[i] += from[i];
}

static void step(float *x, float *y) {
    halve<<<BLOCKS, 256>>>(x, 1);
    halve<<<BLOCKS, 256>>>(y, 2);
    halve<<<BLOCKS, 256>>>(y, 3);
    add<<<BLOCKS, 256>>>(x, y);
}

int main(int, char **argv) {
    const int steps = atoi(argv[2]);
    float *x, *y, first = 0;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&y, N * sizeof *y);
    cudaMemset(x, 0, N * sizeof *x);
    cudaMemset(y, 0, N * sizeof *y);
    if (strcmp(argv[1], "told") == 0) {
        for (int i = 0; i < steps; i++)
            step(x, y);
    } else {
        for (int i = 0; i < steps && first < 1e30f; i++) {
            step(x, y);
            if (i % 50 == 49)
                cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
        }
    }
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
    return printf("%g\n", first) < 0;
}
