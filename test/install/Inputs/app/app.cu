// Two kernels that may run at once, and a third that waits for both.
#include "value.h"

#include <kesco.h>

#include <cstdio>

KESCO_OUTPUTS(1) __global__ void set(int *to, int value) { *to = value; }
__global__ void add(int *to, const int *a, const int *b) { *to = *a + *b; }

int twice(int value);

int main() {
    int *a, *b, *c, result;
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    cudaMalloc(&c, sizeof *c);
    set<<<1, 1>>>(a, VALUE);
    set<<<1, 1>>>(b, 2);
    add<<<1, 1>>>(c, a, b);
    cudaMemcpy(&result, c, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d\n", twice(result));
    return 0;
}
