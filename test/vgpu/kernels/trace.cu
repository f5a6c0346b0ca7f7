// RUN: rm -rf %t && mkdir %t && %vgpu-clang++ -O2 %s -o %t/run
// RUN: env VGPU_TRACE=%t/trace.json %t/run
// RUN: python3 %S/Inputs/check_trace.py %t/trace.json | FileCheck %s
// RUN: env VGPU_SEED=1 VGPU_TRACE=%t/late.json %t/run
// RUN: diff %t/trace.json %t/late.json
// CHECK: default stream cudaMemset 4096 op 1
// CHECK-NEXT: stream [[FIRST:[0-9]+]] kernel fill(int*, int) 4096 op 2
// CHECK-NEXT: stream [[SECOND:[0-9]+]] kernel fill(int*, int) 4096 op 3
// CHECK-NEXT: graph row {{[0-9]+}} kernel fill(int*, int) 4096 op
// CHECK-NEXT: stream [[FIRST]] cudaMemcpyAsync 4096 op
// CHECK-NOT: op

// VGPU_TRACE shows each op that takes time in its stream's row, at its virtual time.
#include "check.h"

enum { COUNT = 1024 };

__global__ void fill(int *memory, int value) {
    memory[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main(void) {
    cudaStream_t first, second;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *memory, *other, *host;
    CUDA(cudaMalloc(&memory, COUNT * sizeof(int)));
    CUDA(cudaMalloc(&other, COUNT * sizeof(int)));
    CUDA(cudaMallocHost(&host, COUNT * sizeof(int)));
    CUDA(cudaStreamCreate(&first));
    CUDA(cudaStreamCreate(&second));
    CUDA(cudaMemset(memory, 0, COUNT * sizeof(int)));
    fill<<<COUNT / 256, 256, 0, first>>>(memory, 1);
    fill<<<COUNT / 256, 256, 0, second>>>(other, 1);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    fill<<<COUNT / 256, 256, 0, first>>>(memory, 2);
    CUDA(cudaStreamEndCapture(first, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, first));
    CUDA(cudaMemcpyAsync(host, memory, COUNT * sizeof(int), cudaMemcpyDeviceToHost, first));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(host[COUNT - 1], 2);
    return 0;
}
