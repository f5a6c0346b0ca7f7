#include "steps.h"

#include <cstdio>

__global__ void add(int *to, int value) { *to += value; }

int main() {
    int *a, *b, results[2];
    cudaMalloc(&a, sizeof *a);
    cudaMalloc(&b, sizeof *b);
    fill(a, 1);
    fill(b, FROM_FLAGS);
    add<<<1, 1>>>(a, 1);
    add<<<1, 1>>>(b, 1);
    cudaMemcpy(&results[0], a, sizeof *a, cudaMemcpyDeviceToHost);
    cudaMemcpy(&results[1], b, sizeof *b, cudaMemcpyDeviceToHost);
    printf("%s %d %d%s", TEXT, results[0], results[1], end());
}
