// An annotation speaks of pointer parameters. What a kernel touches beyond them is seen in its source, or distrusted.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

#include <cstdio>

__device__ int counter, other;
__constant__ int table[4];
struct View {
    float *data;
};
struct Node {
    Node *next;
};
__device__ float *where;
__constant__ cudaTextureObject_t bound;
struct Nested {
    int n;
    View views[2];
};
struct Plain {
    float x, y;
    double z[4];
};

__device__ void helper() { counter = 1; }
__attribute__((kesco_outputs(1))) __global__ void counts(float *out) { helper(); }
__attribute__((kesco_outputs(1))) __global__ void counts_too(float *out) { atomicAdd(&counter, 1); }
__attribute__((kesco_outputs(1))) __global__ void reads_table(float *out) { out[0] = table[0]; }
__attribute__((kesco_outputs(1))) __global__ void reads_other(float *out) { *out = other; }
__attribute__((kesco_outputs(1))) __global__ void view(float *out, View v) { v.data[0] = 1; }
__attribute__((kesco_outputs(1))) __global__ void nested(float *out, Nested v);
__attribute__((kesco_outputs(1))) __global__ void plain(float *out, Plain p, float3 q, dim3 r) { *out = p.x; }
__attribute__((kesco_outputs(1))) __global__ void texture(float *out, cudaTextureObject_t t);
__attribute__((kesco_outputs(1))) __global__ void talks(float *out) { printf("%f\n", out[0]); }
__attribute__((kesco_outputs(1))) __global__ void allocates(float *out) { free(malloc(4)); }
__attribute__((kesco_outputs(1))) __global__ void indirect(float *out, float **in) { *in[0] = 1; }
__attribute__((kesco_outputs(1))) __global__ void list(Node *node) { node->next->next = node; }
__attribute__((kesco_outputs(1))) __global__ void through_global(float *out) { *where = 1; }
__attribute__((kesco_outputs(1))) __global__ void through_constant(float *out) { *out = (float)bound; }
// Kernels that wait for their own blocks are kept apart from one another.
__device__ void meet(int *count) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < (int)gridDim.x)
        ;
}
__attribute__((kesco_outputs(1))) __global__ void grid_barrier(int *count) { meet(count); }
__attribute__((kesco_outputs(1))) __global__ void flag_wait(int *flag) {
    for (;;)
        if (*(volatile int *)flag)
            break;
}
__attribute__((kesco_outputs(1))) __global__ void histogram(int *bins, const int *in) {
    for (int i = 0; i < 8; ++i)
        atomicAdd(&bins[in[i]], 1);
}

// CHECK: "name": "counts", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "counts_too", {{.*}}"writes": ["counter", "b"]
// CHECK: "name": "reads_table", {{.*}}"reads": [], "writes": ["c"]
// CHECK: "name": "reads_other", {{.*}}"reads": [], "writes": ["other", "c"]
// CHECK: "name": "view", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "nested", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "plain", {{.*}}"reads": [], "writes": ["a"]
// CHECK: "name": "texture", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "talks", {{.*}}"reads": [], "writes": ["printf", "a"]
// CHECK: "name": "allocates", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "indirect", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "list", {{.*}}"writes": ["*"]
// CHECK: "name": "through_global", {{.*}}"writes": ["*", "where", "a"]
// CHECK: "name": "through_constant", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "grid_barrier", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "flag_wait", {{.*}}"writes": ["spin loop", "b"]
// CHECK: "name": "histogram", {{.*}}"writes": ["c"]
// CHECK: {"from": 0, "to": 1, "kind": "WAW", "object": "counter"}
// CHECK: "object": "spin loop"}
void all() {
    Nested n;
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    counts<<<1, 1>>>(a);
    counts_too<<<1, 1>>>(b);
    reads_table<<<1, 1>>>(c);
    reads_other<<<1, 1>>>(c);
    view<<<1, 1>>>(a, View{a});
    nested<<<1, 1>>>(a, n);
    plain<<<1, 1>>>(a, Plain{}, float3{}, dim3(1));
    texture<<<1, 1>>>(a, 0);
    talks<<<1, 1>>>(a);
    allocates<<<1, 1>>>(a);
    indirect<<<1, 1>>>(a, nullptr);
    list<<<1, 1>>>((Node *)a);
    through_global<<<1, 1>>>(a);
    through_constant<<<1, 1>>>(a);
    grid_barrier<<<1, 1>>>((int *)a);
    flag_wait<<<1, 1>>>((int *)b);
    histogram<<<1, 1>>>((int *)c, nullptr);
}
