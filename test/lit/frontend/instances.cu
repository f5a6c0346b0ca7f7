// What the first pointer parameters are, each instance of a template tells.
// RUN: for side in --cuda-host-only --cuda-device-only; do \
// RUN:   %kesco $side -DTOO_MANY -S %s -o /dev/null -Xclang -verify || exit 1; \
// RUN: done
// RUN: %vgpu-kesco -c %s -o %t.o -Werror -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json
// RUN: %kesco-host -c %s -o /dev/null -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json
#include <kesco.h>

template <class T> KESCO_OUTPUTS(1) __global__ void fill(T value, int *out) { out[threadIdx.x] = (int)value; }
template <class T> KESCO_OUTPUTS(2) __global__ void both(T first, int *second) {
    first[threadIdx.x] = second[threadIdx.x] = 1;
}

// CHECK: "name": "fill", {{.*}}"writes": ["a"]
// CHECK: "name": "fill", {{.*}}"writes": ["b"]
// CHECK: "name": "both", {{.*}}"writes": ["a", "b"]
void launch() {
    int *a, *b;
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    fill<<<1, 32>>>(1u, a);
    fill<<<1, 32>>>(2.0, b);
    both<<<1, 32>>>(a, b);
}

#ifdef TOO_MANY
// expected-error@+2 {{'kesco_outputs' says that 2 pointer parameters are written, but kernel 'few<int>' has only 1}}
// expected-note@+1 {{kernel 'few<int>' is declared here}}
template <class T> KESCO_OUTPUTS(2) __global__ void few(T first, int *second) { second[0] = (int)first; }
template __global__ void few<int>(int, int *);
#endif
