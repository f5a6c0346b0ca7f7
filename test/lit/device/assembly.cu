// Inline assembly: what is understood counts as what it does, the rest as code that is not seen.
// Not modelled: beyond_surface arithmetic names_variable takes_variable matrix_of_shared discards calls fetches multiplies
// Not run: loops traps traps_by_guard traps_in_two_statements (they wait, or end the program)
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

__device__ int counter;

// ROW: empty: writes a
__global__ void empty(int *a, int *b) {
    a[own()] = 1;
    asm volatile("" ::: "memory");
}

// ROW: opaque_number: writes a
__global__ void opaque_number(int *a, int n) {
    asm volatile("" : "+r"(n));
    a[n] = 1;
}

// conservative: a pointer out of assembly may be taken for unnamed
// ROW: opaque_pointer: writes {{a|memory that no argument names: [^;]*}}
__global__ void opaque_pointer(int *a) {
    asm volatile("" : "+l"(a));
    a[own()] = 1;
}

// conservative: as above
// ROW: moved_pointer: writes {{a|memory that no argument names: [^;]*}}
__global__ void moved_pointer(int *a) {
    int *p;
    asm("mov.u64 %0, %1;" : "=l"(p) : "l"(a));
    p[own()] = 1;
}

// ROW: special_registers: writes a
__global__ void special_registers(unsigned long long *a) {
    unsigned lane;
    unsigned long long time;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    a[own()] = lane + time;
}

// ROW: arithmetic: reads b; writes a
__global__ void arithmetic(unsigned *a, const unsigned *b) {
    unsigned x = b[own()], y, z;
    asm("add.u32 %0, %1, 3;" : "=r"(y) : "r"(x));
    asm("lop3.b32 %0, %1, %2, 7, 0x96;" : "=r"(z) : "r"(x), "r"(y));
    asm("bfe.u32 %0, %1, 3, 5;" : "=r"(x) : "r"(z));
    a[own()] = x + y + z;
}

// ROW: several_instructions: writes a
__global__ void several_instructions(int *a, int n) {
    int x;
    asm("{\n\t.reg .pred p;\n\tsetp.gt.s32 p, %1, 5;\n\tselp.s32 %0, 1, 2, p;\n\t}" : "=r"(x) : "r"(n));
    a[own()] = x;
}

// ROW: loads: reads b; writes a
__global__ void loads(int *a, const int *b) {
    int x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(b + own()) : "memory");
    a[own()] = x;
}

// The compiler is told that this touches no memory, but it does.
// ROW: loads_silently: reads b; writes a
__global__ void loads_silently(int *a, const int *b) {
    int x;
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(b));
    a[own()] = x;
}

// ROW: loads_vector: reads b; writes a
__global__ void loads_vector(float4 *a, const float4 *b) {
    float4 x;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4+16];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "l"(b));
    a[own()] = x;
}

// ROW: loads_generic: reads b, c, d; writes a
__global__ void loads_generic(int *a, const int *b, const int *c, const int *d) {
    int x, y, z;
    asm volatile("ld.u32 %0, [%1];" : "=r"(x) : "l"(b));
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(y) : "l"(c));
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(z) : "l"(d) : "memory");
    a[own()] = x + y + z;
}

// ROW: stores: writes a
__global__ void stores(int *a, int n) { asm volatile("st.global.u32 [%0], %1;" ::"l"(a + own()), "r"(n) : "memory"); }

// ROW: stores_silently: writes a
__global__ void stores_silently(int *a, int n) { asm volatile("st.global.cs.u32 [%0+4], %1;" ::"l"(a), "r"(n)); }

// ROW: stores_vector: writes a
__global__ void stores_vector(float2 *a, float x) {
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(a), "f"(x), "f"(x) : "memory");
}

// ROW: releases: writes a, b
__global__ void releases(int *a, int *b) {
    asm volatile("st.volatile.u32 [%0], 1;" ::"l"(a) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(b) : "memory");
}

// ROW: stores_on_condition: writes a
__global__ void stores_on_condition(int *a, int n) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@p st.global.u32 [%0], %1;\n\t}" ::"l"(a), "r"(n)
                 : "memory");
}

// ROW: loads_and_stores: reads b; writes a
__global__ void loads_and_stores(int *a, const int *b) {
    asm volatile("{\n\t.reg .u32 t;\n\tld.global.u32 t, [%1];\n\tst.global.u32 [%0], t;\n\t}" ::"l"(a), "l"(b)
                 : "memory");
}

// ROW: atomics: reads a, b; writes a, b, out
__global__ void atomics(int *a, int *b, int *out) {
    int old, swapped;
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(a) : "memory");
    asm volatile("atom.global.gpu.acq_rel.cas.b32 %0, [%1], 0, 1;" : "=r"(swapped) : "l"(b) : "memory");
    out[own()] = old + swapped;
}

// ROW: reduces: reads a; writes a
__global__ void reduces(float *a, float x) { asm volatile("red.global.add.f32 [%0], %1;" ::"l"(a), "f"(x) : "memory"); }

// conservative: an address that the assembly computes by itself may count as not understood
// ROW: by_register: {{reads b; writes a|(.*; )?runs code that is not seen: .*}}
__global__ void by_register(int *a, const int *b) {
    int x;
    asm volatile("{\n\t.reg .u64 t;\n\tadd.u64 t, %1, 16;\n\tld.global.u32 %0, [t];\n\t}" : "=r"(x) : "l"(b));
    a[own()] = x;
}

// conservative: as above
// ROW: by_converted_register: {{writes a|(.*; )?runs code that is not seen: .*}}
__global__ void by_converted_register(int *a, int n) {
    asm volatile("{\n\t.reg .u64 g;\n\tcvta.to.global.u64 g, %0;\n\tst.global.u32 [g], %1;\n\t}" ::"l"(a), "r"(n)
                 : "memory");
}

// ROW: by_converted_operand: writes a
__global__ void by_converted_operand(int *a, int n) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(a)), "r"(n) : "memory");
}

// ROW: by_choice: writes a, b
__global__ void by_choice(int *a, int *b, int n) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(n ? a : b), "r"(n) : "memory");
}

// ROW: by_loaded_pointer: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void by_loaded_pointer(int **slots, int n) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(slots[own()]), "r"(n) : "memory");
}

struct Pair {
    int *a;
    const int *b;
};
// ROW: in_struct: reads s.b; writes s.a
__global__ void in_struct(Pair s) {
    int x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(s.b));
    asm volatile("st.global.u32 [%0], %1;" ::"l"(s.a), "r"(x) : "memory");
}

static __device__ __forceinline__ int load(const int *p) {
    int x;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}
// ROW: in_function: reads b, c; writes a
__global__ void in_function(int *a, const int *b, const int *c) { a[own()] = load(b) + load(c + own()); }

// A pointer that the assembly only looks at is not used.
// ROW: not_addressed: writes a
__global__ void not_addressed(unsigned long *a, int *b) {
    unsigned long x;
    asm("add.u64 %0, %1, 8;" : "=l"(x) : "l"(b));
    a[own()] = x;
}

// ROW: stores_pointer: writes a
__global__ void stores_pointer(int **a, int *b) { asm volatile("st.global.u64 [%0], %1;" ::"l"(a), "l"(b) : "memory"); }

// ROW: comment: writes a
__global__ void comment(int *a, int *b) {
    int x;
    asm("// ld.global.u32 %0, [%1];\n\tmov.u32 %0, 1; /* st.global.u32 [%1], %0; */" : "=r"(x) : "l"(b));
    a[own()] = x;
}

// conservative: fetching ahead may count as reading
// ROW: prefetches: {{(reads b; )?}}writes a
__global__ void prefetches(int *a, const int *b) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(b));
    a[own()] = 1;
}

// conservative: assembly that names a variable may count as not understood
// ROW: names_variable: {{writes variable counter|(.*; )?runs code that is not seen: .*}}
__global__ void names_variable(int n) { asm volatile("st.global.u32 [counter], %0;" ::"r"(n) : "memory"); }

// conservative: as above, or the address may be taken for unnamed
// ROW: takes_variable: {{writes variable counter|writes memory that no argument names: [^;]*|(.*; )?runs code that is not seen: .*}}
__global__ void takes_variable(int n) {
    int *p;
    asm("mov.u64 %0, counter;" : "=l"(p));
    *(int *)__cvta_global_to_generic((size_t)p) = n;
}

// ROW: shared_by_address: writes a
__global__ void shared_by_address(int *a, int n) {
    __shared__ int mine[32];
    unsigned address = (unsigned)__cvta_generic_to_shared(&mine[threadIdx.x]);
    int x;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(n) : "memory");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
    a[own()] = x;
}

// conservative: pointers that went through shared memory may be taken for unnamed
// ROW: pointer_from_shared: {{writes a|writes memory that no argument names: [^;]*}}
__global__ void pointer_from_shared(int *a) {
    __shared__ int *all[4];
    all[threadIdx.x & 3] = a;
    __syncthreads();
    int *p;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(p) : "r"((unsigned)__cvta_generic_to_shared(&all[1])) : "memory");
    p[own()] = 1;
}

// conservative: as above
// ROW: pointer_to_shared: writes a, b{{(; writes memory that no argument names: [^;]*)?}}
__global__ void pointer_to_shared(int *a, int *b) {
    __shared__ int *all[4];
    all[threadIdx.x & 3] = a;
    __syncthreads();
    asm volatile("st.shared.u64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&all[1])), "l"(b) : "memory");
    __syncthreads();
    all[1][own()] = 1;
}

// conservative: as above
// ROW: pointer_exchanged_in_shared: writes a, b{{(; writes memory that no argument names: [^;]*)?}}
__global__ void pointer_exchanged_in_shared(int *a, int *b) {
    __shared__ int *all[4];
    all[threadIdx.x & 3] = a;
    __syncthreads();
    int *p;
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;"
                 : "=l"(p)
                 : "r"((unsigned)__cvta_generic_to_shared(&all[1])), "l"(b)
                 : "memory");
    p[own()] = 1;
}

// ROW: matrix_of_shared: writes a
__global__ void matrix_of_shared(unsigned *a, unsigned n) {
    __shared__ __align__(16) unsigned tile[32 * 4];
    tile[threadIdx.x] = n;
    __syncthreads();
    unsigned x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(x)
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])));
    a[own()] = x;
}

// ROW: barriers: writes a
__global__ void barriers(int *a) {
    asm volatile("bar.sync 0;" ::: "memory");
    a[own()] = 1;
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("fence.sc.gpu;" ::: "memory");
    asm volatile("nanosleep.u32 20;");
}

// ROW: traps: writes a; may trap
__global__ void traps(int *a, int n) {
    a[own()] = 1;
    if (n)
        asm volatile("trap;");
}

// ROW: traps_by_guard: writes a; may trap
__global__ void traps_by_guard(int *a, int n) {
    a[own()] = 1;
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p trap; }" ::"r"(n));
}

// A breakpoint may be the end of a kernel that no debugger is attached to.
// ROW: breaks: writes a; may trap
__global__ void breaks(int *a, int n) {
    a[own()] = 1;
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p brkpt; }" ::"r"(n));
}

// A place beyond a surface is a bad address, which any kernel may have.
// ROW: beyond_surface: writes a; reads memory that no argument names: it reads through a surface (line {{[0-9]+}})
__global__ void beyond_surface(int *a, cudaSurfaceObject_t surface) {
    asm volatile("suld.b.1d.b32.trap {%0}, [%1, {%2}];" : "=r"(a[own()]) : "l"(surface), "r"(own() * 4));
}

// ROW: traps_in_two_statements: writes a; may trap; runs code that is not seen: inline assembly has a brace that is not closed, which is not understood (line {{[0-9]+}})
__global__ void traps_in_two_statements(int *a, int n) {
    a[own()] = 1;
    if (n) {
        asm volatile("{ trap;");
        asm volatile("}");
    }
}

// The end of a thread is no trap, nor is a name that has the word in it.
// ROW: ends: writes a
__global__ void ends(int *a, int n) {
    asm volatile("{ .reg .pred p, trap; setp.eq.s32 trap, %0, 0; mov.pred p, trap; @p exit; }" ::"r"(n));
    a[own()] = 1;
}

// What the cache throws away is gone: that is a write.
// ROW: discards: {{writes a|(.*; )?runs code that is not seen: .*}}
__global__ void discards(int *a) { asm volatile("discard.global.L2 [%0], 128;" ::"l"(a) : "memory"); }

// conservative: a loop in assembly may count as not understood
// ROW: loops: {{reads flag; may wait for other blocks|(.*; )?runs code that is not seen: .*}}
__global__ void loops(int *flag) {
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 t;\nAGAIN:\n\tld.acquire.gpu.u32 t, [%0];\n\tsetp.eq.u32 p, t, 0;\n\t"
                 "@p bra AGAIN;\n\t}" ::"l"(flag)
                 : "memory");
}

// conservative: a call in assembly may count as not understood, though its callee is here
extern "C" __device__ __noinline__ void assembly_callee(int *a) { a[own()] = 1; }
// ROW: calls: {{writes a|(.*; )?runs code that is not seen: .*}}
__global__ void calls(int *a) {
    asm volatile("{\n\t.param .b64 p;\n\tst.param.b64 [p], %0;\n\tcall assembly_callee, (p);\n\t}" ::"l"(a) : "memory");
}

// conservative: what the assembly fetches through the handle has no name, or the assembly may count as not understood
// ROW: fetches: {{writes a; reads memory that no argument names: [^;]*|(.*; )?runs code that is not seen: .*}}
__global__ void fetches(float *a, cudaTextureObject_t texture) {
    float x, y, z, w;
    asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(texture), "r"(own()));
    a[own()] = x;
}

// The memory of a multiplication in registers is none.
// ROW: multiplies: writes a
__global__ void multiplies(int *a, int n) {
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(n), "r"(n), "r"(3));
    a[own()] = d;
}
