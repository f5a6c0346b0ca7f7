// Kernels that fold an index into rows, by a quotient and a remainder of what the launch gives: blocks of memory beside each
// other do not conflict, and blocks that share a byte do.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for how in "apart 24 5 8" "apart 7 3 40" "sharing 24 5 8" "none 0 5 8"; do sh %compare 4 %t/serial %t/kesco $how || exit 1; done
// RUN: for how in "apart 24 5 8" "sharing 24 5 8"; do VGPU_STATS=%t/stats KESCO_MODE=lanes VGPU_CHECK=races %t/kesco $how >%t/out || exit 1; \
// RUN:   grep -E '"(ordered|data)_chain"' %t/stats; done | FileCheck %s
// CHECK: "ordered_chain": 2,
// CHECK-NEXT: "data_chain": 2,
// CHECK-NEXT: "ordered_chain": 9,
// CHECK-NEXT: "data_chain": 9,

#include <cstdio>
#include <cstdlib>
#include <cstring>

static __global__ void fill(int *out, int size) {
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        out[i] = i % 17;
}

static __global__ void fold(int *out, int rows, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * length)
        return;
    const int at = i % length + 4 * (i / length) * length;
    for (int k = 0; k < 4; k++)
        out[at + k * length] = out[at + k * length] * 3 + i;
}

int main(int argc, char **argv) {
    const int rows = argc > 2 ? atoi(argv[2]) : 24, length = argc > 3 ? atoi(argv[3]) : 5, block = 4 * rows * length;
    const int count = argc > 4 ? atoi(argv[4]) : 8;
    const int distance = argc > 1 && strcmp(argv[1], "sharing") == 0 ? block - 1 : block, size = count * block + 1;
    int *device, *host = (int *)malloc(size * sizeof(int)), sum = 0;
    if (cudaMalloc(&device, size * sizeof(int)) != cudaSuccess)
        return 1;
    fill<<<1, 64>>>(device, size);
    for (int i = 0; i < count; i++)
        fold<<<(rows * length + 255) / 256 + 1, 256>>>(device + i * distance, rows, length);
    cudaMemcpy(host, device, size * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < size; i++)
        sum = sum * 31 + host[i];
    printf("%d\n", sum);
}
