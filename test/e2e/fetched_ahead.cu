// Large managed memory that only a late op of a lane uses comes over while the ops before it run, beside the lanes.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: sh %compare 10 %t/serial %t/kesco
// RUN: env VGPU_CONCURRENT_MANAGED=0 sh %compare 5 %t/serial %t/kesco
// RUN: for mode in turns graph auto; do env KESCO_MODE=$mode sh %compare 3 %t/serial %t/kesco || exit 1; done
// RUN: env KESCO_MODE=lanes VGPU_TIME=1 VGPU_TRACE=%t/trace %t/kesco
// RUN: /usr/bin/python3 %S/Inputs/beside.py %t/trace cudaMemPrefetchAsync steps

#include <cstdio>

enum { N = 1 << 20, BLOCK = 256, PASSES = 6 };

__global__ void steps(float *values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
    for (int k = 0; k < count; k++)
        value = value * 0.5f + 1;
    values[i] = value;
}

__global__ void add(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

int main() {
    float *a, *b, *late;
    double sum = 0;
    if (cudaMallocManaged(&a, BLOCK * sizeof *a) || cudaMallocManaged(&b, BLOCK * sizeof *b) ||
        cudaMallocManaged(&late, N * sizeof *late))
        return 1;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < BLOCK; i++)
            a[i] = b[i] = i + pass;
        for (int i = 0; i < N; i++)
            late[i] = i % 5 + pass;
        steps<<<1, BLOCK>>>(a, 400);
        steps<<<1, BLOCK>>>(b, 400);
        steps<<<1, BLOCK>>>(b, 400);
        add<<<1, BLOCK>>>(a, late);
        cudaDeviceSynchronize();
        sum += a[7] + b[9];
    }
    printf("%g\n", sum);
}
