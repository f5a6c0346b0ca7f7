// Accesses that never happen do not count.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <assert.h>

// ROW: in_false_if: writes b
__global__ void in_false_if(int *a, int *b) {
    if (0)
        a[own()] = 1;
    b[own()] = 1;
}

// ROW: in_constant_if: writes b
__global__ void in_constant_if(int *a, int *b) {
    const int debug = 0;
    if (debug > 0)
        a[own()] = 1;
    b[own()] = 1;
}

// ROW: in_variable_if: writes b
__global__ void in_variable_if(int *a, int *b) {
    int debug = 0;
    if (debug)
        a[own()] = 1;
    b[own()] = 1;
}

static __device__ void store_either(int *a, int *b, int n) { *(__builtin_constant_p(n) ? a : b) = n; }
static __device__ void store_in_either(int *a, int *b, int n) {
    if (__builtin_constant_p(n))
        a[own()] = n;
    else
        b[own()] = n;
}
// What the optimiser knows differs between levels.
// ROW: in_optimised_if: writes a, b, c, d
__global__ void in_optimised_if(int *a, int *b, int *c, int *d) {
    store_either(a, b, 3);
    store_in_either(c, d, 4);
}

// ROW: in_impossible_if: writes b
__global__ void in_impossible_if(int *a, int *b, unsigned n) {
    if (n < 0)
        a[own()] = 1;
    b[own()] = 1;
}

// ROW: behind_return: writes b
__global__ void behind_return(int *a, int *b) {
    b[own()] = 1;
    return;
    a[own()] = 1;
}

// ROW: behind_both_returns: writes b
__global__ void behind_both_returns(int *a, int *b, int n) {
    if (n)
        return;
    else {
        b[own()] = 1;
        return;
    }
    a[own()] = 1;
}

// ROW: in_empty_loop: writes b
__global__ void in_empty_loop(int *a, int *b) {
    for (int i = 0; i < 0; ++i)
        a[i] = 1;
    b[own()] = 1;
}

// ROW: in_while_false: writes b
__global__ void in_while_false(int *a, int *b) {
    while (false)
        a[own()] = 1;
    do
        b[own()] = 1;
    while (false);
}

// ROW: in_other_case: writes b
__global__ void in_other_case(int *a, int *b) {
    switch (sizeof(int)) {
    case 8:
        a[own()] = 1;
        break;
    case 4:
        b[own()] = 1;
    }
}

// ROW: in_short_circuit: writes b
__global__ void in_short_circuit(int *a, int *b) { b[own()] = 0 && (a[own()] = 1); }

// ROW: not_evaluated: writes b
__global__ void not_evaluated(int *a, int *b) { b[own()] = sizeof(a[own()]) + noexcept(*a); }

// ROW: in_false_constexpr: writes b
__global__ void in_false_constexpr(int *a, int *b) {
    constexpr bool debug = false;
    if constexpr (debug)
        a[own()] = 1;
    b[own()] = 1;
}

#define DEBUG 0
// ROW: not_compiled: writes b
__global__ void not_compiled(int *a, int *b) {
#if DEBUG
    a[own()] = 1;
#endif
    b[own()] = 1;
}

static __device__ void never_called(int *a) { a[own()] = 1; }
// ROW: uncalled_function: writes b
__global__ void uncalled_function(int *a, int *b) {
    auto lambda = [=] { a[own()] = 1; };
    if (false)
        never_called(a);
    (void)lambda;
    b[own()] = 1;
}

static __device__ void store(int *a, bool really) {
    if (really)
        a[own()] = 1;
}
// conservative: a constant argument of a function may count as unknown
// ROW: constant_argument: writes {{b|a, b}}
__global__ void constant_argument(int *a, int *b) {
    store(a, false);
    store(b, true);
}

struct Block {
    int values[4];
};
// ROW: local_copy: reads b; writes out
__global__ void local_copy(int *out, const Block *b, int n) {
    Block copy = b[own()];
    copy.values[n & 3] = 1;
    out[own()] = copy.values[2];
}

// ROW: dead_pointer: writes a
__global__ void dead_pointer(int *a, int *b) {
    int *p = b;
    p += own();
    p = a;
    *p = 1;
}

// The host's side of a function does not run here.
__host__ __device__ static void on_both_sides(int *a, int *b) {
#ifdef __CUDA_ARCH__
    b[0] = 1;
#else
    a[0] = 1;
#endif
}
// ROW: other_side: writes b
__global__ void other_side(int *a, int *b) { on_both_sides(a, b); }

// ROW: assumed: writes b
__global__ void assumed(int *a, int *b, int n) {
    b[own()] = 1;
    if (n > 5)
        __builtin_unreachable();
}
