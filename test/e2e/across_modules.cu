// A program and a library that it loads have a runtime each where neither has the other's symbols. Functions of the other
// runtime's are lent no region: what they launch comes behind what is open here, and before what follows.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %vgpu -O1 -fPIC -shared plug.cu -o plug.so && %vgpu -O1 main.cu -o serial
// RUN: cp plug.so plain.so
// RUN: %vgpu-kesco -O1 -fPIC -shared plug.cu -o plug.so && %vgpu-kesco -O1 main.cu -o main
// RUN: sh %compare 5 ./serial ./main
// RUN: %vgpu-kesco -O1 -rdynamic main.cu -o exporting && sh %compare 3 ./serial ./exporting
// RUN: KESCO_STATS=1 ./exporting 2>&1 | FileCheck plug.cu
// RUN: cp plain.so plug.so && sh %compare 2 ./serial ./main

//--- plug.cu
// With one runtime for both, they share the region that the program has opened.
// CHECK: 1 18 {{.*}} step(int*, CUstream_st*), main.cu:
__global__ void add(int *to, int by) {
    for (int i = 0; i < 500; i++)
        to[threadIdx.x] = to[threadIdx.x] * 3 + by;
}
extern "C" void plug(int *to, cudaStream_t stream) {
    add<<<1, 32, 0, stream>>>(to, 1);
}
//--- main.cu
#include <dlfcn.h>
#include <stdio.h>

typedef void (*Step)(int *to, cudaStream_t stream);

static __global__ void work(int *to) {
    for (int i = 0; i < 500; i++)
        to[threadIdx.x] = to[threadIdx.x] * 5 + 7;
}
static void step(int *to, cudaStream_t stream) {
    work<<<1, 32, 0, stream>>>(to);
}
static Step volatile own = step;

int main() {
    int *data[3], sum[32];
    void *module = dlopen("./plug.so", RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        return fprintf(stderr, "%s\n", dlerror());
    Step plug = (Step)dlsym(module, "plug");
    const Step local = own;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&data[i], sizeof sum);
        cudaMemset(data[i], 1, sizeof sum);
    }
    cudaDeviceSynchronize();
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 3; i++) {
            local(data[i], stream);
            local(data[(i + 1) % 3], stream);
            plug(data[i], stream);
        }
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 3; i++) {
        cudaMemcpy(sum, data[i], sizeof sum, cudaMemcpyDeviceToHost);
        printf("%d %d\n", sum[0], sum[31]);
    }
    return 0;
}
