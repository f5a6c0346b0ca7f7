// -fgpu-rdc: device functions, variables and kernels of other units, static ones of one name in two of them, from objects,
// archives by name and by -l, and a shared library that has device code of its own; units without it beside. With KeSCo,
// what a unit sees of its kernels is known as ever.
// RUN: rm -rf %t && split-file %s %t && cd %t && mkdir lib
// RUN: %vgpu-clang++ -O2 -fgpu-rdc -c main.cu -o main.o && %vgpu-clang++ -O0 -fgpu-rdc -c other.cu -o other.o
// RUN: %vgpu-clang++ -O2 -c alone.cu -o alone.o && ar rcs lib/libother.a other.o
// RUN: %vgpu-clang++ -O2 -fPIC -shared -fgpu-rdc shared.cu helper.cu -o libshared.so
// RUN: for library in other.o lib/libother.a "-Llib -lother" "-L lib -l other"; do \
// RUN:   %vgpu-clang++ main.o alone.o $library libshared.so -Wl,-rpath,%t -o app || exit 1; \
// RUN:   VGPU_CHECK=races ./app >out && FileCheck main.cu --input-file=out || exit 1; \
// RUN: done
// RUN: %vgpu-kesco -fgpu-rdc -O2 -Rpass=kesco -c main.cu -o main.o 2>&1 | FileCheck main.cu --check-prefix=REMARK
// RUN: %vgpu-kesco -fgpu-rdc -O2 -c other.cu -o other.o && %vgpu-clang++ main.o alone.o other.o libshared.so -Wl,-rpath,%t -o app
// RUN: for seed in 0 1 2 3; do VGPU_SEED=$seed VGPU_CHECK=races KESCO_MODE=lanes ./app >out && FileCheck main.cu --input-file=out || exit 1; done
// Bitcode and packages are made in another step: none is left behind, and device code that cannot be linked is an error.
// RUN: not %vgpu-clang++ -fgpu-rdc main.cu alone.cu other.cu other_twice.cu libshared.so -o never 2>&1 | FileCheck main.cu --check-prefix=TWICE
// RUN: test ! -e never

//--- main.cu
#include <cstdio>
#include <cuda_runtime.h>
// TWICE: error: Linking globals named '_Z5twicei': symbol multiply defined
// REMARK: main.cu:[[# @LINE + 20]]:{{.*}}: remark: {{.*}} kernels {{.*}}run on 2 lanes
// CHECK: 708010 708024 17 27 5
extern __device__ int counter;
static __device__ int hidden = 5;
__constant__ int factor = 2;
__device__ int twice(int x);
extern __global__ void other(int *p);
extern void alone(int *p);
extern int shared();
static __global__ void mine(int *p) {
    p[threadIdx.x] = twice(threadIdx.x) + hidden * factor;
    atomicAdd(&counter, 1);
}
static __global__ void set(int *p, int value) {
    p[threadIdx.x] = value;
}
int main() {
    int *p, *q, values[8], first, second;
    cudaMalloc(&p, sizeof(values));
    cudaMalloc(&q, sizeof(values));
    set<<<1, 8>>>(p, 7);
    set<<<1, 8>>>(q, 17);
    cudaMemcpy(&first, q, sizeof(first), cudaMemcpyDeviceToHost);
    alone(q);
    cudaMemcpy(&second, q, sizeof(second), cudaMemcpyDeviceToHost);
    mine<<<1, 8>>>(p);
    other<<<1, 8>>>(p);
    cudaMemcpy(values, p, sizeof(values), cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d\n", values[0], values[7], first, second, shared());
    return cudaDeviceSynchronize() != cudaSuccess;
}

//--- other.cu
__device__ int counter;
static __device__ int hidden = 7;
__device__ int twice(int x) {
    return 2 * x;
}
static __global__ void mine(int *p) {
    p[threadIdx.x] = -1;
}
__global__ void other(int *p) {
    p[threadIdx.x] += 1000 * counter + 100000 * hidden;
}
void wrong(int *p) {
    mine<<<1, 8>>>(p);
}

//--- other_twice.cu
__device__ int twice(int x) {
    return x;
}

//--- alone.cu
static __global__ void mine(int *p) {
    p[threadIdx.x] += 10;
}
void alone(int *p) {
    mine<<<1, 8>>>(p);
}

//--- shared.cu
#include <cuda_runtime.h>
__device__ int answer();
__global__ void ask(int *p) {
    *p = answer();
}
int shared() {
    int *p, result;
    cudaMalloc(&p, sizeof(result));
    ask<<<1, 1>>>(p);
    cudaMemcpy(&result, p, sizeof(result), cudaMemcpyDeviceToHost);
    return result;
}

//--- helper.cu
__device__ int answer() {
    return 5;
}
