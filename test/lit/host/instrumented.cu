// What a compiler adds to find mistakes or to count changes no plan: a sanitizer's checks, counters of coverage, patterns in
// variables. Checks in a launch's arguments are none of a launch, and blocks that end the program may be shared by several.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %kesco-host -O1 -S -emit-llvm %s -o plain.ll -fplugin-arg-kesco-report=plain.json
// RUN: FileCheck %s --input-file=plain.json
// RUN: for with in -fsanitize=undefined "-fsanitize=undefined -fno-sanitize-recover=all" \
// RUN:     "-fsanitize=undefined -fsanitize-trap=undefined" "-fsanitize=undefined -fsanitize-minimal-runtime" -fsanitize=integer \
// RUN:     -ftrivial-auto-var-init=pattern "-fprofile-instr-generate -fcoverage-mapping"; do \
// RUN:   %kesco-host -O1 $with -S -emit-llvm %s -o with.ll -fplugin-arg-kesco-report=with.json -Rpass-missed=kesco 2>missed && \
// RUN:   cmp plain.json with.json && not grep remark: missed || exit 1; \
// RUN: done

#include <vector>

__attribute__((kesco_outputs(1))) __global__ void make(float *out, int n) { out[threadIdx.x] = n; }

struct Buffer {
    float *data = nullptr;
    explicit Buffer(int n) { cudaMalloc(&data, n * sizeof(float)); }
    ~Buffer() { cudaFree(data); }
    float *get() { return data; }
};

// CHECK-LABEL: "name": "objects(int, int)", "lanes": 2,
// CHECK: "barriers": []
void objects(int n, int blocks) {
    Buffer a(n), b(n);
    make<<<blocks + 1, 64>>>(a.get(), n + 1);
    make<<<blocks * 2, 64>>>(b.get(), n * 2);
}

// CHECK-LABEL: "name": "variables(int)", "lanes": 2,
// CHECK: "barriers": []
void variables(int n) {
    float *a, *b;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    for (int i = 0; i < 3; i++) {
        make<<<n / 4, 64>>>(a, n + i);
        make<<<n / 4, 64>>>(b, n - i);
    }
}

// The iterator is a variable whose address is checked.
// CHECK-LABEL: "name": "elements(
// CHECK: "placed": [
void elements(const std::vector<float *> &all) {
    for (float *p : all)
        make<<<1, 64>>>(p, 1);
}
