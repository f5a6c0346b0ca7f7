// Kernels that each write a part of one array of their own: which bytes that is, only the run knows, as the grid is one of its
// numbers. The region goes through calls of another file, and its loop says that it comes often: a pass of it is placed before
// it is replayed as the chain that the compiler takes it for.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -Dis_other -c -o %t/o0.o && %vgpu -O2 %s -c -o %t/m0.o && %vgpu %t/o0.o %t/m0.o -o %t/serial
// RUN: %vgpu-kesco -O2 %s -Dis_other -c -o %t/o1.o && %vgpu-kesco -O2 %s -c -o %t/m1.o && %vgpu-kesco %t/o1.o %t/m1.o -o %t/kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco 6 4 10 || exit 1; done
// RUN: for how in "100 4 4000" "40 4 10"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $5 > ($3 > 10 ? 0.5 : 1.01) * $4 } END { exit bad > 0 || NR < 2 }'

int option(const char *text);

#ifdef is_other
#include <cstdlib>

__global__ void clear(float *to) {
    to[threadIdx.x] = 0;
}
int option(const char *text) {
    static float *own;
    if (own == nullptr)
        cudaMalloc(&own, 128);
    clear<<<1, 32>>>(own);
    return atoi(text);
}
#else
#include <cstdio>
#include <cstdlib>

#define AT(part) values[(part) * (blockDim.x * gridDim.x) + blockIdx.x * blockDim.x + threadIdx.x]

template <int Part>
__global__ void change(float *values, int rounds) {
    float value = AT(2 * Part) + AT(2 * Part + 1);
    for (int i = 0; i < rounds; i++)
        value = value * 0.999f + Part;
    AT(2 * Part) = value;
    AT(2 * Part + 1) += 1;
}

int main(int argc, char **argv) {
    const int blocks = option(argv[2]), rounds = option(argv[3]);
    const size_t count = (size_t)blocks * 32 * 8, bytes = count * sizeof(float);
    float *values, *host = (float *)malloc(bytes), sum = 0;
    cudaMalloc(&values, bytes);
    cudaMemset(values, 0, bytes);
    const int passes = option(argv[1]);
    for (int i = 0; i < passes; i++) {
        change<0><<<blocks, 32>>>(values, rounds);
        change<1><<<blocks, 32>>>(values, rounds);
        change<2><<<blocks, 32>>>(values, rounds);
        change<3><<<blocks, 32>>>(values, rounds);
    }
    const int again = option("1");
    cudaMemcpy(host, values, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++)
        sum += host[i];
    return printf("%d %d %g\n", argc, again, sum) < 0;
}
#endif
