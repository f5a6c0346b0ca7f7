// No guard tells an unknown pointer from a device variable. That matters only where the two could conflict.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -O0 -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.json

#include <cstdio>

__device__ float level;
__constant__ float table[4];

// SUMMARY: K _Z4copyPfS_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
__global__ void copy(float *to, float *from) {}
// SUMMARY: K _Z10from_levelPf
// SUMMARY: P 0 0 w
// SUMMARY: V level r
__global__ void from_level(float *to) {}
// SUMMARY: K _Z8to_levelv
// SUMMARY: V level w
__global__ void to_level() {}
// SUMMARY: K _Z10from_tablePf
// SUMMARY: P 0 0 w
// SUMMARY: C table r
// SUMMARY: F phw
__global__ void from_table(float *to) {}
// SUMMARY: K _Z7gathersPf
// SUMMARY: P 0 0 w
// SUMMARY: A r 5 a pointer is loaded
__global__ void gathers(float *to) {}

// What is not memory that a pointer leads to, and what nobody writes, changes nothing.
// CHECK-LABEL: "name": "constants(float*)", "lanes": 2,
// CHECK: "reads": ["b"], "writes": ["a"]
// CHECK: "reads": [], "writes": ["b", "printf", "device heap", "spin loop"]
// CHECK: "guards": [
// CHECK-NEXT: {"a": "b", "b": "a"},
// CHECK-NEXT: {"a": "b", "b": "c"}],
void constants(float *b) {
    float *a, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&c, 4);
    copy<<<1, 1>>>(a, b);
    copy<<<1, 1>>>(c, nullptr);
    from_table<<<1, 1>>>(b);
}

// An unknown pointer and a variable that both are only read stay what they are; a written one may be the variable.
// CHECK-LABEL: "name": "read_only(float*, float*)", "lanes": 3,
// CHECK: "reads": ["x"], "writes": ["a"]
// CHECK: "reads": ["level"], "writes": ["c"]
// CHECK: "guards": [
// CHECK-NOT: level
// CHECK: "barriers"
void read_only(float *x, float *y) {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    copy<<<1, 1>>>(a, x);
    copy<<<1, 1>>>(b, y);
    from_level<<<1, 1>>>(c);
}
// REMARK: variables_and_guards.cu:[[#@LINE+13]]:9: remark: kernel 'copy' keeps its order to all others: the allocation behind argument 'x' is unknown, and may be device variable 'level', which 'from_level' uses; allocate it in this function
// CHECK-LABEL: "name": "written_pointer(float*, float*)", "lanes": 2,
// CHECK: "reads": ["y"], "writes": ["*"]
// CHECK: "reads": ["y"], "writes": ["a"]
// CHECK: "reads": ["level"], "writes": ["b"]
// CHECK: "guards": [
// CHECK-NEXT: {"a": "y", "b": "a"},
// CHECK-NEXT: {"a": "y", "b": "b"}],
void written_pointer(float *x, float *y) {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    copy<<<1, 1>>>(x, y);
    copy<<<1, 1>>>(a, y);
    from_level<<<1, 1>>>(b);
}
// REMARK: variables_and_guards.cu:[[#@LINE+9]]:9: remark: kernel 'copy' keeps its order to all that write: the allocation behind argument 'x' is unknown
// CHECK-LABEL: "name": "written_variable(float*)", "lanes": 2,
// CHECK: "reads": ["*"], "writes": ["a"]
// CHECK: "reads": [], "writes": ["level"]
// CHECK: "guards": [],
void written_variable(float *x) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    copy<<<1, 1>>>(a, x);
    copy<<<1, 1>>>(b, nullptr);
    to_level<<<1, 1>>>();
}

// Memory that is read without a name conflicts with writers alone.
// REMARK: kernel 'gathers' keeps its order to all that write: it reads memory that no argument names: a pointer is loaded (line 5); pass a pointer to that memory as a parameter of its own
// CHECK-LABEL: "name": "reads_anywhere()",
// CHECK: "reads": ["*"], "writes": ["a"]
void reads_anywhere() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    gathers<<<1, 1>>>(a);
    copy<<<1, 1>>>(b, nullptr);
}
