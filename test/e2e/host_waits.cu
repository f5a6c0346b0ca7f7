// What the host has waited for is done, whatever it does then: non-blocking streams are ordered by nothing else.
// RUN: %vgpu -O1 %s -o %t.serial
// RUN: %vgpu-kesco -O1 %s -o %t.kesco -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: sh %compare 10 %t.serial %t.kesco

#include <cstdio>

#define N 64

__global__ void fill(int *out, int value) {
    out[threadIdx.x] = value + threadIdx.x;
}
__global__ void add(int *out, const int *in) {
    out[threadIdx.x] += in[threadIdx.x];
}

struct Buffers {
    int *a, *b, *c, *d;
};

static void show(const int *device) {
    int host[N];
    if (cudaDeviceSynchronize() == cudaSuccess &&
        cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
        printf("%d %d\n", host[0], host[N - 1]);
}

// A synchronous copy lets the host wait for its lane, and where the region ends for the others.
// CHECK-LABEL: "name": "copy(int*, int*, int*, CUstream_st*)", "lanes": 2,
__attribute__((noinline)) void copy(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c,
                                    cudaStream_t free) {
    int host[N];
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    add<<<1, N, 0, free>>>(c, a);
    printf("%d\n", host[1]);
}

// So does a copy to pageable memory.
// CHECK-LABEL: "name": "pageable(int*, int*, int*, CUstream_st*, CUstream_st*)", "lanes": 2,
__attribute__((noinline)) void pageable(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c,
                                        cudaStream_t own, cudaStream_t free) {
    int host[N];
    fill<<<1, N, 0, own>>>(a, 3);
    fill<<<1, N, 0, own>>>(b, 4);
    cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDeviceToHost, own);
    add<<<1, N, 0, free>>>(c, a);
    printf("%d\n", host[1]);
}

// A call between two streams stays.
// CHECK-LABEL: "name": "between(int*, int*, int*, int*, CUstream_st*)", "lanes": 2,
__attribute__((noinline)) void between(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c,
                                       int *__restrict__ d, cudaStream_t free) {
    fill<<<1, N, 0, free>>>(a, 5);
    fill<<<1, N, 0, free>>>(b, 6);
    cudaDeviceSynchronize();
    add<<<1, N>>>(c, a);
    add<<<1, N>>>(d, b);
    cudaDeviceSynchronize();
}

int main() {
    Buffers all;
    cudaStream_t own, free;
    for (int **each : {&all.a, &all.b, &all.c, &all.d}) {
        cudaMalloc(each, N * sizeof(int));
        cudaMemset(*each, 0, N * sizeof(int));
    }
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    copy(all.a, all.b, all.c, free);
    show(all.c);
    pageable(all.a, all.b, all.c, own, free);
    show(all.c);
    between(all.a, all.b, all.c, all.d, free);
    show(all.c);
    show(all.d);
    return 0;
}
