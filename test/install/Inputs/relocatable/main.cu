#include <stdio.h>

__device__ int twice(int x);
__attribute__((kesco_outputs(1))) __global__ void change(int *x) { *x = twice(*x); }

int main() {
    int *a, *b, left = 1, right = 2;
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    cudaMemcpy(a, &left, sizeof left, cudaMemcpyHostToDevice);
    cudaMemcpy(b, &right, sizeof right, cudaMemcpyHostToDevice);
    change<<<1, 1>>>(a);
    change<<<1, 1>>>(b);
    cudaMemcpy(&left, a, sizeof left, cudaMemcpyDeviceToHost);
    cudaMemcpy(&right, b, sizeof right, cudaMemcpyDeviceToHost);
    printf("%d %d\n", left, right);
    return 0;
}
