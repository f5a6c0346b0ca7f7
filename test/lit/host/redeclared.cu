// An annotation counts wherever it stands: on a redeclaration, or on a template before its definition.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

__global__ void later(float *out, const float *in);
__attribute__((kesco_outputs(1), kesco_priority(3))) __global__ void later(float *out, const float *in);
__global__ void later(float *out, const float *in) { *out = *in; }

template <class T> __attribute__((kesco_outputs("out", "more", "more"))) __global__ void generic(T *more, T *out, T *in);
template <class T> __global__ void generic(T *more, T *out, T *in) { *out = *in; }

// A specialisation is another kernel: it has the annotation that it says itself.
template <class T> __attribute__((kesco_outputs(1))) __global__ void special(T *a, T *b) { *a = *b; }
template <> __attribute__((kesco_outputs("b"))) __global__ void special(int *a, int *b) { *b = *a; }
template <> __global__ void special(char *a, char *b) { *b = *a; }

// CHECK: "name": "later", {{.*}}"reads": ["b"], "writes": ["a"], "priority": 3
// CHECK: "name": "generic", {{.*}}"reads": ["c"], "writes": ["a", "b"], "priority": 1
// CHECK: "name": "special", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "special", {{.*}}"reads": ["a"], "writes": ["b"]
// CHECK: "name": "special", {{.*}}"writes": ["*"]
void all() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    later<<<1, 1>>>(a, b);
    generic<<<1, 1>>>(a, b, c);
    special<<<1, 1>>>(a, b);
    special<<<1, 1>>>((int *)a, (int *)b);
    special<<<1, 1>>>((char *)a, (char *)b);
}
