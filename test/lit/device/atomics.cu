// Atomic accesses both read and write, whether or not the result is used; volatile ones do what they say.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "../Inputs/cache_functions.h"
#include "Inputs/row.h"

// ROW: add: reads a; writes a
__global__ void add(int *a) { atomicAdd(&a[own()], 1); }

// ROW: add_float: reads a; writes a
__global__ void add_float(float *a, float value) { atomicAdd(a, value); }

// ROW: add_double: reads a, b; writes a
__global__ void add_double(double *a, const double *b) { atomicAdd(a, b[own()]); }

// ROW: add_long: reads a; writes a, out
__global__ void add_long(unsigned long long *a, unsigned long long *out) { out[own()] = atomicAdd(a, 3ull); }

// ROW: subtract: reads a; writes a
__global__ void subtract(int *a) { atomicSub(a, own()); }

// ROW: exchange: reads a; writes a, out
__global__ void exchange(int *a, int *out) { out[own()] = atomicExch(a, 1); }

// ROW: exchange_float: reads a; writes a
__global__ void exchange_float(float *a) { atomicExch(a, 1.0f); }

// ROW: extremes: reads a, b; writes a, b
__global__ void extremes(int *a, unsigned *b) {
    atomicMin(a, own());
    atomicMax(b, threadIdx.x);
}

// ROW: wrap: reads a, b; writes a, b
__global__ void wrap(unsigned *a, unsigned *b) {
    atomicInc(a, 10);
    atomicDec(b, 10);
}

// ROW: bits: reads a, b, c; writes a, b, c
__global__ void bits(int *a, int *b, int *c) {
    atomicAnd(a, 1);
    atomicOr(b, 2);
    atomicXor(c, 4);
}

// ROW: compare_and_swap: reads a; writes a
__global__ void compare_and_swap(int *a, int n) { atomicCAS(a, n, own()); }

// ROW: scopes: reads a, b; writes a, b
__global__ void scopes(int *a, int *b) {
    atomicAdd_block(a, 1);
    atomicAdd_system(b, 1);
}

// ROW: histogram: reads bins, in; writes bins
__global__ void histogram(int *bins, const unsigned char *in, int n) {
    for (int i = own(); i < n; i += 1024)
        atomicAdd(&bins[in[i]], 1);
}

// ROW: sometimes: reads a; writes a
__global__ void sometimes(int *a, int n) {
    if (own() == n)
        atomicAdd(a, 1);
}

struct Cell {
    float value;
    int count;
};
// ROW: in_struct_in_memory: reads s; writes s
__global__ void in_struct_in_memory(Cell *s) { atomicAdd(&s[own()].count, 1); }

// ROW: on_local: writes out
__global__ void on_local(int *out, int n) {
    __shared__ int count;
    count = n;
    __syncthreads();
    atomicMax(&count, own());
    __syncthreads();
    out[blockIdx.x] = count;
}

// ROW: on_either: reads a; writes a
__global__ void on_either(int *a, int n) {
    __shared__ int count;
    atomicAdd(n ? a : &count, 1);
}

// ROW: last_block: reads parts, count; writes sum, count
__global__ void last_block(int *sum, const int *parts, unsigned *count) {
    __threadfence();
    if (atomicInc(count, gridDim.x) == gridDim.x - 1) {
        int total = 0;
        for (int i = 0; i < gridDim.x; ++i)
            total += parts[i];
        *sum = total;
    }
}

// ROW: builtin_load: reads a; writes out
__global__ void builtin_load(int *out, int *a) { out[own()] = __atomic_load_n(a, __ATOMIC_RELAXED); }

// ROW: builtin_store: writes a
__global__ void builtin_store(int *a) { __atomic_store_n(a, 1, __ATOMIC_RELAXED); }

// ROW: builtin_add: reads a; writes a
__global__ void builtin_add(int *a) { __atomic_fetch_add(a, 1, __ATOMIC_RELAXED); }

// ROW: volatile_read: reads a; writes out
__global__ void volatile_read(int *out, const volatile int *a) { out[own()] = a[own()]; }

// ROW: volatile_read_only: reads a
__global__ void volatile_read_only(volatile int *a) { (void)a[own()]; }

// ROW: volatile_write: writes a
__global__ void volatile_write(volatile int *a) { a[own()] = 1; }

// ROW: volatile_by_cast: reads b; writes a
__global__ void volatile_by_cast(int *a, int *b) { *(volatile int *)a = *(volatile int *)b; }

// ROW: fenced: reads b; writes a, flag
__global__ void fenced(int *a, int *b, volatile int *flag) {
    a[own()] = b[own()];
    __threadfence();
    *flag = 1;
}

// Not modelled: by_cache_operators
// ROW: by_cache_operators: reads a, b; writes out
__global__ void by_cache_operators(float4 *out, const float4 *a, const float4 *b) {
    float4 x = __ldcg(&a[own()]), y = __ldcv(&b[own()]);
    __stwt(&out[own()], make_float4(x.x, x.y, y.z, y.w));
}
