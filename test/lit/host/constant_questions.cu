// A helper that asks whether the optimiser knows a value, as the C++ library's iterators do, is no barrier.
// RUN: for o in 0 2; do %kesco-host -std=c++17 -O$o -S -emit-llvm %s -o /dev/null -fplugin-arg-kesco-report=%t.json && \
// RUN:   FileCheck %s --input-file=%t.json || exit 1; done

#include <algorithm>
#include <cstdio>
#include <iterator>

__attribute__((kesco_outputs(1))) __global__ void set(float *out) { *out = 1; }

static inline int ask(int n) {
    if (__builtin_constant_p(n) && n == 1)
        return 7;
    return n * 3;
}

// CHECK: "name": "asks(int)", "lanes": 2,
// CHECK: "barriers": []
// CHECK: "name": "searches(int const*, int)", "lanes": 2,
// CHECK: "barriers": []
void asks(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
    printf("%d\n", ask(n));
    set<<<1, 1>>>(b);
}

void searches(const int *sorted, int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
    printf("%d\n", *std::next(std::lower_bound(sorted, sorted + n, 5)));
    set<<<1, 1>>>(b);
}
