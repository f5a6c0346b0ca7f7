// Kernels that read through textures keep their order to all that write, and textures live until their readers end.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: sh %compare 3 %t/serial %t/kesco
// RUN: FileCheck %s < %t/kesco.result.txt
// RUN: env VGPU_STATS=%t/kesco.json %t/kesco && FileCheck --check-prefix=STATS %s < %t/kesco.json
// CHECK: 26 12
// STATS: "streams": 2,

#include <cstdio>

enum { N = 32, SIZE = N * (int)sizeof(float) };

__global__ void twice(cudaTextureObject_t from, float *to) { to[threadIdx.x] = 2 * tex1Dfetch<float>(from, threadIdx.x); }
__global__ void add(float *to, float value) { to[threadIdx.x] += value; }

static cudaTextureObject_t textureOf(float *memory) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = SIZE;
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
    return texture;
}

static void once(float *from, float *to) {
    cudaTextureObject_t texture = textureOf(from);
    twice<<<1, N>>>(texture, to);
    if (cudaDeviceSynchronize() != cudaSuccess)
        puts("failed");
    cudaDestroyTextureObject(texture);
}

static void both(float *a, float *b, float *twiceA, float *twiceB) {
    cudaTextureObject_t first = textureOf(a), second = textureOf(b);
    twice<<<1, N>>>(first, twiceA);
    cudaDeviceSynchronize();
    add<<<1, N>>>(a, 1);
    add<<<1, N>>>(b, 2);
    cudaDeviceSynchronize();
    twice<<<1, N>>>(first, twiceA);
    twice<<<1, N>>>(second, twiceB);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(first);
    cudaDestroyTextureObject(second);
}

int main() {
    float *memory[4], values[N], others[N];
    for (float *&each : memory)
        cudaMalloc(&each, SIZE);
    for (int i = 0; i < N; i++)
        values[i] = i;
    cudaMemcpy(memory[0], values, SIZE, cudaMemcpyHostToDevice);
    cudaMemcpy(memory[1], values, SIZE, cudaMemcpyHostToDevice);
    once(memory[0], memory[2]);
    once(memory[1], memory[3]);
    once(memory[2], memory[0]);
    both(memory[0], memory[1], memory[2], memory[3]);
    cudaMemcpy(values, memory[2], SIZE, cudaMemcpyDeviceToHost);
    cudaMemcpy(others, memory[3], SIZE, cudaMemcpyDeviceToHost);
    printf("%g %g\n", values[3], others[4]);
    return 0;
}
