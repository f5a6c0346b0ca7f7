// Loops that say how often they go round, and end each pass in a wait: where much is to come, lanes (or graphs) come soon, though
// the program has not run for long; where they would come too late, none do. What streams take to be made says nothing of lanes,
// and lanes that are slower are seen to be.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph lanes; do for how in copies stream; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $how 25 40 || exit 1; done; done
// RUN: for how in "copies 18 1000" "copies 40 1000" "copies 60 1000" "stream 25 1" "stream 50 1" "stream 25 300" "stream 50 300"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $how >%t.expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $how | diff %t.expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json`; \
// RUN: done | tee %t.times | awk '{ bad += $5 > ($1 == "copies" && $2 > 18 ? 0.85 : 1.02) * $4 } END { exit bad > 0 || NR < 7 }'

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 1024, ARRAYS = 9 };

// How long it takes is not seen.
__global__ void grow(float *to, const float *from, const int *rounds) {
    float value = from[threadIdx.x];
    for (int i = 0; i < *rounds; i++)
        value = value * 1.01f + 1;
    to[threadIdx.x] = value;
}
// This one less of what it may seem to be.
__global__ void add(float *to, const float *from, int rounds) {
    float value = from[threadIdx.x];
    for (int i = 0; i < rounds; i++)
        value += 0.5f;
    to[threadIdx.x] = value;
}

static void with_copies(float *const *v, const int *rounds, int passes, float *host) {
    for (int i = 0; i < passes; i++) {
        for (int k = 1; k < 8; k++)
            grow<<<1, COUNT>>>(v[k], v[0], rounds);
        grow<<<1, COUNT>>>(v[8], v[7], rounds);
        cudaMemcpy(host, v[8], COUNT * sizeof *host, cudaMemcpyDeviceToHost);
        host[0] = i + host[1] * 0.25f;
        cudaMemcpy(v[0], host, COUNT * sizeof *host, cudaMemcpyHostToDevice);
    }
}

static float on_a_stream(float *const *v, int rounds, int passes, float *host) {
    float sum = 0;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < passes; i++) {
        add<<<4, COUNT / 4, 0, stream>>>(v[1], v[0], rounds);
        add<<<4, COUNT / 4, 0, stream>>>(v[2], v[0], rounds);
        add<<<4, COUNT / 4, 0, stream>>>(v[3], v[0], rounds);
        add<<<4, COUNT / 4, 0, stream>>>(v[4], v[0], rounds);
        add<<<4, COUNT / 4, 0, stream>>>(v[5], v[4], rounds);
        cudaMemcpyAsync(host, v[5], COUNT * sizeof *host, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        sum += host[i];
    }
    return sum;
}

int main(int argc, char **argv) {
    const int passes = atoi(argv[2]), rounds = atoi(argv[3]);
    float *v[ARRAYS], host[COUNT], sum = 0;
    int *device_rounds;
    for (int i = 0; i < COUNT; i++)
        host[i] = i % 13;
    for (float *&array : v) {
        cudaMalloc(&array, sizeof host);
        cudaMemcpy(array, host, sizeof host, cudaMemcpyHostToDevice);
    }
    cudaMalloc(&device_rounds, sizeof rounds);
    cudaMemcpy(device_rounds, &rounds, sizeof rounds, cudaMemcpyHostToDevice);
    if (strcmp(argv[1], "copies") == 0)
        with_copies(v, device_rounds, passes, host);
    else
        sum = on_a_stream(v, rounds, passes, host);
    for (const float *array : v) {
        cudaMemcpy(host, array, sizeof host, cudaMemcpyDeviceToHost);
        for (float value : host)
            sum += value * 1e-3f;
    }
    return printf("%d %g\n", argc, sum) < 0;
}
