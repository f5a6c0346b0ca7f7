// Kernels in a source file of their own, declared in a header, as programs of several files have them: the file that launches
// them knows nothing of what they access, but the file that has them does. They overlap where no byte is in common, keep their
// order where one is, and beside kernels that the launching file does know. Either file may be compiled without KeSCo, and a
// kernel's handle is the same for all.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DKERNELS -c -o %t.kernels.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DKERNELS -c -o %t.kernels.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.kernels.serial.o -o %t.serial && %vgpu %t.main.o %t.kernels.o -o %t.both && \
// RUN:   %vgpu %t.main.serial.o %t.kernels.o -o %t.callees && %vgpu %t.main.o %t.kernels.serial.o -o %t.callers || exit 1; \
// RUN:   sh %compare 8 %t.serial %t.both && sh %compare 2 %t.serial %t.callees && sh %compare 2 %t.serial %t.callers || exit 1; \
// RUN:   for mode in auto turns graph; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.both || exit 1; done; \
// RUN:   env VGPU_STATS=%t.json KESCO_STATS=1 %t.both steps 2>&1 | FileCheck %s --check-prefix=REGION || exit 1; \
// RUN:   FileCheck %s --input-file=%t.json || exit 1; \
// RUN:   KESCO_STATS=1 %t.both 2>&1 >/dev/null | FileCheck %s --check-prefix=PLANNED --implicit-check-not="lends nothing" || exit 1; \
// RUN: done
// REGION: 25 3/16 0 0 twice(
// REGION-NEXT: 25 ops placed
// Regions of its callers' own go on behind a stub that is lent none.
// PLANNED-DAG: 1 9 {{.*}} mixed()
// PLANNED-DAG: 1 9 {{.*}} mixedOnStream()
// CHECK: "launches": 25,
// CHECK: "ordered_chain": 15,

#include <cstdio>
#include <cstdlib>

enum { SIZE = 256 };

__global__ void twice(int *out, const int *in, int n);
__global__ void add(int *out, const int *a, const int *b, int n);
struct Pair {
    int *first, *second;
    long count;
};
__global__ void swap(Pair pair);

#ifdef KERNELS

__global__ void twice(int *out, const int *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

__global__ void add(int *out, const int *a, const int *b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void swap(Pair pair) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pair.count) {
        const int kept = pair.first[i];
        pair.first[i] = pair.second[i];
        pair.second[i] = kept;
    }
}

#else

__global__ void fill(int *out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

enum { BUFFERS = 7 };
static int *buffers[BUFFERS];

static void step() {
    int **p = buffers;
    twice<<<4, 64>>>(p[0], p[1], SIZE);
    twice<<<4, 64>>>(p[2], p[3], SIZE);
    twice<<<4, 64>>>(p[4], p[5], SIZE);
    add<<<4, 64>>>(p[6], p[0], p[2], SIZE);
    add<<<4, 64>>>(p[1], p[6], p[4], SIZE);
}

/* Some of the ops have lanes by this file's plan. */
static void mixed() {
    int **p = buffers;
    fill<<<4, 64>>>(p[0], 3);
    fill<<<4, 64>>>(p[1], 4);
    fill<<<4, 64>>>(p[2], 5);
    add<<<4, 64>>>(p[3], p[0], p[1], SIZE);
    fill<<<4, 64>>>(p[0], 6);
    fill<<<4, 64>>>(p[1], 7);
    twice<<<4, 64>>>(p[4], p[3], SIZE);
    twice<<<4, 64>>>(p[5], p[0], SIZE);
    fill<<<4, 64>>>(p[4], 8);
}

/* The same, beside nothing that the default stream waits for. */
static void mixedOnStream() {
    int **p = buffers;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    fill<<<4, 64, 0, stream>>>(p[0], 3);
    fill<<<4, 64, 0, stream>>>(p[1], 4);
    fill<<<4, 64, 0, stream>>>(p[2], 5);
    add<<<4, 64, 0, stream>>>(p[3], p[0], p[1], SIZE);
    fill<<<4, 64, 0, stream>>>(p[0], 6);
    fill<<<4, 64, 0, stream>>>(p[1], 7);
    twice<<<4, 64, 0, stream>>>(p[4], p[3], SIZE);
    twice<<<4, 64, 0, stream>>>(p[5], p[0], SIZE);
    fill<<<4, 64, 0, stream>>>(p[4], 8);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

static void onStreams() {
    int **p = buffers;
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) {
        twice<<<2, 64, 0, one>>>(p[0], p[1], SIZE / 2);
        twice<<<2, 64, 0, one>>>(p[2], p[3], SIZE / 2);
        swap<<<4, 64, 0, one>>>(Pair{p[0], p[2], SIZE});
        twice<<<4, 64, 0, other>>>(p[4], p[5], SIZE);
        add<<<4, 64, 0, other>>>(p[5], p[4], p[6], SIZE);
    }
    cudaStreamSynchronize(one);
    cudaStreamSynchronize(other);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

static void byHandle() {
    int **p = buffers;
    int n = SIZE;
    void *arguments[] = {&p[6], &p[0], &p[1], &n};
    cudaFuncAttributes attributes;
    printf("%s\n", cudaGetErrorName(cudaFuncGetAttributes(&attributes, add)));
    printf("%s\n", cudaGetErrorName(cudaLaunchKernel(add, dim3(4), dim3(64), arguments, 0, 0)));
}

static void refused() {
    int **p = buffers;
    twice<<<4, 64>>>(p[0], p[1], SIZE);
    twice<<<4, 4096>>>(p[2], p[3], SIZE);
    twice<<<4, 64>>>(p[4], p[5], SIZE);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

static void print() {
    for (int *buffer : buffers) {
        int host[SIZE];
        cudaMemcpy(host, buffer, sizeof(host), cudaMemcpyDeviceToHost);
        printf("%d %d\n", host[3], host[SIZE - 1]);
    }
}

static void steps() {
    for (int i = 0; i < 5; i++)
        step();
}

/* Each is planned by itself. */
static void (*volatile parts[])() = {steps, mixed, mixedOnStream, onStreams, byHandle, refused};

int main(int argc, char **) {
    for (int *&buffer : buffers) {
        int host[SIZE];
        for (int i = 0; i < SIZE; i++)
            host[i] = i % 5;
        cudaMalloc(&buffer, sizeof(host));
        cudaMemcpy(buffer, host, sizeof(host), cudaMemcpyHostToDevice);
    }
    for (int i = 0; i < (argc > 1 ? 1 : 6); i++) {
        parts[i]();
        print();
    }
}

#endif
