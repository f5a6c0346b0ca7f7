// A function with a region of its own, in another source file, which a loop calls that says how often it goes round: the program
// may end right behind that. Neither graphs nor lanes come too late to pay, and where many calls are to come, they come soon.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -DSTEPS -c -o %t/steps.serial.o && %vgpu -O2 %s -c -o %t/main.serial.o
// RUN: %vgpu-kesco -O2 %s -DSTEPS -c -o %t/steps.o && %vgpu-kesco -O2 %s -c -o %t/main.o
// RUN: %vgpu %t/main.serial.o %t/steps.serial.o -o %t/serial && %vgpu %t/main.o %t/steps.o -o %t/kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco 70 10 || exit 1; done
// RUN: for how in "6 10" "6 50" "20 10" "40 10" "60 10" "80 10" "200 10" "600 10"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $4 > (NR <= 3 ? 1.02 : NR == 4 ? 0.8 : 0.6) * $3 } END { exit bad > 0 || NR < 8 }'

#include <cstdio>
#include <cstdlib>

enum { COUNT = 64 };

void relax(float *a, float *b, float *c, int passes);

#ifdef STEPS

__global__ void damp(float *to, float by) {
    to[threadIdx.x] = to[threadIdx.x] * by + 0.5f;
}
__global__ void add(float *to, const float *a, const float *b) {
    to[threadIdx.x] = to[threadIdx.x] * 0.5f + a[threadIdx.x] - b[threadIdx.x];
}

void relax(float *a, float *b, float *c, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        damp<<<1, COUNT>>>(a, 0.5f);
        damp<<<1, COUNT>>>(b, 0.25f);
        add<<<1, COUNT>>>(c, a, b);
        damp<<<1, COUNT>>>(c, 0.125f);
    }
}

#else

// How often the function is called, and how long its own loop is.
int main(int argc, char **argv) {
    const int calls = atoi(argv[1]), passes = atoi(argv[2]);
    float *buffers[3], result[COUNT], sum = 0;
    for (float *&each : buffers) {
        cudaMalloc(&each, sizeof result);
        cudaMemset(each, 0, sizeof result);
    }
    for (int call = 0; call < calls; call++)
        relax(buffers[0], buffers[1], buffers[2], passes);
    for (float *each : buffers) {
        cudaMemcpy(result, each, sizeof result, cudaMemcpyDeviceToHost);
        for (float value : result)
            sum += value;
    }
    printf("%a\n", sum);
    return cudaGetLastError();
}

#endif
