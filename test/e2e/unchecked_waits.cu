// Waits that nobody checks, with output between that lets others go on: left to the run, as those are that are checked. One that
// moved before an op would wait there for what the others have put off.
// RUN: %kesco -O2 %s -c -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s
// RUN: %vgpu %s -O2 -o %t.serial && %vgpu-kesco %s -O2 -o %t.kesco && sh %compare 5 %t.serial %t.kesco
// RUN: env VGPU_STATS=%t.json %t.kesco >/dev/null && FileCheck %s --check-prefix=CHAIN --input-file=%t.json
// CHECK: 6 kernels run on 3 lanes with 0 waits
// CHECK-NOT: moves before
// CHECK-COUNT-5: call to 'cudaDeviceSynchronize' is put off until the host could tell
// CHECK-NOT: moves before
// CHAIN: "ordered_chain": 2,
#include <cstdio>

__global__ void count(int *out, int from) { out[threadIdx.x] = out[threadIdx.x] * 3 + from; }

static void show(const int *counts) {
    int first;
    cudaMemcpy(&first, counts, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d\n", first);
}

int main() {
    int *a, *b, *c;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    cudaMalloc(&c, 256);
    count<<<1, 64>>>(a, 1);
    cudaDeviceSynchronize();
    count<<<1, 64>>>(a, 2);
    cudaDeviceSynchronize();
    puts("first");
    count<<<1, 64>>>(b, 3);
    cudaDeviceSynchronize();
    count<<<1, 64>>>(b, 4);
    cudaDeviceSynchronize();
    puts("second");
    count<<<1, 64>>>(c, 5);
    cudaDeviceSynchronize();
    count<<<1, 64>>>(c, 6);
    cudaDeviceSynchronize();
    puts("third");
    show(a);
    show(b);
    show(c);
    return 0;
}
