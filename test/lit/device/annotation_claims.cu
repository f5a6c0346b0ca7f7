// An annotation that claims a write which the kernel never does costs concurrency: a warning, which can be turned off.
// RUN: for o in 0 2; do \
// RUN:   %kesco -std=c++17 -O$o -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WARNING --implicit-check-not=warning: || exit 1; \
// RUN:   %kesco -std=c++17 -O$o -c %s -o %t.o -fplugin-arg-kesco-annotation-warnings=off -Werror 2>&1 | count 0 || exit 1; \
// RUN: done
// RUN: %kesco -std=c++17 -c %s -o %t.o -fplugin-arg-kesco-annotation-warnings=on 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: not %kesco -std=c++17 -O1 -Werror -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %kesco -std=c++17 -O1 -w -c %s -o %t.o 2>&1 | count 0
// ERROR: error: kernel 'claimed' never writes 'b', which 'kesco_outputs' says it does
#include <kesco.h>

// WARNING-DAG: annotation_claims.cu:[[#@LINE+1]]:{{[0-9]+}}: warning: kernel 'claimed' never writes 'b', which 'kesco_outputs' says it does
KESCO_OUTPUTS("a", "b")
__global__ void claimed(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x]; }

// WARNING-DAG: annotation_claims.cu:[[#@LINE+1]]:{{[0-9]+}}: warning: kernel 'claimed_by_number' never writes 'b', which 'kesco_outputs' says it does
KESCO_OUTPUTS(2)
__global__ void claimed_by_number(int *a, int *b, int *c) { a[threadIdx.x] = b[threadIdx.x] + c[0]; }

// WARNING-DAG: annotation_claims.cu:[[#@LINE+1]]:{{[0-9]+}}: warning: kernel 'claimed_two' never writes 'a', 'b', which 'kesco_outputs' says it does
KESCO_OUTPUTS(2)
__global__ void claimed_two(const int *a, int *b) {}

// WARNING-DAG: annotation_claims.cu:[[#@LINE+1]]:{{[0-9]+}}: warning: kernel 'claimed_dead' never writes 'b', which 'kesco_outputs' says it does
KESCO_OUTPUTS("a", "b")
__global__ void claimed_dead(int *a, int *b) {
    if (0)
        b[threadIdx.x] = 1;
    a[threadIdx.x] = 1;
}

// WARNING-DAG: annotation_claims.cu:[[#@LINE+1]]:{{[0-9]+}}: warning: kernel 'claimed_replaced' never writes 'p', which 'kesco_outputs' says it does
KESCO_OUTPUTS("p", "q")
__global__ void claimed_replaced(int *p, int *q) {
    p = q;
    p[threadIdx.x] = 1;
}

// WARNING-DAG: annotation_claims.cu:[[#@LINE+2]]:{{[0-9]+}}: warning: kernel 'generic' never writes 'b', which 'kesco_outputs' says it does
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
