// A kernel without annotation conflicts with everything, and a remark says so and what to do.
// RUN: %kesco-host -isystem %S/Inputs -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json \
// RUN:   -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.json

#include <kernel_of_the_system.h>

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }
__global__ void unknown(const float *in);

// REMARK: unannotated.cu:[[#@LINE+11]]:10: remark: 4 kernels run on 2 lanes with 1 wait [-Rpass=kesco]
// REMARK: unannotated.cu:[[#@LINE+12]]:12: remark: kernel 'unknown' keeps its order to all others: what the kernel writes is unknown: the kernel is defined elsewhere, so its access summary is not at hand; say it with kesco_outputs [-Rpass-missed=kesco]
// CHECK: "name": "unknown", {{.*}}"reads": [], "writes": ["*"]
// CHECK: {"from": 0, "to": 2, "kind": "WAW", "object": "*"}
// CHECK: {"from": 1, "to": 2, "kind": "WAW", "object": "*"}
// CHECK: {"from": 2, "to": 3, "kind": "WAW", "object": "*"}
void mixed() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    unknown<<<1, 1>>>(c);
    known<<<1, 1>>>(a);
}

// So does a kernel that a system header declares.
// REMARK: unannotated.cu:[[#@LINE+6]]:18: remark: kernel '{{.*}}of_the_system{{.*}}' keeps its order to all others: what the kernel touches is unknown: its declaration was not seen
// CHECK: {"id": 1, {{.*}}"reads": [], "writes": ["*"]
void declared_elsewhere() {
    float *a;
    cudaMalloc(&a, 4);
    known<<<1, 1>>>(a);
    of_the_system<<<1, 1>>>(a);
}
