// Arguments that may alias: concurrent when they do not, serial and right when they do, both in one run; also when the
// driver cannot be asked.
// RUN: %vgpu -O1 %s -o %t.serial
// RUN: %vgpu-kesco -O1 %s -o %t.kesco -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=PLAN
// RUN: sh %compare 30 %t.serial %t.kesco
// RUN: KESCO_LOG=1 %t.kesco 2>&1 >/dev/null | FileCheck %s
// RUN: VGPU_FAIL=cudaGetDriverEntryPointByVersion:4 KESCO_LOG=1 VGPU_CHECK=races %t.kesco >%t.out 2>%t.err
// RUN: %t.serial | cmp - %t.out
// RUN: grep -c "serially: a pointer's allocation is not known" %t.err | FileCheck %s --check-prefix=FAILED

// PLAN: "name": "work(int*, int*, int*)", "lanes": 2,
// CHECK: region begins
// CHECK-NEXT: region begins
// CHECK-NEXT: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation
// CHECK-NEXT: a region gets 2 lanes
// CHECK-NEXT: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation
// CHECK-NEXT: region begins
// CHECK-NEXT: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation
// CHECK-NEXT: region begins
// CHECK-NEXT: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation
// CHECK-NEXT: a region gets 2 lanes
// CHECK-NEXT: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation
// CHECK-NOT: kesco
// FAILED: 4

#include <kesco.h>

#include <cstdio>

#define N 64

KESCO_OUTPUTS(1) __global__ void fill(int *out, int value) { out[threadIdx.x] = value + threadIdx.x; }
KESCO_OUTPUTS(1) __global__ void subtract(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] - 3 * b[threadIdx.x];
}

static void work(int *a, int *b, int *c) {
    fill<<<1, N>>>(a, 5);
    fill<<<1, N>>>(b, 7);
    subtract<<<1, N>>>(c, a, b);
}

static void show(const int *device) {
    int host[N], sum = 0;
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; ++i)
        sum = sum * 31 + host[i];
    printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}

// What is called in this way is not seen through.
static void (*volatile run)(int *, int *, int *) = work;

int main() {
    int *a, *b, *c;
    cudaMalloc(&a, 2 * N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMalloc(&c, N * sizeof *c);
    run(a, b, c);
    show(c);
    run(a, a, c);
    show(c);
    run(a, b, b);
    show(b);
    run(a + N / 2, a, c);
    show(c);
    return 0;
}
