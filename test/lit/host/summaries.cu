// What an access summary says is what is known of a kernel: no annotation is needed, nothing else is read or written.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

#include <cstdio>

namespace deep {
__device__ int counter;
}
__device__ int level;
__constant__ int table[4];

// SUMMARY: K _Z4copyPfS_S_
// SUMMARY: P 0 0 w 12
// SUMMARY: P 1 0 r
__global__ void copy(float *to, float *from, float *unused) { *to = *from; }
// SUMMARY: K _Z7updatesPf
// SUMMARY: P 0 0 rw 15
__global__ void updates(float *data) { *data += 1; }
// SUMMARY: K _Z6countsv
// SUMMARY: V _ZN4deep7counterE rw
__global__ void counts() { deep::counter += 1; }
// SUMMARY: K _Z8measuresPi
// SUMMARY: P 0 0 w
// SUMMARY: V level r
// SUMMARY: C table r
__global__ void measures(int *to) { *to = level + table[0]; }
// SUMMARY: K _Z5talksv
// SUMMARY: F p
__global__ void talks() { printf("hello\n"); }
// SUMMARY: K _Z6makersv
// SUMMARY: F ht
__global__ void makers() { free(malloc(4)); }
// SUMMARY: K _Z5waitsPi
// SUMMARY: P 0 0 r
// SUMMARY: F w
__global__ void waits(int *flag) {
    while (*(volatile int *)flag)
        ;
}
// SUMMARY: K _Z7nothingPfPS_
__global__ void nothing(float *a, float **b) {}

// CHECK: "name": "copy", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "updates", {{.*}}"reads": ["a"], "writes": ["a"]
// CHECK: "name": "counts", {{.*}}"reads": ["deep::counter"], "writes": ["deep::counter"]
// CHECK: "name": "measures", {{.*}}"reads": ["level"], "writes": ["c"]
// CHECK: "name": "talks", {{.*}}"reads": ["kernel may trap"], "writes": ["printf"]
// CHECK: "name": "makers", {{.*}}"reads": [], "writes": ["device heap", "kernel may trap"]
// CHECK: "name": "waits", {{.*}}"reads": ["c"], "writes": ["spin loop"]
// CHECK: "name": "nothing", {{.*}}"reads": [], "writes": []
void all() {
    float *a, *b;
    int *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    copy<<<1, 1>>>(a, b, a);
    updates<<<1, 1>>>(a);
    counts<<<1, 1>>>();
    measures<<<1, 1>>>(c);
    talks<<<1, 1>>>();
    makers<<<1, 1>>>();
    waits<<<1, 1>>>(c);
    nothing<<<1, 1>>>(a, nullptr);
}
