// An annotation that denies a write is an error, for the program would be ordered by it.
// RUN: for o in 0 2; do %kesco --cuda-device-only -std=c++17 -O$o -S %s -o %t.s -Xclang -verify || exit 1; done
// RUN: %kesco --cuda-device-only -std=c++17 -O1 -g -S %s -o %t.s -Xclang -verify
// No object comes of it.
// RUN: rm -f %t.o && not %kesco -std=c++17 -O1 -c %s -o %t.o 2>&1 | FileCheck %s && test ! -e %t.o
// RUN: not %vgpu-kesco -std=c++17 -O1 -c %s -o %t.o 2>&1 | FileCheck %s && test ! -e %t.o
#include <kesco.h>

#include <string.h>

struct View {
    int *data;
};
__device__ int counter;

// CHECK: annotations.cu:[[#@LINE+3]]:{{[0-9]+}}: error: 'kesco_outputs' says that kernel 'denied' only reads 'b', but it writes it
// CHECK: annotations.cu:[[#@LINE+5]]:{{[0-9]+}}: note: written here
// expected-error@+1 {{'kesco_outputs' says that kernel 'denied' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void denied(int *a, int *b) {
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2; // expected-note {{written here}}
}

// expected-error@+1 {{'kesco_outputs' says that kernel 'denied_by_number' only reads 'in', but it writes it}}
KESCO_OUTPUTS(1)
__global__ void denied_by_number(int *out, int *in) {
    out[threadIdx.x] = in[threadIdx.x];
    in[threadIdx.x] = 0; // expected-note {{written here}}
}

// expected-error@+1 {{'kesco_outputs' says that kernel 'denied_all' only reads 'a', but it writes it}}
__attribute__((kesco_outputs(0))) __global__ void denied_all(int *a, int n) {
    if (n > 5)
        a[threadIdx.x] = n; // expected-note {{written here}}
}

// expected-error@+2 {{'kesco_outputs' says that kernel 'denied_two' only reads 'a', but it writes it}}
// expected-error@+1 {{'kesco_outputs' says that kernel 'denied_two' only reads 'c', but it writes it}}
KESCO_OUTPUTS("b")
__global__ void denied_two(int *a, int *b, int *c) {
    a[threadIdx.x] = 1; // expected-note {{written here}}
    b[threadIdx.x] = 1;
    c[threadIdx.x] = 1; // expected-note {{written here}}
}

// expected-error@+1 {{'kesco_outputs' says that kernel 'changes' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void changes(int *a, int *b) {
    a[threadIdx.x] = b[0];
    atomicAdd(b, 1); // its note is with those at the end
}

// The const of a parameter does not change it.
// expected-error@+1 {{'kesco_outputs' says that kernel 'casts' only reads 'in', but it writes it}}
KESCO_OUTPUTS("out")
__global__ void casts(int *out, const int *in) {
    out[threadIdx.x] = 1;
    ((int *)in)[threadIdx.x] = 1; // expected-note {{written here}}
}

static __device__ __noinline__ void store(int *p) {
    p[threadIdx.x] = 1; // expected-note {{written here}}
}
// expected-error@+1 {{'kesco_outputs' says that kernel 'calls' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void calls(int *a, int *b) {
    a[threadIdx.x] = 1;
    store(b);
}

template <class T> static __device__ void put(T *p, T value) {
    p[threadIdx.x] = value; // expected-note {{written here}}
}
static __device__ void passes_on(int *p) { put(p, 1); }
// expected-error@+1 {{'kesco_outputs' says that kernel 'calls_deeply' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void calls_deeply(int *a, int *b) {
    a[threadIdx.x] = 1;
    passes_on(b);
}

// expected-error-re@+2 {{'kesco_outputs' says that kernel 'generic{{.*}}' only reads 'b', but it writes it}}
template <class T>
KESCO_OUTPUTS("a")
__global__ void generic(T *a, T *b) {
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 1; // expected-note {{written here}}
}
template __global__ void generic<float>(float *, float *);

// expected-error@+1 {{'kesco_outputs' says that kernel 'may_write' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void may_write(int *a, int *b, int n) {
    (n ? a : b)[threadIdx.x] = 1; // expected-note {{written here}}
}

// expected-error@+1 {{'kesco_outputs' says that kernel 'copies' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void copies(int *a, int *b, int n) {
    memcpy(a, b, n);
    memset(b, 0, n); // its note is with those at the end
}

// expected-error@+1 {{'kesco_outputs' says that kernel 'by_assembly' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void by_assembly(int *a, int *b) {
    a[threadIdx.x] = 1;
    asm volatile("st.global.u32 [%0], 1;" ::"l"(b) : "memory"); // expected-note {{written here}}
}

#define CLEAR(P) (P)[threadIdx.x] = 0
// expected-error@+1 {{'kesco_outputs' says that kernel 'by_macro' only reads 'b', but it writes it}}
KESCO_OUTPUTS("a")
__global__ void by_macro(int *a, int *b) {
    CLEAR(a);
    CLEAR(b); // expected-note {{written here}}
}

// The annotation stands on a declaration, the store in the definition.
// expected-error-re@+1 {{'kesco_outputs' says that kernel 'declared' only reads '{{b|second}}', but it writes it}}
KESCO_OUTPUTS("a") __global__ void declared(int *a, int *b);
__global__ void declared(int *first, int *second) {
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 1; // expected-note {{written here}}
}

// Annotations that are right.
KESCO_OUTPUTS("a") __global__ void right(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x]; }
KESCO_OUTPUTS(2) __global__ void right_by_number(int *a, int *b, int *c) { a[threadIdx.x] = b[threadIdx.x] = c[0]; }
KESCO_OUTPUTS(0) __global__ void right_without(int *a) { (void)*(volatile int *)a; }
KESCO_OUTPUTS("a") __global__ void right_either(int *a, int *b, int n) { a[threadIdx.x] = (n ? a : b)[threadIdx.x]; }
KESCO_OUTPUTS("q") __global__ void right_replaced(int *p, int *q) {
    p = q;
    p[threadIdx.x] = 1;
}
KESCO_OUTPUTS("a") __global__ void right_dead(int *a, int *b) {
    if (0)
        b[threadIdx.x] = 1;
    a[threadIdx.x] = 1;
}

// An annotation speaks of plain pointer parameters only.
KESCO_OUTPUTS("a") __global__ void beyond(int *a, View view) {
    a[threadIdx.x] = 1;
    view.data[threadIdx.x] = 1;
    counter = 1;
}
KESCO_OUTPUTS("a") __global__ void loaded(int *a, int **b) {
    a[threadIdx.x] = 1;
    b[0][threadIdx.x] = 1;
}

// Where code is not seen, the annotation is all there is to go by.
KESCO_OUTPUTS("a") __global__ void trusted(int *a, int *b, void (*operation)(int *, int *)) { operation(a, b); }

// Where a function of the CUDA headers does the store, its place may be there or at the call.
// expected-note@*:* 2 {{written here}}
