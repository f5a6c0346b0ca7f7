// Assembly that accesses memory of the thread or the block: what it puts there, it may find there. Where more is allowed
// than a kernel does, it is what an analysis may take for possible.
// Not modelled: in_halves_in_matrix multicast in_shared_of_the_cluster in_local_by_number
// Clang 19 cannot take such an operand.
// REQUIRES: clang-22
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

struct Pair {
    int *x, *y;
};
struct Holder {
    Pair *pair;
};

// ROW: in_struct: writes {{(a, )?}}b
__global__ void in_struct(int *a, int *b) {
    Pair s = {a, b};
    asm volatile("{ .reg .u64 p; ld.u64 p, [%0+8]; st.u32 [p], 1; }" ::"l"(&s) : "memory");
}

// ROW: in_struct_operand: writes {{(a, )?}}b
__global__ void in_struct_operand(int *a, int *b) {
    Pair s = {a, b};
    asm volatile("{ .reg .u64 p; ld.u64 p, %0; st.u32 [p], 1; }" ::"m"(s.y));
}

// ROW: into_struct: writes {{(a, )?}}b
__global__ void into_struct(int *a, int *b) {
    Pair s = {a, a};
    asm volatile("st.u64 [%0], %1;" ::"l"(&s.y), "l"(b) : "memory");
    *s.y = 1;
}

// ROW: into_struct_in_halves: writes {{(a, )?}}b
__global__ void into_struct_in_halves(int *a, int *b) {
    Pair s = {a, a};
    asm volatile("st.u32 [%0+8], %1; st.u32 [%0+12], %2;" ::"l"(&s.x), "r"((unsigned)(unsigned long long)b),
                 "r"((unsigned)((unsigned long long)b >> 32))
                 : "memory");
    *s.y = 1;
}

// ROW: into_struct_operand: writes {{(a, )?}}b
__global__ void into_struct_operand(int *a, int *b) {
    Pair s = {a, a};
    asm volatile("st.u64 %0, %1;" : "=m"(s.y) : "l"(b));
    *s.y = 1;
}

// ROW: into_struct_behind: writes {{(a, )?b|(a, )?b; writes memory that no argument names: [^;]*}}
__global__ void into_struct_behind(int *a, int *b) {
    Pair s = {a, a};
    Holder h = {&s};
    asm volatile("{ .reg .u64 p; ld.u64 p, [%0]; st.u64 [p], %1; }" ::"l"(&h), "l"(b) : "memory");
    *s.x = 1;
}

// ROW: into_struct_that_escaped: reads all; writes all{{(, a|, b)*}}; writes memory that no argument names: {{[^;]*}}
__global__ void into_struct_that_escaped(Pair **all, int *a, int *b) {
    Pair s = {a, a};
    asm volatile("st.global.u64 [%0], %1;" ::"l"(all), "l"(&s) : "memory");
    asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.u64 [p], %1; }" ::"l"(all), "l"(b) : "memory");
    *s.x = 1;
}

// At -O0 the assembly comes before the member changes, whatever it says of memory.
// ROW: in_struct_silently: writes a, b
__global__ void in_struct_silently(int *a, int *b) {
    Pair s;
    int x;
    s.x = a;
    asm("{ .reg .u64 p; ld.u64 p, [%1]; st.u32 [p], 1; mov.u32 %0, 0; }" : "=r"(x) : "l"(&s));
    s.x = b;
    *(volatile int *)s.x = 2 + x;
}

// ROW: in_parameter: writes {{(s.x, )?}}s.y
__global__ void in_parameter(const __grid_constant__ Pair s) {
    asm volatile("{ .reg .u64 p; ld.u64 p, [%0+8]; st.u32 [p], 1; }" ::"l"(&s) : "memory");
}

// ROW: in_shared: writes {{a|a; writes memory that no argument names: [^;]*}}
__global__ void in_shared(int *a, int *b) {
    __shared__ int *all[4];
    all[threadIdx.x & 3] = a;
    __syncthreads();
    asm volatile("{ .reg .u64 p; ld.shared.u64 p, [%0]; st.global.u32 [p], 1; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(all)),
                 "l"(b)
                 : "memory");
}

// ROW: in_shared_of_the_cluster: writes a, b{{(; writes memory that no argument names: [^;]*)?}}
__global__ void in_shared_of_the_cluster(int *a, int *b) {
    __shared__ int *all[4];
    all[threadIdx.x & 3] = a;
    __syncthreads();
    asm volatile("{ .reg .u32 at; mapa.shared::cluster.u32 at, %0, 0; st.shared::cluster.u64 [at], %1; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(all)),
                 "l"(b)
                 : "memory");
    __syncthreads();
    *all[0] = 1;
}

// ROW: in_shared_by_number: writes {{a, b|a, b; writes memory that no argument names: [^;]*}}
__global__ void in_shared_by_number(int *a, int *b) {
    __shared__ int *all[64];
    all[threadIdx.x] = a;
    __syncthreads();
    asm volatile("{ .reg .u32 at; mov.u32 at, %%tid.x; shl.b32 at, at, 3; st.shared.u64 [at], %0; }" ::"l"(b) : "memory");
    __syncthreads();
    *all[0] = 1;
}

// ROW: in_shared_by_index: writes {{a, b|a, b; writes memory that no argument names: [^;]*}}
__global__ void in_shared_by_index(int *a, int *b) {
    __shared__ int *all[64];
    all[threadIdx.x] = a;
    __syncthreads();
    asm volatile("st.shared.u64 [%1], %0;" ::"l"(b), "r"(threadIdx.x * 8) : "memory");
    __syncthreads();
    *all[0] = 1;
}

// ROW: out_of_shared_by_index: writes memory that no argument names: {{[^;]*}}
__global__ void out_of_shared_by_index(int *a) {
    __shared__ int *all[64];
    int *p;
    all[threadIdx.x] = a;
    __syncthreads();
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(p) : "r"(threadIdx.x * 8) : "memory");
    *p = 1;
}

// ROW: in_shared_by_generic_number: writes {{(a, b; )?}}{{(writes )?}}{{(a, b; writes )?memory that no argument names: [^;]*}}
__global__ void in_shared_by_generic_number(int *a, int *b) {
    __shared__ int *all[64];
    all[threadIdx.x] = a;
    __syncthreads();
    asm volatile("{ .reg .u64 p; .reg .u32 at; mov.u32 at, %%tid.x; shl.b32 at, at, 3; cvt.u64.u32 p, at;\n\t"
                 "cvta.shared.u64 p, p; st.u64 [p], %0; }" ::"l"(b)
                 : "memory");
    __syncthreads();
    *all[0] = 1;
}

// ROW: in_local_by_number: writes {{a, b|a, b; writes memory that no argument names: [^;]*}}
__global__ void in_local_by_number(int *a, int *b) {
    int *all[2] = {a, a};
    asm volatile("st.local.u64 [0], %0;" ::"l"(b) : "memory");
    *all[threadIdx.x & 1] = 1;
}

static __device__ __noinline__ void put(int **where, int *what) {
    asm volatile("{ .reg .u64 q; mov.u64 q, %0; st.u64 [q], %1; }" ::"l"(where), "l"(what) : "memory");
}
// ROW: in_function: writes a, b
__global__ void in_function(int *a, int *b) {
    int *all[2] = {a, a};
    put(all, b);
    *all[threadIdx.x & 1] = 1;
}

// ROW: exchanged_in_shared: writes a, b
__global__ void exchanged_in_shared(int *a, int *b) {
    __shared__ int *one;
    int *old;
    one = a;
    __syncthreads();
    asm volatile("{ .reg .u64 g; cvta.to.shared.u64 g, %1; atom.shared.exch.b64 %0, [g], %2; }"
                 : "=l"(old)
                 : "l"(&one), "l"(b)
                 : "memory");
    *one = 1;
    *old = 2;
}

// ROW: in_halves_in_shared: writes b{{(; writes memory that no argument names: [^;]*)?}}
__global__ void in_halves_in_shared(int *a, int *b) {
    __shared__ __align__(8) unsigned half[2];
    asm volatile("{ .reg .b32 l, h; mov.b64 {l, h}, %1; st.shared.v2.b32 [%0], {l, h}; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(half)),
                 "l"(b)
                 : "memory");
    __syncthreads();
    *(int *)((unsigned long long)half[1] << 32 | half[0]) = 1;
}

// ROW: in_halves_in_matrix: writes b{{(; writes memory that no argument names: [^;]*)?}}
__global__ void in_halves_in_matrix(int *a, int *b) {
    __shared__ __align__(16) int *all[64];
    unsigned low, high;
    all[threadIdx.x] = b;
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(low), "=r"(high)
                 : "r"((unsigned)__cvta_generic_to_shared(all))
                 : "memory");
    *(int *)((unsigned long long)high << 32 | low) = 1;
}

// Memory that has several addresses

// ROW: multicast: reads and writes memory that no argument names: it accesses memory of several devices (line {{[0-9]+}})
__global__ void multicast(int *a) {
    asm volatile("multimem.st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(a), "r"(1) : "memory");
}
