// A module that is loaded and unloaded again and again has one row in the table of KESCO_STATS=1, also where it is gone by
// then; KESCO_ONLY holds for it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %vgpu-kesco -O1 -fPIC -shared plug.cu -o plug.so && %vgpu-kesco -O1 -rdynamic main.cu -o main
// RUN: KESCO_STATS=1 ./main 2>&1 | FileCheck main.cu
// RUN: KESCO_STATS=1 KESCO_ONLY=plug ./main 2>&1 | FileCheck main.cu --check-prefix=ONLY

//--- plug.cu
__global__ void add(int *to, int by) { *to += by; }
extern "C" void plug(int *__restrict__ a, int *__restrict__ b) {
    add<<<1, 1>>>(a, 1);
    add<<<1, 1>>>(b, 2);
}
//--- main.cu
#include <dlfcn.h>
#include <stdio.h>
__global__ void one(int *to) { *to = 1; }
// CHECK: kesco: regions of process
// CHECK-NEXT: entries
// CHECK-NEXT: 1 2 2/2 0 0 main, main.cu:{{[0-9]+}}
// CHECK-NEXT: 3 6 2/16 0 0 plug, plug.cu:3
// CHECK-NEXT: 6 ops placed, 0 behind others in flight
// CHECK-NEXT: 3 ended before call to unknown function 'dlclose' in main
// CHECK-NEXT: 4 8 0 0 all
// ONLY: 1 2 2/2 0 1 main, main.cu:{{[0-9]+}}
// ONLY-NEXT: 1 serial: KESCO_ONLY does not name the function
// ONLY-NEXT: 3 6 2/16 0 0 plug, plug.cu:3
int main() {
    int *a, *b, sum[2];
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    one<<<1, 1>>>(a);
    one<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) {
        void *module = dlopen("./plug.so", RTLD_NOW);
        if (module == NULL)
            return fprintf(stderr, "%s\n", dlerror());
        ((void (*)(int *, int *))dlsym(module, "plug"))(a, b);
        cudaDeviceSynchronize();
        dlclose(module);
    }
    cudaMemcpy(&sum[0], a, sizeof *a, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum[1], b, sizeof *b, cudaMemcpyDeviceToHost);
    return sum[0] == 4 && sum[1] == 7 ? 0 : 1;
}
