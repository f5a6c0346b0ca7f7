// A plan with one lane leaves IR exactly as it is without the plugin, where nothing is to be replayed: at every -O level, with remarks or -g. (A function that
// other code may enter asks first whether a region is open: region_entries.cu.)
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 1 2 3; do for g in "" -g -Rpass=none; do \
// RUN:   %cuda-host -std=c++17 -Wno-unknown-attributes -O$o $g -S -emit-llvm %s -o %t/plain.ll || exit 1; \
// RUN:   %kesco-host -std=c++17 -O$o $g -S -emit-llvm %s -o %t/kesco.ll -fplugin-arg-kesco-report=%t/r.json -fplugin-arg-kesco-mode=lanes || exit 1; \
// RUN:   cmp %t/plain.ll %t/kesco.ll || exit 1; \
// RUN: done; done
// RUN: FileCheck --input-file=%t/r.json %s

#include <cstdio>
#include <stdexcept>
#include <vector>

__attribute__((kesco_outputs(1))) __global__ void step(float *out, const float *in, int n) { out[n] = in[n]; }
template <class T> __attribute__((kesco_outputs("out"))) __global__ void fill(T *out) { *out = 1; }
struct Buffer {
    float *data;
    int size;
};
static Buffer make(int size) {
    Buffer b;
    cudaMalloc(&b.data, size);
    b.size = size;
    return b;
}

static void helper(float *p) {
    fill<<<1, 2>>>(p);
    fill<<<1, 1>>>(p);
}

// CHECK-LABEL: "name": "chain(int, float*)", "lanes": 1,
// CHECK: "waits": [],
// CHECK-NEXT: "records": [],
static int chain(int count, float *given) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    std::vector<int> host(count);
    try {
        step<<<1, 32>>>(a, b, 1);
        if (count > 5)
            throw std::runtime_error("too many");
        step<<<1, 32>>>(b, a, 1);
    } catch (std::exception &e) {
        puts(e.what());
    }
    fill<<<1, 1>>>(a);
    step<<<1, 1>>>(b, a, 1);
    fill<int><<<1, 1>>>((int *)a);
    Buffer s = make(3);
    step<<<1, 1>>>(a, s.data, 1);
    given[0] = 1;
    helper(a);
    for (int i = 0; i < count; ++i)
        helper(a + i);
    return (int)host.size();
}

int main(int count, char **) {
    float given;
    return chain(count, &given);
}
