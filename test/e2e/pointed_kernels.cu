// Kernels that are launched by pointers to them, as from a table: their stubs tell what they access, so that launches on different
// buffers overlap, and those that wait for each other are replayed. What is not known of, as a kernel of a file without KeSCo, or
// one that the file launches by its name, too, comes after all others and before all that follow.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DOTHER -c -o %t/other.o && %vgpu -O$o %s %t/other.o -o %t/serial && %vgpu-kesco -O$o %s %t/other.o -o %t/kesco || exit 1; \
// RUN:   for way in apart chain other named fails; do \
// RUN:     for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t/serial %t/kesco $way 60 || exit 1; done; \
// RUN:   done; \
// RUN: done
// RUN: env VGPU_STATS=%t/apart.json KESCO_MODE=lanes %t/kesco apart 60 && FileCheck %s --input-file=%t/apart.json
// CHECK: "launches": 180,
// CHECK: "ordered_chain": 60,
// RUN: for how in "chain 20" "apart 20" "chain 2000" "other 2000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $4 > (NR == 3 ? 0.6 : 1.02) * $3 } END { exit bad > 0 || NR < 4 }'

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 128, BUFFERS = 3 };

typedef void (*Kernel)(float *, const float *);
__global__ void outside(float *to, const float *from);

#ifdef OTHER

__global__ void outside(float *to, const float *from) {
    to[threadIdx.x] += 0.125f * from[threadIdx.x];
}

#else

__global__ void blend(float *to, const float *from) {
    to[threadIdx.x] = 0.5f * to[threadIdx.x] + 0.5f * from[threadIdx.x];
}
__global__ void turn(float *to, const float *from) {
    to[threadIdx.x] += 0.25f * from[(threadIdx.x + 1) % COUNT];
}
__global__ void named(float *to, const float *from) {
    to[threadIdx.x] -= 0.5f * from[threadIdx.x];
}

int main(int count, char **argv) {
    const char *way = argv[1];
    const int passes = atoi(argv[2]);
    const auto is = [&](const char *name) { return strcmp(way, name) == 0; };
    const Kernel kernels[] = {blend, is("other") ? outside : is("named") ? named : turn, blend};
    float *buffers[BUFFERS], *from, values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i % 11;
    cudaMalloc(&from, sizeof values);
    cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice);
    for (float *&each : buffers) {
        cudaMalloc(&each, sizeof values);
        cudaMemcpy(each, values, sizeof values, cudaMemcpyHostToDevice);
    }
    if (is("named"))
        named<<<1, COUNT>>>(buffers[0], from);
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < BUFFERS; i++) {
            const Kernel kernel = kernels[(count + i) % BUFFERS];
            float *const to = buffers[is("apart") ? i : 0];
            kernel<<<1, is("fails") && pass == 50 ? 4096 : COUNT>>>(to, is("apart") || i != 1 ? from : buffers[1]);
            if (cudaGetLastError() != cudaSuccess)
                printf("pass %d fails\n", pass);
        }
    float sum = 0;
    for (const float *each : buffers) {
        cudaMemcpy(values, each, sizeof values, cudaMemcpyDeviceToHost);
        for (float value : values)
            sum += value;
    }
    printf("%.9g\n", sum);
}

#endif
