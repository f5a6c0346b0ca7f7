// Two kernels on two streams write one variable, and nothing orders them.
#include <cuda_runtime.h>

__global__ void set(int *to, int value) { *to = value; }

int main() {
    cudaStream_t left, right;
    int *a;
    cudaMalloc(&a, sizeof *a);
    cudaStreamCreate(&left);
    cudaStreamCreate(&right);
    set<<<1, 1, 0, left>>>(a, 1);
    set<<<1, 1, 0, right>>>(a, 2);
    return cudaDeviceSynchronize();
}
