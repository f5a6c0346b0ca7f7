// The distance between two pointers, added to a third that was loaded, or is a number to the launch: in PTX that looks like
// one of the two and numbers, where the other is subtracted by its bits.
// RUN: sh %test/lit/nvcc/Inputs/stage.sh %build %include %t.stage
// RUN: %t.stage/bin/kesco-nvcc -arch=sm_90 -O2 -fplugin-arg-kesco-show=summaries -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: env VGPU_CLANG=%S/ptx-clang++ PTX_BUILD=%build PTX_CLANG=%build/test/headers/clang++ PTX_NVCC=%nvcc \
// RUN:   %vgpu -w -O2 -fplugin=%build/plugin/libkesco.so %s -o %t.ptx
// RUN: VGPU_CHECK=races VGPU_STATS=%t.json %t.ptx && grep '"summary_violations": 0' %t.json

#include <cstdio>

// CHECK: of_loaded (
// CHECK-SAME: writes memory that no argument names
__global__ void of_loaded(const char *from, const char *to, char **slots) { slots[0][(to - from) - 1] = 1; }

// CHECK: of_given (
// CHECK-SAME: writes memory that no argument names
__global__ void of_given(const char *from, const char *to, unsigned long out) { ((char *)out)[(to - from) - 1] = 1; }

// CHECK: from_aligned (
// CHECK-SAME: writes memory that no argument names
__global__ void from_aligned(const char *from, const char *to, char **slots) { slots[0][(long)to - ((long)from & ~15l)] = 1; }

// CHECK: from_loaded (
// CHECK-SAME: writes memory that no argument names
__global__ void from_loaded(const char *to, char **slots) { slots[0][to - slots[1]] = 1; }

// What is no distance leaves a pointer what it is.
// CHECK: numbers ({{.*}}): reads indices[0 .. 16 bytes); writes a{{[^;,]*}}, b[0 .. 64 bytes), c{{[^;,]*}};
__global__ void numbers(char *a, char *b, char *c, const long *indices, long n, long m) {
    a[indices[0] + n] = 1;
    b[(long)a & 63] = 1;
    c[n - m] = c[indices[1] * n] = 1;
}

int main() {
    char *from, *out, *slots[2];
    char **on_device;
    long *indices;
    cudaMalloc(&from, 256);
    cudaMalloc(&out, 256);
    cudaMalloc(&on_device, sizeof slots);
    cudaMalloc(&indices, 16);
    cudaMemset(indices, 0, 16);
    slots[0] = out;
    slots[1] = from;
    cudaMemcpy(on_device, slots, sizeof slots, cudaMemcpyHostToDevice);
    of_loaded<<<1, 1>>>(from, from + 9, on_device);
    of_given<<<1, 1>>>(from, from + 9, (unsigned long)out);
    from_aligned<<<1, 1>>>(from, from + 9, on_device);
    from_loaded<<<1, 1>>>(from + 9, on_device);
    numbers<<<1, 1>>>(from, out, from, indices, 9, 5);
    return cudaDeviceSynchronize() != cudaSuccess;
}
