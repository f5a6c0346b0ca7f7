// Small managed memory that stays on the device while a function that launches is called time and again, and waited for each
// time: fetching it is found to be of no use, though the launches may be replayed. Where the host writes there in between,
// fetching goes on.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for how in kept written; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how 1024 1 >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how 1024 1 | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $3 > ($1 == "kept" ? 1.03 : 0.85) * $2 } END { exit bad > 0 || NR < 2 }'
// RUN: KESCO_MODE=auto sh %compare 2 %t/serial %t/kesco written 1024 1

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { BUFFERS = 3, PASSES = 300 };

__global__ void add(float *to, const float *from, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) to[i] += from[i] * 0.5f;
}
__global__ void shrink(float *values, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) values[i] *= 0.9f;
}

__attribute__((noinline)) static void step(float *a, float *b, float *c, int length) {
    const int blocks = (length + 127) / 128;
    add<<<blocks, 128>>>(a, b, length);
    shrink<<<blocks, 128>>>(c, length);
    add<<<blocks, 128>>>(b, c, length);
}

int main(int count, char **arguments) {
    if (count < 4) return 2;
    const bool writes = strcmp(arguments[1], "written") == 0;
    const int length = atoi(arguments[2]), waits = atoi(arguments[3]);
    float *buffers[BUFFERS];
    for (float *&buffer : buffers) {
        if (cudaMallocManaged(&buffer, length * sizeof *buffer) != cudaSuccess) return 1;
        for (int i = 0; i < length; i++)
            buffer[i] = i % 7;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        step(buffers[0], buffers[1], buffers[2], length);
        if (waits) cudaDeviceSynchronize();
        if (writes) buffers[0][pass % length] += 1;
    }
    double sum = 0;
    for (const float *buffer : buffers)
        for (int i = 0; i < length; i++)
            sum = sum * 0.99 + buffer[i];
    printf("%.9g\n", sum);
    return cudaDeviceSynchronize() != cudaSuccess;
}
