// A program that waits before it times each of its loops: with clocks=ignore the loops overlap, from the first wait behind them
// on; so they do without clocks. What is printed at the end is the serial program's.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/observing
// RUN: %vgpu-kesco -O2 %s -o %t/ignoring -fplugin-arg-kesco-clocks=ignore && %vgpu-kesco -O2 %s -o %t/untimed -DUNTIMED
// RUN: for run in ignoring untimed; do \
// RUN:   sh %compare 5 %t/serial %t/$run 10 && sh %compare 3 %t/serial %t/$run 0 && KESCO_MODE=turns sh %compare 3 %t/serial %t/$run 10 || exit 1; \
// RUN: done
// RUN: for run in serial observing ignoring untimed; do \
// RUN:   VGPU_STATS=%t/stats KESCO_MODE=lanes %t/$run 10 >%t/out || exit 1; grep '"ordered_chain"' %t/stats; \
// RUN: done | FileCheck %s
// CHECK: "ordered_chain": 30,
// CHECK-NEXT: "ordered_chain": 30,
// CHECK-NEXT: "ordered_chain": 10,
// CHECK-NEXT: "ordered_chain": 10,

#include <chrono>
#include <cstdio>
#include <cstdlib>

enum { N = 256 };

static __global__ void grow(int *a, const int *in) { a[threadIdx.x] = a[threadIdx.x] * 3 + in[threadIdx.x]; }
static __global__ void shrink(int *a, const int *in) { a[threadIdx.x] = a[threadIdx.x] / 2 - in[threadIdx.x]; }
static __global__ void turn(int *a, const int *in) { a[threadIdx.x] = in[threadIdx.x] - a[threadIdx.x]; }

static int *make(const int *host) {
    int *device;
    if (cudaMalloc(&device, N * sizeof(int)) != cudaSuccess)
        exit(1);
    cudaMemcpy(device, host, N * sizeof(int), cudaMemcpyHostToDevice);
    return device;
}

static void print(const int *device) {
    int host[N], sum = 0;
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        sum = sum * 31 + host[i];
    printf("%d\n", sum);
}

#ifdef UNTIMED
#define CLOCK() 0L
#else
#define CLOCK() (long)std::chrono::steady_clock::now().time_since_epoch().count()
#endif

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 0;
    int host[N];
    for (int i = 0; i < N; i++)
        host[i] = i * 7 % 13;
    int *a = make(host), *b = make(host), *c = make(host), *in = make(host);

    const long begin = CLOCK();
    cudaDeviceSynchronize();
    fprintf(stderr, "idle after %ld\n", CLOCK() - begin);
    long start = CLOCK();
    for (int i = 0; i < count; i++)
        grow<<<1, N>>>(a, in);
    cudaDeviceSynchronize();
    long end = CLOCK();
    fprintf(stderr, "grown in %ld\n", end - start);
    start = CLOCK();
    for (int i = 0; i < count; i++)
        shrink<<<1, N>>>(b, in);
    cudaDeviceSynchronize();
    end = CLOCK();
    fprintf(stderr, "shrunk in %ld\n", end - start);
    start = CLOCK();
    for (int i = 0; i < count; i++)
        turn<<<1, N>>>(c, in);
    cudaDeviceSynchronize();
    end = CLOCK();
    fprintf(stderr, "turned in %ld\n", end - start);
    print(a);
    print(b);
    print(c);
}
