// Two translation units, one of them compiled without KeSCo, or both with it: what one launches comes before and behind
// what the other launches as in the serial program, on the default stream and on streams of the program's own.
// RUN: %vgpu -O1 %s %S/Inputs/other_unit.cu -o %t.serial
// RUN: %vgpu -O1 -c %S/Inputs/other_unit.cu -o %t.other.o -Wno-unknown-attributes
// RUN: %vgpu-kesco -O1 -c %s -o %t.main.o -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: %vgpu %t.main.o %t.other.o -o %t.half
// RUN: sh %compare 30 %t.serial %t.half
// RUN: %vgpu-kesco -O1 %s %S/Inputs/other_unit.cu -o %t.both
// RUN: sh %compare 30 %t.serial %t.both

#include <kesco.h>

#include <cstdio>

#define N 64

KESCO_OUTPUTS(1) __global__ void fill(int *out, int value) { out[threadIdx.x] = value + threadIdx.x; }
KESCO_OUTPUTS(1) __global__ void scale(int *out, int value) { out[threadIdx.x] *= value; }

void other_unit(int *to, const int *from, cudaStream_t stream);

// CHECK: "name": "work(int*, int*, CUstream_st*)", "lanes": 2,
// CHECK: call to unknown function 'other_unit(int*, int const*, CUstream_st*)'
static void work(int *__restrict__ a, int *__restrict__ b, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    other_unit(a, b, stream);
    scale<<<1, N, 0, stream>>>(a, 5);
    scale<<<1, N, 0, stream>>>(b, 7);
    other_unit(b, a, stream);
}
static void (*volatile run)(int *, int *, cudaStream_t) = work;

static void show(const int *device, cudaStream_t stream) {
    int host[N], sum = 0;
    cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; ++i)
        sum = sum * 31 + host[i];
    printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}

int main() {
    int *a, *b;
    cudaStream_t streams[4] = {nullptr, cudaStreamPerThread};
    cudaStreamCreate(&streams[2]);
    cudaStreamCreateWithFlags(&streams[3], cudaStreamNonBlocking);
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    for (cudaStream_t stream : streams) {
        run(a, b, stream);
        show(a, stream);
        show(b, stream);
    }
    return 0;
}
