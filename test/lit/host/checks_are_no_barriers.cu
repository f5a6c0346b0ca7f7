// Checks, timers and output between launches do not end a region, but launches do not change places across them.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll \
// RUN:   -fplugin-arg-kesco-policy=fewest-predecessors -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

#include <chrono>
#include <cstdio>
#include <ctime>

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }

// Without the checks, the third launch would be issued second.
// CHECK-LABEL: "name": "checked()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, "order": 0,
// CHECK: {"id": 1, {{.*}}"lane": 0, "order": 1,
// CHECK: {"id": 2, {{.*}}"lane": 1, "order": 2,
// CHECK: "barriers": []
void checked() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    known<<<1, 1>>>(a, nullptr);
    cudaError_t error = cudaGetLastError();
    printf("%s\n", cudaGetErrorString(error));
    known<<<1, 1>>>(b, a);
    auto now = std::chrono::steady_clock::now();
    fprintf(stderr, "%ld\n", (long)clock());
    cudaPeekAtLastError();
    known<<<1, 1>>>(c, nullptr);
    (void)now;
}

// CHECK-LABEL: "name": "unchecked()", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"lane": 0, "order": 2,
// CHECK: {"id": 2, {{.*}}"lane": 1, "order": 1,
void unchecked() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    known<<<1, 1>>>(c, nullptr);
}
