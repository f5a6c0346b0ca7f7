// Buffers that the passes of a loop use in turn: turns are concurrent, and each pass gets the right buffer.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 20 %t/serial %t/kesco || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { SIZE = 1000, PASSES = 11 };

static __global__ void mix(unsigned *data, size_t size, unsigned key) {
    for (size_t i = threadIdx.x; i < size; i += blockDim.x)
        data[i] = (data[i] ^ key) * 2654435761u + 1;
}

static unsigned *in, *out;

static void show(const char *name) {
    unsigned sum = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < SIZE * PASSES; i++)
        sum = sum * 31 + out[i];
    std::printf("%s %u\n", name, sum);
}

// CHECK-LABEL: "name": "main", "lanes": 4,

// CHECK-LABEL: "name": "four(int)", "lanes": 4,
static void four(int passes) {
    unsigned *buffers[4];
    for (int i = 0; i < 4; i++)
        cudaMalloc(&buffers[i], SIZE * sizeof(unsigned));
    for (int k = 0; k < passes; k++) {
        unsigned *buffer = buffers[k % 4];
        cudaMemcpyAsync(buffer, in + k * SIZE, SIZE * sizeof(unsigned), cudaMemcpyHostToDevice);
        mix<<<1, 64>>>(buffer, SIZE, k);
        cudaMemcpyAsync(out + k * SIZE, buffer, SIZE * sizeof(unsigned), cudaMemcpyDeviceToHost);
    }
}

// What a buffer holds goes on in its next turn.
// CHECK-LABEL: "name": "three(int)", "lanes": 3,
static void three(int passes) {
    unsigned *buffers[3];
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&buffers[i], SIZE * sizeof(unsigned));
        cudaMemset(buffers[i], i, SIZE * sizeof(unsigned));
    }
    for (int k = 4; k < passes; k += 2) {
        mix<<<1, 64>>>(buffers[k % 3], SIZE, k);
        cudaMemcpyAsync(out + k * SIZE, buffers[k % 3], SIZE * sizeof(unsigned), cudaMemcpyDeviceToHost);
    }
}

// Each pass reads what the one before wrote.
// CHECK-LABEL: "name": "ping_pong(unsigned long)",
static __global__ void next(unsigned *to, const unsigned *from, size_t size) {
    for (size_t i = threadIdx.x; i < size; i += blockDim.x)
        to[i] = from[size - 1 - i] * 3 + 1;
}
static void ping_pong(size_t passes) {
    unsigned *buffers[2];
    for (int i = 0; i < 2; i++) {
        cudaMalloc(&buffers[i], SIZE * sizeof(unsigned));
        cudaMemset(buffers[i], i + 5, SIZE * sizeof(unsigned));
    }
    for (size_t k = 0; k < passes; k++) {
        next<<<1, 64>>>(buffers[(k + 1) & 1], buffers[k & 1], SIZE);
        cudaMemcpyAsync(out + k * SIZE, buffers[k & 1], SIZE * sizeof(unsigned), cudaMemcpyDeviceToHost);
    }
}

int main(int argc, char **) {
    cudaMallocHost(&in, SIZE * PASSES * sizeof(unsigned));
    cudaMallocHost(&out, SIZE * PASSES * sizeof(unsigned));
    for (int i = 0; i < SIZE * PASSES; i++)
        in[i] = i * 7;
    for (int passes = 0; passes <= PASSES; passes += argc) {
        four(passes);
        show("four");
        three(passes);
        show("three");
        ping_pong(passes);
        show("ping_pong");
    }
}
