// When regions have lanes: as soon as they are worth what they cost, or as KESCO_MODE says. No mode changes a result, and
// none is slower than the serial program where it need not be.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for what in short long copies; do sh %S/Inputs/modes.sh %t/serial %t/kesco $what >%t/$what.times || exit 1; done
// RUN: FileCheck %s --input-file=%t/short.times --check-prefix=SHORT
// RUN: FileCheck %s --input-file=%t/long.times --check-prefix=LONG
// RUN: FileCheck %s --input-file=%t/copies.times --check-prefix=COPIES
// SHORT: auto: as {{serial|neither, less}}
// SHORT: serial: as serial
// LONG: auto: as lanes
// LONG: serial: as serial
// COPIES: auto: as serial
// COPIES: serial: as serial

// The region begins serially and gets lanes before an op, which its statistics count as a region with lanes.
// RUN: env VGPU_TIME=1 KESCO_MODE=auto KESCO_LOG=1 KESCO_STATS=1 %t/kesco long 2>&1 | FileCheck %s --check-prefix=LOG
// LOG: kesco: region of 2 lanes runs serially: lanes would cost more than they have saved so far (run({{.*}}modes.cu:[[#]])
// LOG-NEXT: kesco: a region gets 2 lanes, 0 events (run({{.*}}modes.cu:[[#]])
// LOG: kesco: region begins: 2 lanes
// LOG: kesco: {{ *}}20 {{ *}}80 {{ *}}2/2 {{ *}}0 {{ *}}0 run(

// RUN: env KESCO_MODE=fast %t/kesco short 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: kesco: KESCO_MODE='fast' is ignored: allowed are auto, serial, lanes and graph

// The compiler's option says the same; the variable goes before it.
// RUN: %vgpu-kesco -O2 %s -o %t/kesco -fplugin-arg-kesco-mode=serial
// RUN: env -u KESCO_MODE KESCO_LOG=1 %t/kesco long 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: env KESCO_MODE=lanes KESCO_LOG=1 %t/kesco long 2>&1 | FileCheck %s --check-prefix=VARIABLE
// OPTION: kesco: region of 2 lanes runs serially: the mode is serial
// VARIABLE: kesco: region begins: 2 lanes

#include <cstdio>
#include <cstring>

enum { N = 8, PASSES = 20 };

__global__ void mix(int *values) {
    int value = values[threadIdx.x];
    for (int i = 0; i < 400000; i++)
        value = value * 3 + i;
    values[threadIdx.x] = value;
}

__global__ void increment(int *values) { values[threadIdx.x]++; }

static void run(int *a, int *b, bool is_long) {
    if (is_long) {
        mix<<<1, N>>>(a);
        mix<<<1, N>>>(b);
        mix<<<1, N>>>(a);
        mix<<<1, N>>>(b);
    } else {
        increment<<<1, N>>>(a);
        increment<<<1, N>>>(b);
        increment<<<1, N>>>(a);
        increment<<<1, N>>>(b);
    }
}

// The serial program's own copies stay where there are no lanes.
static void run_with_copies(int *a, int *b, int *host) {
    increment<<<1, N>>>(a);
    increment<<<1, N>>>(b);
    cudaMemcpy(host, a, 4, cudaMemcpyDeviceToHost);
    increment<<<1, N>>>(a);
    cudaMemcpy(host + 1, b, 4, cudaMemcpyDeviceToHost);
}

int main(int, char **argv) {
    int *a, *b, host[2] = {0, 0};
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(b, 0, N * sizeof *b);
    for (int i = 0; i < PASSES; i++)
        if (strcmp(argv[1], "copies") == 0)
            run_with_copies(a, b, host);
        else
            run(a, b, strcmp(argv[1], "long") == 0);
    printf("%d %d\n", host[0], host[1]);
    for (int *from : {a, b}) {
        cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost);
        printf("%d %d\n", host[0], host[1]);
    }
    return cudaGetLastError() != cudaSuccess;
}
