// Functions that launch kernels of another source file between copies and memsets of their own: objects that have nothing in
// common overlap, as where all is in one file, and no program gets slower.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do \
// RUN:   for part in KERNELS NETS MAIN; do \
// RUN:     %vgpu -O$o %s -D$part -c -o %t/$part.serial.o && %vgpu-kesco -O$o %s -D$part -c -o %t/$part.o || exit 1; \
// RUN:   done; \
// RUN:   %vgpu %t/KERNELS.serial.o %t/NETS.serial.o %t/MAIN.serial.o -o %t/serial && \
// RUN:   %vgpu %t/KERNELS.o %t/NETS.o %t/MAIN.o -o %t/kesco && \
// RUN:   %vgpu %t/KERNELS.serial.o %t/NETS.o %t/MAIN.o -o %t/alone || exit 1; \
// RUN:   for how in apart chain; do \
// RUN:     for mode in lanes auto turns graph; do KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco $how 20 || exit 1; done; \
// RUN:     sh %compare 2 %t/serial %t/alone $how 20 || exit 1; \
// RUN:     env VGPU_STATS=%t/$how.json %t/kesco $how 20 >/dev/null || exit 1; \
// RUN:     echo $o $how `sed -n 's/.*"ordered_chain": \([0-9]*\),/\1/p' %t/$how.json`; \
// RUN:   done; \
// RUN: done >%t/chains && FileCheck %s --input-file=%t/chains
// CHECK: 0 apart 40
// CHECK-NEXT: 0 chain 43
// CHECK-NEXT: 2 apart 40
// CHECK-NEXT: 2 chain 43

// RUN: for how in "apart 50" "chain 50" "apart 400"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $4 > (NR == 3 ? 0.9 : 1.02) * $3 } END { exit bad > 0 || NR < 3 }'
// RUN: for mode in lanes auto graph; do KESCO_MODE=$mode STATUS=3 sh %compare 1 %t/serial %t/kesco fails 20 || exit 1; done

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 4096 };

#ifdef KERNELS
__global__ void work(float *out, const float *in, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i] + out[i];
    for (int k = 0; k < rounds; k++)
        value = value * 0.99f + 0.01f;
    out[i] = value;
}
#else
static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        exit(3);
    }
}

struct Net {
    float *seen, *hidden, *out;
    Net();
    void forward(const float *in);
};
#endif

#ifdef NETS
__global__ void work(float *out, const float *in, int rounds);

Net::Net() {
    for (float **buffer : {&seen, &hidden, &out}) {
        check(cudaMalloc(buffer, COUNT * sizeof(float)));
        check(cudaMemset(*buffer, 0, COUNT * sizeof(float)));
    }
}
void Net::forward(const float *in) {
    check(cudaMemcpy(seen, in, COUNT * sizeof(float), cudaMemcpyDeviceToDevice));
    work<<<COUNT / 256, 256>>>(hidden, in, 200);
    check(cudaMemset(seen, 0, 64));
    work<<<COUNT / 256, 256>>>(out, hidden, 200);
}
#endif

#ifdef MAIN

static float first_of(const float *values, int at) {
    float value;
    check(cudaMemcpy(&value, values + at, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main(int argc, char **argv) {
    const bool is_chain = argc > 1 && strcmp(argv[1], "chain") == 0, fails = argc > 1 && strcmp(argv[1], "fails") == 0;
    float *in[2];
    for (float *&values : in) {
        check(cudaMalloc(&values, COUNT * sizeof *values));
        check(cudaMemset(values, 0, COUNT * sizeof *values));
    }
    Net a, b;
    for (int i = 0; i < atoi(argv[2]); i++) {
        a.forward(in[0]);
        if (fails && i == 7)
            b.hidden = nullptr;
        b.forward(is_chain ? a.out : in[1]);
    }
    for (const Net *net : {&a, &b})
        printf("%g %g %g\n", first_of(net->seen, 99), first_of(net->hidden, 5), first_of(net->out, 7));
}
#endif
