// Assembly with registers of its own: an address counts for what it was made of, and what comes out of memory leads
// anywhere. Where more is allowed than a kernel does, it is what an analysis may take for possible.
// Not run: waits_past_the_caches (it waits)
// Not modelled: jumps_out by_bytes with_carry copied_into_shared by_register_of_the_compiler names_variable names_parameter in_two_statements
// Not modelled: loops_in_two_statements hides_code has_data copied_behind_loaded
// Clang 19 cannot take such an operand.
// REQUIRES: clang-22
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

struct Pair {
    int *x, *y;
};
__device__ int counter;
__device__ int *slot;

// What is computed from operands

// ROW: moved: writes b
__global__ void moved(int *a, int *b) {
    asm volatile("{ .reg .u64 p; mov.u64 p, %1; st.global.u32 [p], 1; }" ::"l"(a), "l"(b) : "memory");
}

// ROW: added: reads b; writes a
__global__ void added(int *a, const int *b, long n) {
    asm volatile("{ .reg .u64 p, o; .reg .u32 t; shl.b64 o, %2, 2; add.u64 p, o, %1; ld.global.u32 t, [p+8];\n\t"
                 "st.global.u32 [%0], t; }" ::"l"(a),
                 "l"(b), "l"(n)
                 : "memory");
}

// ROW: by_index: writes a
__global__ void by_index(unsigned *a) {
    asm volatile("{ .reg .u32 t, b; .reg .u64 p; mov.u32 t, %%tid.x; mov.u32 b, %%ctaid.x; mad.lo.u32 t, b, 32, t;\n\t"
                 "mad.wide.u32 p, t, 4, %0; st.global.u32 [p], t; }" ::"l"(a)
                 : "memory");
}

// ROW: converted: writes a
__global__ void converted(int *a) {
    asm volatile("{ .reg .u64 p; cvta.to.global.u64 p, %0; and.b64 p, p, -4; st.global.u32 [p], 1; }" ::"l"(a)
                 : "memory");
}

// ROW: in_halves: writes b
__global__ void in_halves(int *a, int *b) {
    asm volatile("{ .reg .b32 l, h; .reg .b64 p; mov.b64 {l, h}, %1; mov.b64 p, {l, h}; st.global.u32 [p], 1; }" ::"l"(
                     a),
                 "l"(b)
                 : "memory");
}

// ROW: in_quarters: writes a
__global__ void in_quarters(int *a) {
    unsigned short q[4];
    int *p;
    asm("mov.b64 {%0, %1, %2, %3}, %4;" : "=h"(q[0]), "=h"(q[1]), "=h"(q[2]), "=h"(q[3]) : "l"(a));
    asm("mov.b64 %0, {%1, %2, %3, %4};" : "=l"(p) : "h"(q[0]), "h"(q[1]), "h"(q[2]), "h"(q[3]));
    *p = 1;
}

// ROW: in_halves_by_shifts: writes a
__global__ void in_halves_by_shifts(int *a) {
    unsigned low, high;
    asm("{ .reg .u64 t; shr.u64 t, %2, 32; cvt.u32.u64 %1, t; cvt.u32.u64 %0, %2; }" : "=&r"(low), "=&r"(high) : "l"(a));
    *(int *)((unsigned long long)high << 32 | low) = 1;
}

// ROW: halves_of_two: writes a, b
__global__ void halves_of_two(int *a, int *b) {
    asm volatile("{ .reg .b32 l, h, m; .reg .u64 p; mov.b64 {l, m}, %0; mov.b64 {m, h}, %1; mov.b64 p, {l, h}; st.u32 [p], 1; }" ::"l"(
                     b),
                 "l"(a)
                 : "memory");
}

// ROW: by_bytes: writes a
__global__ void by_bytes(int *a) {
    asm volatile("{ .reg .b32 l, h, x, y; .reg .u64 p; mov.b64 {l, h}, %0; prmt.b32 x, h, l, 0x7654; prmt.b32 y, h, l, 0x3210;\n\t"
                 "mov.b64 p, {x, y}; st.u32 [p], 1; }" ::"l"(a)
                 : "memory");
}

// ROW: with_carry: writes {{(a|a; writes memory that no argument names: [^;]*)}}
__global__ void with_carry(int *a, long n) {
    asm volatile("{ .reg .b32 l, h, x, y; .reg .u64 p; mov.b64 {l, h}, %0; mov.b64 {x, y}, %1; add.cc.u32 l, l, x;\n\t"
                 "addc.u32 h, h, y; mov.b64 p, {l, h}; st.u32 [p], 1; }" ::"l"(a),
                 "l"(n)
                 : "memory");
}

// ROW: beside_each_other: writes {{(a; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void beside_each_other(int *a, long n) {
    asm volatile("{ .reg .b128 q; .reg .u64 l, h; mov.b128 q, {%0, %1}; mov.b128 {l, h}, q; st.global.u32 [h], 1; }" ::"l"(a),
                 "l"(n)
                 : "memory");
}

// ROW: chosen: writes a, b
__global__ void chosen(int *a, int *b, int n) {
    asm volatile("{ .reg .u64 p; .reg .pred q; setp.eq.s32 q, %2, 0; selp.u64 p, %0, %1, q; st.global.u32 [p], 1; }" ::"l"(
                     a),
                 "l"(b), "r"(n)
                 : "memory");
}

// ROW: chosen_by_guard: writes a, b
__global__ void chosen_by_guard(int *a, int *b, int n) {
    asm volatile("{ .reg .u64 p; .reg .pred q; setp.eq.s32 q, %2, 0; mov.u64 p, %0; @!q mov.u64 p, %1;\n\t"
                 "st.global.u32 [p], 1; }" ::"l"(a),
                 "l"(b), "r"(n)
                 : "memory");
}

// ROW: chosen_by_jump: writes a, b
__global__ void chosen_by_jump(int *a, int *b, int n) {
    asm volatile("{ .reg .u64 p; .reg .pred q; setp.eq.s32 q, %2, 0; mov.u64 p, %0; @q bra MADE%=; mov.u64 p, %1;\n\t"
                 "MADE%=: st.global.u32 [p], 1; }" ::"l"(a),
                 "l"(b), "r"(n)
                 : "memory");
}

// ROW: masked_together: writes a{{, b|; writes memory that no argument names: [^;]*}}
__global__ void masked_together(int *a, int *b) {
    asm volatile("{ .reg .u64 p; xor.b64 p, %0, %1; xor.b64 p, p, %1; st.global.u32 [p], 1; }" ::"l"(a), "l"(b)
                 : "memory");
}

// ROW: in_two_scopes: writes b
__global__ void in_two_scopes(int *a, int *b) {
    asm volatile("{ .reg .u64 p; mov.u64 p, %0; { .reg .u64 p; mov.u64 p, %1; st.global.u32 [p], 1; } }" ::"l"(a),
                 "l"(b)
                 : "memory");
}

// ROW: out_of_inner_scope: writes a
__global__ void out_of_inner_scope(int *a, int *b) {
    asm volatile("{ .reg .u64 p; { .reg .u64 q; mov.u64 q, %0; mov.u64 p, q; } st.global.u32 [p], 1; }" ::"l"(a), "l"(b)
                 : "memory");
}

// ROW: of_a_range: writes b
__global__ void of_a_range(int *a, int *b) {
    asm volatile("{.reg.u64 r<4>;mov.u64 r1,%0;mov.u64 r2,%1;st.global.u32[r2],1;}" ::"l"(a), "l"(b) : "memory");
}

// ROW: of_four: reads b; writes a
__global__ void of_four(float4 *a, const float4 *b) {
    asm volatile("{ .reg .v4 .f32 v; ld.global.v4.f32 v, [%1]; st.global.v4.f32 [%0], v; }" ::"l"(a), "l"(b) : "memory");
}

// ROW: named_operands: reads b; writes a
__global__ void named_operands(int *a, const int *b) {
    asm volatile("{ .reg .u32 t; ld.global.u32 t, [%[from]]; st.global.u32 [%[to]], t; }" ::[from] "l"(b), [to] "l"(a)
                 : "memory");
}

// ROW: only_fetched: writes b
__global__ void only_fetched(int *a, int *b) {
    asm volatile("{ .reg .u64 p; mov.u64 p, %0; prefetch.global.L2 [p]; st.global.u32 [%1], 1; }" ::"l"(a), "l"(b));
}

// A jump ahead is no loop that may wait.
// ROW: jumps_ahead: reads a; writes a
__global__ void jumps_ahead(int *a, int n) {
    asm volatile("{ .reg .pred q; setp.eq.s32 q, %1, 0; @q bra DONE%=; atom.global.add.u32 %1, [%0], 1; DONE%=: }"
                 : "+l"(a), "+r"(n)
                 :
                 : "memory");
}

// What is handed out

// ROW: hands_out: writes a
__global__ void hands_out(int *a, int *b) {
    int *p;
    asm("{ .reg .u64 t; mov.u64 t, %1; add.u64 %0, t, 8; }" : "=l"(p) : "l"(a), "l"(b));
    *p = 1;
}

// ROW: changes_operand: writes a
__global__ void changes_operand(int *a) {
    int *p = a;
    asm("{ .reg .u64 t; mov.u64 t, %0; add.u64 %0, t, 4; }" : "+l"(p));
    *p = 1;
}

// ROW: hands_out_two: reads b; writes a
__global__ void hands_out_two(int *a, const int *b) {
    int *p, x;
    asm volatile("mov.u64 %0, %2; ld.global.u32 %1, [%3];" : "=&l"(p), "=r"(x) : "l"(a), "l"(b) : "memory");
    *p = x;
}

// ROW: hands_out_loaded: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void hands_out_loaded(int **slots) {
    int *p;
    asm volatile("{ .reg .u64 q; ld.global.u64 q, [%1]; mov.u64 %0, q; }" : "=l"(p) : "l"(slots) : "memory");
    *p = 1;
}

// ROW: hands_out_halves: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void hands_out_halves(unsigned *slots) {
    unsigned low, high;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(low), "=r"(high) : "l"(slots) : "memory");
    *(int *)((unsigned long long)high << 32 | low) = 1;
}

// ROW: hands_out_nothing: {{writes memory that no argument names: [^;]*}}
__global__ void hands_out_nothing(int *a) {
    int *p;
    asm volatile("// %1" : "=l"(p) : "l"(a));
    *p = 1;
}

// ROW: sum_of_distance: writes {{(a, b; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void sum_of_distance(int *a, int *b, long n) {
    long distance;
    asm("sub.s64 %0, %1, %2;" : "=l"(distance) : "l"(a), "l"(b));
    *(int *)(n + distance) = 1;
}

// ROW: distance_within: writes {{(a, b; writes )?}}memory that no argument names: {{[^;]*}}
__global__ void distance_within(int *a, int *b, long n) {
    asm volatile("{ .reg .u64 d, p; neg.s64 d, %0; add.u64 d, d, %1; add.u64 p, %2, d; st.global.u32 [p], 1; }" ::"l"(a),
                 "l"(b), "l"(n)
                 : "memory");
}

// ROW: of_six: writes a, b, c, d, e, f
__global__ void of_six(int *a, int *b, int *c, int *d, int *e, int *f, int n) {
    asm volatile("{ .reg .u64 p, q; .reg .pred z; setp.ne.u32 z, %6, 0; mov.u64 p, %0; @z mov.u64 p, %1; @z mov.u64 p, %2;\n\t"
                 "@z mov.u64 p, %3; @z mov.u64 p, %4; @z mov.u64 p, %5; add.u64 q, p, p; sub.u64 q, q, p;\n\t"
                 "st.global.u32 [q], 1; }" ::"l"(a),
                 "l"(b), "l"(c), "l"(d), "l"(e), "l"(f), "r"(n)
                 : "memory");
}

// ROW: changes_in_turn: writes a, b
__global__ void changes_in_turn(int *a, int *b, int n) {
    int *p = a, *q = b;
    for (int i = 0; i < n; ++i)
        asm volatile("{ .reg .u64 t; mov.u64 t, %0; mov.u64 %0, %1; mov.u64 %1, t; }" : "+l"(p), "+l"(q));
    *p = 1;
}

// What is loaded

// ROW: through_loaded: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void through_loaded(float **slots, float v) {
    asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.global.f32 [p], %1; }" ::"l"(slots), "f"(v) : "memory");
}

// ROW: through_loaded_or_given: reads slots; writes b; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void through_loaded_or_given(int **slots, int *b) {
    asm volatile("{ .reg .u64 r<4>; mov.u64 r1, %1; ld.global.u64 r2, [%0]; st.global.u32 [r2], 1; st.global.u32 [r1], 2; }" ::"l"(
                     slots),
                 "l"(b)
                 : "memory");
}

// ROW: through_two: reads slots; reads and writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void through_two(int ***slots) {
    asm volatile("{ .reg .u64 p; ld.u64 p, [%0]; ld.u64 p, [p]; st.u32 [p], 1; }" ::"l"(slots) : "memory");
}

// ROW: along_a_list: reads head; writes head; may wait for other blocks; reads and writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void along_a_list(int **head) {
    asm volatile("{ .reg .u64 p; .reg .pred q; mov.u64 p, %0; AGAIN: st.global.u32 [p+8], 0; ld.global.u64 p, [p];\n\t"
                 "setp.ne.u64 q, p, 0; @q bra AGAIN; }" ::"l"(head)
                 : "memory");
}

// ROW: by_loaded_index: reads slots; writes {{(b; writes )?}}memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void by_loaded_index(long *slots, int *b) {
    asm volatile("{ .reg .u64 i, p; ld.global.u64 i, [%0]; add.u64 p, i, %1; st.global.u32 [p], 1; }" ::"l"(slots), "l"(b)
                 : "memory");
}

// ROW: of_two_loaded: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void of_two_loaded(int **slots) {
    asm volatile("{ .reg .u64 p, q; ld.global.v2.u64 {p, q}, [%0]; cvta.to.global.u64 q, q; st.global.u32 [q], 1; }" ::"l"(
                     slots)
                 : "memory");
}

// ROW: of_loaded_quad: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void of_loaded_quad(int **slots) {
    asm volatile("{ .reg .b128 q; .reg .u64 l, h; ld.global.b128 q, [%0]; mov.b128 {l, h}, q; st.u32 [h], 1; }" ::"l"(slots)
                 : "memory");
}

// ROW: copied_into_shared: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void copied_into_shared(int **slots) {
    __shared__ __align__(16) int *tile[2];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(tile)),
                 "l"(slots)
                 : "memory");
    *tile[1] = 1;
}

// ROW: of_loaded_halves: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void of_loaded_halves(unsigned *slots) {
    asm volatile("{ .reg .u32 l, h; .reg .u64 p; ld.global.u32 l, [%0]; ld.global.u32 h, [%0+4]; mov.b64 p, {l, h};\n\t"
                 "st.global.u32 [p], 1; }" ::"l"(slots)
                 : "memory");
}

// ROW: through_exchanged: reads slots; writes slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void through_exchanged(int **slots, int *b) {
    asm volatile("{ .reg .u64 p; atom.global.exch.b64 p, [%0], %1; st.global.u32 [p], 1; }" ::"l"(slots), "l"(b)
                 : "memory");
}

// ROW: added_behind_loaded: reads slots; reads and writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void added_behind_loaded(int **slots) {
    asm volatile("{ .reg .u64 p; ldu.global.u64 p, [%0]; red.global.add.u32 [p], 1; }" ::"l"(slots) : "memory");
}

// ROW: copied_behind_loaded: reads slots; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void copied_behind_loaded(int **slots, int n) {
    __shared__ __align__(128) int tile[32];
    tile[threadIdx.x] = n;
    __syncthreads();
    asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; cp.async.bulk.global.shared::cta.bulk_group [p], [%1], 128;\n\t"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; }" ::"l"(slots),
                 "r"((unsigned)__cvta_generic_to_shared(tile))
                 : "memory");
}

// ROW: behind_variable: reads variable slot; writes memory that no argument names: it follows a pointer that it loads from memory (line {{[0-9]+}})
__global__ void behind_variable() {
    asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.global.u32 [p], 1; }" ::"l"(&slot) : "memory");
}

// Numbers

// ROW: by_constant: writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_constant(int *a) {
    asm volatile("{ .reg .u64 p; mov.u64 p, 4096; st.global.u32 [p], 1; }" ::"l"(a) : "memory");
}

// ROW: by_special_register: writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_special_register(int *a) {
    asm volatile("{ .reg .u64 p; mov.u64 p, %%clock64; st.global.u32 [p], 1; }" ::"l"(a) : "memory");
}

// ROW: by_register_of_the_compiler: {{(.*; )?}}runs code that is not seen: inline assembly has name '%rd1', which is not understood (line {{[0-9]+}})
__global__ void by_register_of_the_compiler(int *a) {
    asm volatile("st.global.u32 [%%rd1], 1;" ::"l"(a) : "memory");
}

// ROW: by_number_handed_out: {{(writes a; )?}}writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_number_handed_out(int *a, int n) {
    int *p = a;
    asm("{ .reg .pred z; setp.eq.s32 z, %1, 0; @z mov.u64 %0, 4096; }" : "+l"(p) : "r"(n));
    *p = 1;
}

// ROW: by_number_or_given: {{(writes a; )?}}writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_number_or_given(int *a, int n) {
    int *p;
    asm("mov.u64 %0, 4096;" : "=l"(p));
    *(n ? a : p) = 1;
}

// ROW: by_number_in_struct: {{(writes a; )?}}writes memory that no argument names: it makes an address of a number (line {{[0-9]+}})
__global__ void by_number_in_struct(int *a) {
    Pair s = {a, a};
    asm volatile("st.u64 [%0], 4096;" ::"l"(&s.y) : "memory");
    *s.y = 1;
}

// What is a number of the assembly's own is no address where it is added to one.
// ROW: by_number_as_index: writes a
__global__ void by_number_as_index(int *a) {
    __shared__ int index[32];
    long n;
    asm("mov.u64 %0, 8;" : "=l"(n));
    asm volatile("st.u32 [%0], 4;" ::"l"(index + threadIdx.x) : "memory");
    a[n + index[threadIdx.x]] = 1;
}

// Loops

// ROW: only_writes_in_loop: writes a
__global__ void only_writes_in_loop(int *a, int n) {
    asm volatile("{ .reg .pred z; .reg .u64 p; .reg .s32 i; mov.u64 p, %0; mov.s32 i, 0;\n\t"
                 "AGAIN: st.global.u32 [p], i; add.u64 p, p, 4; add.s32 i, i, 1; setp.lt.s32 z, i, %1; @z bra AGAIN; }" ::"l"(a),
                 "r"(n)
                 : "memory");
}

// What must come from memory each time is looked at again, whatever the compiler may do with the statement.
// ROW: waits_past_the_caches: reads flag; writes a; may wait for other blocks
__global__ void waits_past_the_caches(int *a, int *flag) {
    int seen, i = 0;
    do
        asm("ld.global.cv.u32 %0, [%1]; // %2" : "=r"(seen) : "l"(flag), "r"(i++));
    while (!seen);
    *a = 1;
}

// ROW: jumps_out: writes a; runs code that is not seen: inline assembly has an escape, which is not understood (line {{[0-9]+}})
__global__ void jumps_out(int *a, int n) {
    asm goto("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p bra %l1; }" ::"r"(n)::out);
    *a = 1;
out:;
}

// ROW: names_variable: {{(.*; )?}}runs code that is not seen: inline assembly has name 'counter', which is not understood (line {{[0-9]+}})
__global__ void names_variable() {
    asm volatile("{ .reg .u64 p; mov.u64 p, counter; st.global.u32 [p], 1; }" ::: "memory");
}

// ROW: names_parameter: {{(.*; )?}}runs code that is not seen: inline assembly has name 'names_parameter_param_0', which is not understood (line {{[0-9]+}})
extern "C" __global__ void names_parameter(int *a) {
    asm volatile("{ .reg .u64 p; ld.param.u64 p, [names_parameter_param_0]; st.global.u32 [p], 1; }" ::: "memory");
}

// ROW: in_two_statements: runs code that is not seen: inline assembly has a brace that is not closed, which is not understood (line {{[0-9]+}})
__global__ void in_two_statements(int *a) {
    asm volatile("{ .reg .u64 p; mov.u64 p, %0;" ::"l"(a) : "memory");
    asm volatile("st.global.u32 [p], 1; }" ::: "memory");
}

// ROW: loops_in_two_statements: {{(.*; )?}}runs code that is not seen: inline assembly has name 'LOOP_OF_TWO', which is not understood (line {{[0-9]+}})
__global__ void loops_in_two_statements(int *a) {
    asm volatile("{ .reg .u32 t; ld.acquire.gpu.u32 t, [%0]; }\n\tLOOP_OF_TWO:" ::"l"(a) : "memory");
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p bra LOOP_OF_TWO; }" ::"r"(1) : "memory");
}

// ROW: hides_code: runs code that is not seen: inline assembly has a comment that is not closed, which is not understood (line {{[0-9]+}})
__global__ void hides_code(int *a) {
    asm volatile("/* st.global.u32 [%0], 1;" ::"l"(a));
    asm volatile("*/");
}

// ROW: has_data: runs code that is not seen: inline assembly has directive '.shared', which is not understood (line {{[0-9]+}})
__global__ void has_data(int *a) {
    asm volatile("{ .shared .b32 place; st.shared.u32 [place], 1; }" ::"l"(a) : "memory");
}
