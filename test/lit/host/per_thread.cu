// With the per-thread default stream nothing is scheduled, and a remark says so.
// RUN: %cuda-host -O1 -S -emit-llvm %s -o %t.plain.ll -Wno-unknown-attributes -Xclang -fgpu-default-stream=per-thread
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.kesco.ll -Xclang -fgpu-default-stream=per-thread
// RUN: cmp %t.plain.ll %t.kesco.ll
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fgpu-default-stream=per-thread -Rpass-missed=kesco 2>&1 | FileCheck %s
// CHECK: per_thread.cu:[[#@LINE+8]]:10: remark: {{.*}}their stream is the per-thread default stream

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }

void two() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
}
