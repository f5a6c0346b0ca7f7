// KESCO_PROFILE=FILE: the times of the ops that the plugin has planned, under their names, lines, and functions, in whatever order ops run. What the
// program prints stays, and a file that cannot be written costs it nothing but a line on stderr.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu-kesco -O1 %s -o %t/kesco
// RUN: KESCO_LOG=1 KESCO_PROFILE=%t/profile.json %t/kesco >%t/out 2>%t/log
// RUN: printf '7 8 15\n' | cmp - %t/out
// RUN: FileCheck %s --input-file=%t/profile.json
// RUN: FileCheck %s --input-file=%t/log --check-prefix=LOG
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: for seed in 0 1 2; do VGPU_SEED=$seed KESCO_PROFILE=%t/$seed.json %t/kesco >%t/out || exit 1; done
// RUN: cmp %t/0.json %t/1.json && cmp %t/0.json %t/2.json && rm %t/[012].json
// RUN: KESCO_PROFILE=%t/none/x.json %t/kesco >%t/out 2>%t/log
// RUN: printf '7 8 15\n' | cmp - %t/out
// RUN: FileCheck %s --input-file=%t/log --check-prefix=UNWRITABLE --match-full-lines
// RUN: KESCO_DISABLE=1 KESCO_PROFILE=%t/disabled.json %t/kesco >%t/out
// RUN: grep -c '"mean_us"' %t/disabled.json | grep -x 4

#include <stdio.h>

template <int N> __global__ void add(int *to, const int *from) { *to = *from + N; }
__global__ void sum(int *to, const int *a, const int *b) { *to = *a + *b; }

// CHECK: {"version": 1, "ops": [
// CHECK-NEXT: {"function": "main", "file": "{{.*}}profile.cu", "line": [[#FIRST:]], "call_line": {{[0-9]+}}, "kind": "memset", "name": "memset", "count": 2, "mean_us": {{[0-9]+\.[0-9]+}}},
// CHECK-NEXT: {"function": "main", "file": "{{.*}}profile.cu", "line": [[#FIRST+1]], "call_line": [[#FIRST+1]], "kind": "kernel", "name": "add", "count": 2,
// CHECK-NEXT: "line": [[#FIRST+2]], "call_line": [[#FIRST+2]], "kind": "kernel", "name": "add", "count": 2,
// CHECK-NEXT: "line": [[#FIRST+3]], "call_line": [[#FIRST+3]], "kind": "kernel", "name": "sum", "count": 2, "mean_us": {{[0-9]+\.[0-9]+}}}]}
// LOG: region of {{[0-9]+}} lanes runs serially: KESCO_PROFILE is set
// FILES: kesco
// FILES-NEXT: log
// FILES-NEXT: out
// FILES-NEXT: profile.json
// UNWRITABLE: kesco: KESCO_PROFILE='{{.*}}/none/x.json' cannot be written: No such file or directory
int main() {
    int *x, *y, *z;
    int a = 5, b = 4, c;
    cudaMalloc(&x, sizeof *x);
    cudaMalloc(&y, sizeof *y);
    cudaMalloc(&z, sizeof *z);
    cudaMemcpy(x, &a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, &b, sizeof b, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        cudaMemsetAsync(z, 0, sizeof *z);
        add<1><<<1, 1>>>(x, x);
        add<2><<<1, 1>>>(y, y);
        sum<<<1, 1>>>(z, x, y);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(&a, x, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(&b, y, sizeof b, cudaMemcpyDeviceToHost);
    cudaMemcpy(&c, z, sizeof c, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", a, b, c);
}
