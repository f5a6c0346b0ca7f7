// An annotation that claims a write which the kernel never does costs concurrency: a warning, which can be turned off.
// RUN: for o in 0 2; do %kesco --cuda-device-only -std=c++17 -O$o -S %s -o %t.s -Xclang -verify || exit 1; done
// RUN: for o in 0 2; do \
// RUN:   %kesco --cuda-device-only -std=c++17 -O$o -S %s -o %t.s -Werror -fplugin-arg-kesco-annotation-warnings=off || \
// RUN:     exit 1; \
// RUN: done
// RUN: %kesco --cuda-device-only -std=c++17 -O1 -S %s -o %t.s -fplugin-arg-kesco-annotation-warnings=on -Xclang -verify
// RUN: %kesco -std=c++17 -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,WARNING
// RUN: not %kesco -std=c++17 -O1 -Werror -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,ERROR
// RUN: %kesco -std=c++17 -O1 -w -c %s -o %t.o 2>&1 | count 0
#include <kesco.h>

// WARNING: annotation_claims.cu:[[#@LINE+4]]:{{[0-9]+}}: warning: kernel 'claimed' never writes 'b'
// ERROR: annotation_claims.cu:[[#@LINE+3]]:{{[0-9]+}}: error: kernel 'claimed' never writes 'b'
// CHECK-SAME: , which 'kesco_outputs' says it does
// expected-warning@+1 {{kernel 'claimed' never writes 'b', which 'kesco_outputs' says it does}}
KESCO_OUTPUTS("a", "b")
__global__ void claimed(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x]; }

// expected-warning@+1 {{kernel 'claimed_by_number' never writes 'b', which 'kesco_outputs' says it does}}
KESCO_OUTPUTS(2)
__global__ void claimed_by_number(int *a, int *b, int *c) { a[threadIdx.x] = b[threadIdx.x] + c[0]; }

// expected-warning@+2 {{kernel 'claimed_two' never writes 'a', which 'kesco_outputs' says it does}}
// expected-warning@+1 {{kernel 'claimed_two' never writes 'b', which 'kesco_outputs' says it does}}
KESCO_OUTPUTS(2)
__global__ void claimed_two(const int *a, int *b) {}

// expected-warning@+1 {{kernel 'claimed_dead' never writes 'b', which 'kesco_outputs' says it does}}
KESCO_OUTPUTS("a", "b")
__global__ void claimed_dead(int *a, int *b) {
    if (0)
        b[threadIdx.x] = 1;
    a[threadIdx.x] = 1;
}

// expected-warning@+1 {{kernel 'claimed_replaced' never writes 'p', which 'kesco_outputs' says it does}}
KESCO_OUTPUTS("p", "q")
__global__ void claimed_replaced(int *p, int *q) {
    p = q;
    p[threadIdx.x] = 1;
}

// expected-warning-re@+2 {{kernel 'generic{{.*}}' never writes 'b', which 'kesco_outputs' says it does}}
template <class T>
KESCO_OUTPUTS("a", "b")
__global__ void generic(T *a, T *b) { a[threadIdx.x] = b[threadIdx.x]; }
template __global__ void generic<float>(float *, float *);

// What is written at least sometimes is not claimed for nothing.
KESCO_OUTPUTS(2) __global__ void sometimes(int *a, int *b, int n) {
    if (n > 5)
        a[threadIdx.x] = 1;
    else
        b[threadIdx.x] = 1;
}
KESCO_OUTPUTS("a") __global__ void atomically(int *a) { atomicAdd(a, 1); }

// Nor is what may be written where nobody sees it, or through a pointer out of memory.
KESCO_OUTPUTS("a", "b") __global__ void unseen(int *a, int *b, void (*operation)(int *)) {
    a[threadIdx.x] = 1;
    operation(b);
}
KESCO_OUTPUTS("slots") __global__ void loaded(int **slots) { slots[0][threadIdx.x] = 1; }

// A declaration alone says nothing of what the kernel does.
KESCO_OUTPUTS("a", "b") __global__ void elsewhere(int *a, int *b);
