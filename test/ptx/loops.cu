// Loops that go on until a number is another: written so, or as compilers write others in PTX, counted down and several
// passes at once. Where they access is told, and no kernel goes anywhere else, whatever the number is.
// RUN: %vgpu-kesco -O2 %s -o %t.ir && VGPU_CHECK=races VGPU_STATS=%t.json %t.ir && FileCheck %s --check-prefixes=CHECK,IR --input-file=%t.json
// RUN: env VGPU_CLANG=%S/ptx-clang++ PTX_BUILD=%build PTX_CLANG=%build/test/headers/clang++ PTX_NVCC=%nvcc \
// RUN:   %vgpu -w -O2 -fplugin=%build/plugin/libkesco.so %s -o %t.ptx
// RUN: VGPU_CHECK=races VGPU_STATS=%t.json %t.ptx && FileCheck %s --check-prefixes=CHECK,PTX --input-file=%t.json
// RUN: %nvcc -ccbin clang++-%llvm-version -allow-unsupported-compiler -arch=sm_90 -ptx %s -o %t.code && grep -q 'add.s32 .*, -4;' %t.code
// CHECK: "summary_violations": 0
// IR: "ranges_whole": {{1?[0-9]?[0-9]}},
// PTX: "ranges_whole": {{2?[0-9]?[0-9]}},

#include <cstdio>

__global__ void sum(const int *in, int *out, int n) {
    int all = 0;
    for (int i = 0; i < n; i++)
        all += in[i];
    *out = all;
}

__global__ void rows(const int *in, int *out, int n, int pitch) {
    int all = 0;
    for (int i = 0; i < n; i++)
        all += in[i * pitch + threadIdx.x];
    out[threadIdx.x] = all;
}

__global__ void up(int *out, int n) {
    if (n > 0)
        for (int i = 0; i != n; i++)
            out[i] = i;
}

__global__ void down(int *out, int n) {
    if (n > 0) {
        int i = n;
        do
            out[i] = i;
        while (--i != 0);
    }
}

__global__ void fours(int *out, int n) {
    for (int i = n & ~3; i > 0; i -= 4)
        out[i] = i;
    if (n > 0)
        for (int i = 0; i != (n & ~3); i += 4)
            out[i] = i;
}

// Past the end, where its steps do not lead to it.
__global__ void past(int *out, const char *stops, int n) {
    if (n > 0)
        for (int i = 0; i != n && !stops[i]; i += 4)
            out[i] = i;
}

int main() {
    int *in, *out;
    char *stops;
    cudaMalloc(&in, 1 << 16);
    cudaMalloc(&out, 1 << 16);
    cudaMalloc(&stops, 64);
    cudaMemset(in, 0, 1 << 16);
    cudaMemset(stops, 0, 60);
    cudaMemset(stops + 60, 1, 4);
    for (int n = -5; n < 40; n++) {
        sum<<<1, 1>>>(in, out, n);
        rows<<<1, 4>>>(in, out, n, 7);
        up<<<1, 1>>>(out, n);
        down<<<1, 1>>>(out, n);
        fours<<<1, 1>>>(out, n);
        past<<<1, 1>>>(out, stops, n);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
