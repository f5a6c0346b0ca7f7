// Kernels that each write a part of one array, by the grid, which only the run knows: they overlap where the run sees that the
// parts are apart. Short ones are replayed as a chain, until branches pay. Where parts meet, the run places them.
// RUN: for how in "" -Dmeets -Dis_short; do %vgpu -O2 %s $how -o %t.serial && %vgpu-kesco -O2 %s $how -Rpass=kesco -o %t.kesco 2>%t.said$how || exit 1; \
// RUN:   for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco 6 4 || exit 1; done; done
// RUN: FileCheck %s --input-file=%t.said && FileCheck %s --check-prefix=MEETS --input-file=%t.said-Dmeets
// CHECK: 4 kernels and 1 other op run on 4 lanes with {{[0-9]}} waits, serially where pointers lead to the same memory
// MEETS: ops get their lanes when the program issues them
// RUN: for how in "-Dis_long 400 0.45" "-Dis_short 60 0.8" "-Dis_short 400 0.45"; do set -- $how; \
// RUN:   %vgpu -O2 %s $1 -o %t.serial && %vgpu-kesco -O2 %s $1 -o %t.kesco || exit 1; \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $2 4 >%t.expected; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $2 4 | diff %t.expected - || exit 1; \
// RUN:   echo $3 `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json` | awk '{ exit $3 > $1 * $2 }' || exit 1; done

#include <cstdio>
#include <cstdlib>

#ifdef is_short
enum { ROUNDS = 4 };
#else
enum { ROUNDS = 500 };
#endif
#ifdef meets
enum { WIDTH = 3 };
#else
enum { WIDTH = 2 };
#endif

#define AT(slot) values[(slot) * (blockDim.x * gridDim.x) + blockIdx.x * blockDim.x + threadIdx.x]

template <int Part>
__global__ void change(float *values) {
    float value = AT(2 * Part) + AT(2 * Part + 1);
    for (int i = 0; i < ROUNDS; i++)
        value = value * 0.999f + Part;
    for (int i = 0; i < WIDTH; i++)
        AT(2 * Part + i) = value + i;
}

int main(int argc, char **argv) {
    const int passes = atoi(argv[1]), blocks = atoi(argv[2]);
    const size_t count = (size_t)blocks * 64 * 9, bytes = count * sizeof(float);
    float *values, *host = (float *)malloc(bytes), sum = 0;
    cudaMalloc(&values, bytes);
    cudaMemset(values, 0, bytes);
    for (int i = 0; i < passes; i++) {
        change<0><<<blocks, 64>>>(values);
        change<1><<<blocks, 64>>>(values);
        change<2><<<blocks, 64>>>(values);
        change<3><<<blocks, 64>>>(values);
    }
    cudaMemcpy(host, values, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++)
        sum += host[i] * (i % 7);
    return printf("%d %g\n", argc, sum) < 0;
}
