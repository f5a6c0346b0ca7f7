// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// RUN: env VGPU_CHECK=races VGPU_STATS=%t.json %t && FileCheck %s < %t.json
// CHECK: "races": 0,
// What PTX's instructions compute, with registers, scopes, guards, labels and vectors of the assembly's own, is what C computes.
#include "check.h"

__host__ __device__ static unsigned long long bits_of(double x) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

__device__ int variable = 5;

__global__ void arithmetic(unsigned *out, unsigned x, unsigned y, int s) {
    asm("{ .reg .u32 t; add.u32 t, %1, %2; sub.u32 %0, t, 7; }" : "=r"(out[0]) : "r"(x), "r"(y));
    asm("{ .reg .u32 l, h; .reg .u64 w; mul.lo.u32 l, %1, %2; mul.hi.u32 h, %1, %2; mul.wide.u32 w, %1, %2;\n\t"
        ".reg .u32 a, b; mov.b64 {a, b}, w; xor.b32 l, l, a; xor.b32 h, h, b; or.b32 %0, l, h; }"
        : "=r"(out[1])
        : "r"(x), "r"(y));
    asm("mad.lo.s32 %0, %1, -3, %2;" : "=r"(out[2]) : "r"(s), "r"(x));
    asm("{ .reg .s64 w; mad.wide.s32 w, %1, %1, -1; cvt.u32.s64 %0, w; }" : "=r"(out[3]) : "r"(s));
    asm("mul.hi.s32 %0, %1, %2;" : "=r"(out[4]) : "r"(s), "r"(0x40000000));
    asm("and.b32 %0, %1, 0xff00ff; " : "=r"(out[5]) : "r"(x));
    asm("{ not.b32 %0, %1; }" : "=r"(out[6]) : "r"(x));
    asm("shl.b32 %0, %1, %2;" : "=r"(out[7]) : "r"(x), "r"(y));
    asm("shl.b32 %0, %1, 32;" : "=r"(out[8]) : "r"(x));
    asm("shr.u32 %0, %1, 4;" : "=r"(out[9]) : "r"(x));
    asm("shr.s32 %0, %1, 40;" : "=r"(out[10]) : "r"(s));
    asm("{ .reg .s32 t; min.s32 t, %1, 3; max.u32 %0, t, %2; }" : "=r"(out[11]) : "r"(s), "r"(x));
    asm("{ .reg .b32 t; neg.s32 t, %1; abs.s32 %0, t; }" : "=r"(out[12]) : "r"(s));
    asm("{ .reg .b32 a<3>; popc.b32 a0, %1; clz.b32 a1, %1; brev.b32 a2, %1; add.u32 a0, a0, a1; add.u32 %0, a0, a2; }"
        : "=r"(out[13])
        : "r"(x));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[14]) : "r"(x), "r"(y), "r"(s));
    asm("mov.u32 %0, 0x10; // and a comment" : "=r"(out[15]));
    asm("sub.s32 %0, -010, 0b11;" : "=r"(out[16]));
}

__global__ void reals(float *out, double *wide, float x, double z) {
    asm("{ .reg .f32 t; add.rn.f32 t, %1, 0f3F800000; mul.f32 t, t, %1; sub.f32 %0, t, 0.5; }" : "=f"(out[0]) : "f"(x));
    asm("fma.rn.f32 %0, %1, %1, %1;" : "=f"(out[1]) : "f"(x));
    asm("{ neg.f32 %0, %1; abs.f32 %0, %0; max.f32 %0, %0, 0.25; }" : "=&f"(out[2]) : "f"(x));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(out[3]) : "r"(-7));
    asm("{ .reg .s32 t; cvt.rzi.s32.f32 t, %1; cvt.rn.f32.s32 %0, t; }" : "=f"(out[4]) : "f"(x));
    asm("mov.b32 %0, %1;" : "=f"(out[5]) : "r"(0x40490fdb));
    asm("{ .reg .f64 t; cvt.f64.f32 t, %1; mul.f64 %0, t, %2; }" : "=d"(wide[0]) : "f"(x), "d"(z));
    asm("add.f64 %0, %1, 0d3FF8000000000000;" : "=d"(wide[1]) : "d"(z));
    asm("{ .reg .f32 t; cvt.rn.f32.f64 t, %1; cvt.f64.f32 %0, t; }" : "=d"(wide[2]) : "d"(z));
}

// CUDA's headers have these for halves.
__global__ void functions(float *out, int *whole, float x, float y) {
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(out[0]) : "f"(x));
    asm("sqrt.approx.f32 %0, %1;" : "=f"(out[1]) : "f"(x));
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(out[2]) : "f"(x));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out[3]) : "f"(x));
    asm("lg2.approx.f32 %0, %1;" : "=f"(out[4]) : "f"(x));
    asm("sin.approx.f32 %0, %1;" : "=f"(out[5]) : "f"(x));
    asm("cos.approx.ftz.f32 %0, %1;" : "=f"(out[6]) : "f"(x));
    asm("tanh.approx.f32 %0, %1;" : "=f"(out[7]) : "f"(x));
    asm("div.full.f32 %0, %1, %2;" : "=f"(out[8]) : "f"(x), "f"(y));
    asm("div.s32 %0, %1, 3;" : "=r"(whole[0]) : "r"(-10));
    asm("div.u32 %0, %1, 3;" : "=r"(whole[1]) : "r"(-10));
}

__global__ void conversions(long long *out, int s, unsigned long long w) {
    asm("cvt.s64.s32 %0, %1;" : "=l"(out[0]) : "r"(s));
    asm("cvt.u64.u32 %0, %1;" : "=l"(out[1]) : "r"(s));
    asm("{ .reg .b32 l, h; mov.b64 {l, h}, %1; mov.b64 %0, {h, l}; }" : "=l"(out[2]) : "l"(w));
    asm("{ .reg .b32 h; mov.b64 {_, h}, %1; cvt.u64.u32 %0, h; }" : "=l"(out[3]) : "l"(w));
    asm("{ .reg .s8 c; cvt.s8.s32 c, %1; cvt.s64.s8 %0, c; }" : "=l"(out[4]) : "r"(s));
    asm("{ .reg .b16 a<4>; mov.b64 {a0, a1, a2, a3}, %1; mov.b64 %0, {a3, a2, a1, a0}; }" : "=l"(out[5]) : "l"(w));
    asm("{ .reg .b128 q; mov.b128 q, {%1, %2}; mov.b128 {%0, _}, q; }" : "=l"(out[6]) : "l"(w), "l"(0ull));
}

__global__ void guards(int *out, int n) {
    asm("{ .reg .pred p; setp.gt.s32 p, %1, 5; mov.u32 %0, 1; @p mov.u32 %0, 2; @!p add.u32 %0, %0, 10; }" : "=&r"(out[0]) : "r"(n));
    asm("{ .reg .pred p, q; setp.lt.and.s32 p|q, %1, 100, 1; selp.b32 %0, 3, 4, p; @q mov.u32 %0, 5; }"
        : "=&r"(out[1])
        : "r"(n));
    asm("{ .reg .pred p, q, r; setp.eq.s32 p, %1, 1; setp.hi.u32 q, %1, 5; and.pred r, p, q; or.pred r, r, !p; not.pred r, r;\n\t"
        "selp.b32 %0, 6, 7, r; }"
        : "=r"(out[2])
        : "r"(n));
    asm("{ .reg .pred p; .reg .f32 f; cvt.rn.f32.s32 f, %1; setp.geu.f32 p, f, 0f40A00000; selp.s32 %0, 8, 9, p; }"
        : "=r"(out[3])
        : "r"(n));
    // The sum of 1 to n, by a loop.
    asm("{ .reg .pred p; .reg .s32 i; mov.s32 i, 0; mov.s32 %0, 0;\n\tAGAIN%=: add.s32 i, i, 1; setp.le.s32 p, i, %1; @!p bra DONE%=;\n\t"
        "add.s32 %0, %0, i; bra.uni AGAIN%=; DONE%=: }"
        : "=&r"(out[4])
        : "r"(n));
    // Labels and registers of one name in two scopes.
    asm("{ .reg .s32 t; mov.s32 t, 1; { .reg .s32 t; mov.s32 t, 20; bra L; mov.s32 t, 300; L: add.s32 %0, t, 0; }\n\t"
        "bra L; mov.s32 t, 4000; L: add.s32 %0, %0, t; }"
        : "=&r"(out[5]));
}

__global__ void memory(int *out, const int *in, const signed char *bytes, long long *wide) {
    const int i = threadIdx.x;
    asm volatile("{ .reg .u64 p, q; .reg .u32 t, v; mov.u32 t, %%tid.x; mad.wide.u32 p, t, 4, %1; mad.wide.u32 q, t, 4, %0;\n\t"
                 "ld.global.nc.L1::no_allocate.u32 v, [p]; add.u32 v, v, t; st.global.cs.u32 [q], v; }" ::"l"(out),
                 "l"(in)
                 : "memory");
    if (i != 0)
        return;
    asm volatile("{ .reg .s32 a<4>; ld.global.v4.s32 {a0, a1, a2, a3}, [%1+16]; st.v2.b32 [%0+256], {a3, a0};\n\t"
                 "st.volatile.global.v2.b32 [%0 + 264], {a1, -9}; }" ::"l"(out),
                 "l"(in)
                 : "memory");
    asm volatile("{ .reg .v4 .b32 v; ld.v4.b32 v, [%1]; mov.b32 v.x, v.w; st.v4.b32 [%0+272], v; }" ::"l"(out), "l"(in)
                 : "memory");
    asm volatile("{ .reg .s32 v; ld.global.s8 v, [%1]; cvt.s64.s32 %0, v; }" : "=l"(wide[0]) : "l"(bytes) : "memory");
    asm volatile("ld.global.u8 %0, [%1];" : "=l"(wide[1]) : "l"(bytes) : "memory");
    asm volatile("st.global.u8 [%0], %1;" ::"l"(wide + 2), "r"(0x1234) : "memory");
    asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.global.u32 [p], 77; }" ::"l"(wide + 3) : "memory");
    asm volatile("{ .reg .u32 v; ld.relaxed.gpu.global.u32 v, [%0]; st.release.gpu.global.u32 [%0], v; fence.acq_rel.gpu; membar.gl; }" ::"l"(
                     out)
                 : "memory");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
}

struct pair {
    int *to, *from;
};

__global__ void operands_in_memory(int *a, int *b) {
    struct pair s = {a, b};
    int x = 3;
    asm volatile("{ .reg .u64 p; ld.u64 p, %0; st.u32 [p], 11; }" ::"m"(s.to));
    asm volatile("st.u64 %0, %1;" : "=m"(s.to) : "l"(b));
    *s.to = 12;
    asm volatile("{ .reg .u64 p; ld.u64 p, [%0+8]; ld.u32 %1, [p]; }" : : "l"(&s), "r"(x) : "memory");
    asm volatile("{ .reg .u32 t; ld.u32 t, %0; add.u32 t, t, 1; st.u32 %0, t; }" : "+m"(x));
    a[1] = x;
}

__global__ void atomics(int *sum, unsigned *others, float *real, int *old) {
    int before;
    asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(sum) : "memory");
    atomicAdd(&old[before], 1);
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(others), "r"(threadIdx.x) : "memory");
    asm volatile("red.global.add.f32 [%0], 0.5;" ::"l"(real) : "memory");
    asm volatile("red.and.b32 [%0+4], %1;" ::"l"(others), "r"(~(1u << threadIdx.x % 32)) : "memory");
    asm volatile("red.global.inc.u32 [%0+8], 9;" ::"l"(others) : "memory");
    // One of all threads takes each number, once.
    asm volatile("{ .reg .pred p; .reg .u32 v, w, n; ld.volatile.global.u32 v, [%0+12];\n\tAGAIN%=: add.u32 n, v, 2;\n\t"
                 "atom.global.acq_rel.gpu.cas.b32 w, [%0+12], v, n; setp.ne.u32 p, v, w; mov.u32 v, w; @p bra AGAIN%=; }" ::"l"(others)
                 : "memory");
    asm volatile("{ .reg .u32 t; atom.global.exch.b32 t, [%0+16], %1; }" ::"l"(others), "r"(threadIdx.x + 1) : "memory");
}

extern __shared__ int dynamic[];

__global__ void shared_memory(int *out) {
    __shared__ int tile[32], other[32];
    const unsigned i = threadIdx.x;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&tile[i]), in_dynamic = (unsigned)__cvta_generic_to_shared(&dynamic[i]);
    other[i] = 1000 + i;
    asm volatile("{ st.shared.u32 [%0], %2; st.shared::cta.u32 [%1], %3; }" ::"r"(at), "r"(in_dynamic), "r"(i), "r"(2 * i) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    int x = tile[31 - i], y = dynamic[31 - i], z, w, v;
    asm volatile("{ .reg .u64 p; cvt.u64.u32 p, %1; cvta.shared.u64 p, p; ld.u32 %0, [p]; }" : "=r"(z) : "r"(at) : "memory");
    asm volatile("{ .reg .u64 p; .reg .pred q; cvta.to.shared.u64 p, %1; isspacep.shared q, %1; ld.shared.s32 %0, [p]; @!q mov.s32 %0, -1; }"
                 : "=r"(w)
                 : "l"(&other[i])
                 : "memory");
    asm volatile("barrier.sync 0; atom.shared.add.u32 %0, [%1], 5;" : "=r"(v) : "r"(at) : "memory");
    out[i] = x + y + z + w + v + tile[i];
}

__global__ void special_registers(unsigned *out) {
    unsigned i, n, b;
    asm("{ .reg .u32 t; mov.u32 t, %%tid.x; mov.u32 %0, t; mov.u32 %1, %%ntid.x; mov.u32 %2, %%ctaid.y; }" : "=r"(i), "=r"(n), "=r"(b));
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 1; @p exit; }" ::"r"(i));
    asm("mov.u32 %0, WARP_SZ;" : "=r"(out[i]));
    out[i] += n + b;
}

// What is declared to leave memory alone does not.
__device__ __noinline__ int quiet(int *p) {
    int x;
    asm("{ .reg .u32 t; ld.global.u32 t, [%1]; add.u32 t, t, 1; st.global.u32 [%1], t; mov.u32 %0, t; }" : "=r"(x) : "l"(p));
    return x;
}
__global__ void quietly(int *p, int *out) {
    out[0] = quiet(p);
    out[1] = *(volatile int *)p;
}

static void check_arithmetic(unsigned x, unsigned y, int s) {
    unsigned *out = DEVICE_ZEROS(unsigned, 17), got[17];
    arithmetic<<<1, 1>>>(out, x, y, s);
    fetch(got, out, sizeof got);
    const unsigned long long product = (unsigned long long)x * y;
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (x >> i & 1) << (31 - i);
    const unsigned wanted[17] = {x + y - 7,
                                 0,
                                 (unsigned)s * -3u + x,
                                 (unsigned)((long long)s * s - 1),
                                 (unsigned)(((long long)s * 0x40000000) >> 32),
                                 x & 0xff00ff,
                                 ~x,
                                 y >= 32 ? 0 : x << y,
                                 0,
                                 x >> 4,
                                 s < 0 ? ~0u : 0,
                                 (unsigned)(s < 3 ? s : 3) > x ? (unsigned)(s < 3 ? s : 3) : x,
                                 s < 0 ? 0u - (unsigned)s : (unsigned)s,
                                 (unsigned)__builtin_popcount(x) + (x ? (unsigned)__builtin_clz(x) : 32) + reversed,
                                 x ^ y ^ (unsigned)s,
                                 16,
                                 (unsigned)-11};
    (void)product;
    for (int i = 0; i < 17; i++)
        CHECK_EQUAL(got[i], wanted[i]);
}

static void check_reals(void) {
    float *out = DEVICE_ZEROS(float, 6), got[6];
    double *wide = DEVICE_ZEROS(double, 3), gotten[3];
    const float x = -2.75f;
    const double z = 1.0 / 3;
    reals<<<1, 1>>>(out, wide, x, z);
    fetch(got, out, sizeof got);
    fetch(gotten, wide, sizeof gotten);
    CHECK(got[0] == (x + 1) * x - 0.5f && got[1] == x * x + x && got[2] == 2.75f && got[3] == -7 && got[4] == -2);
    CHECK(got[5] > 3.14159f && got[5] < 3.1416f);
    CHECK_EQUAL(bits_of(gotten[0]), bits_of((double)x * z));
    CHECK_EQUAL(bits_of(gotten[1]), bits_of(z + 1.5));
    CHECK_EQUAL(bits_of(gotten[2]), bits_of((double)(float)z));
}

static void check_functions(void) {
    float *out = DEVICE_ZEROS(float, 9), got[9];
    int *whole = DEVICE_ZEROS(int, 2), gotten[2];
    const float x = 0.6f, y = 1.7f;
    const float wanted[9] = {1 / x, sqrtf(x), 1 / sqrtf(x), exp2f(x), log2f(x), sinf(x), cosf(x), tanhf(x), x / y};
    functions<<<1, 1>>>(out, whole, x, y);
    fetch(got, out, sizeof got);
    fetch(gotten, whole, sizeof gotten);
    for (int i = 0; i < 9; i++)
        CHECK(fabsf(got[i] - wanted[i]) < 1e-6f);
    CHECK_EQUAL(gotten[0], -3);
    CHECK_EQUAL((unsigned)gotten[1], (unsigned)-10 / 3);
}

static void check_conversions(void) {
    long long *out = DEVICE_ZEROS(long long, 7), got[7];
    conversions<<<1, 1>>>(out, -200, 0x1122334455667788ull);
    fetch(got, out, sizeof got);
    CHECK_EQUAL(got[0], -200);
    CHECK_EQUAL(got[1], 0xffffff38ll);
    CHECK_EQUAL(got[2], 0x5566778811223344ll);
    CHECK_EQUAL(got[3], 0x11223344ll);
    CHECK_EQUAL(got[4], 0x38);
    CHECK_EQUAL(got[5], 0x7788556633441122ll);
    CHECK_EQUAL(got[6], 0x1122334455667788ll);
}

static void check_guards(void) {
    int *out = DEVICE_ZEROS(int, 6), got[6];
    guards<<<1, 1>>>(out, 9);
    fetch(got, out, sizeof got);
    const int many[6] = {2, 3, 7, 8, 45, 21};
    for (int i = 0; i < 6; i++)
        CHECK_EQUAL(got[i], many[i]);
    guards<<<1, 1>>>(out, 1);
    fetch(got, out, sizeof got);
    const int few[6] = {11, 3, 6, 9, 1, 21};
    for (int i = 0; i < 6; i++)
        CHECK_EQUAL(got[i], few[i]);
}

static void check_memory(void) {
    enum { N = 64 };
    int host[N], got[N + 8];
    signed char byte = -3;
    long long wides[4] = {0, 0, 0, 0};
    int *in = DEVICE_ZEROS(int, N), *out = DEVICE_ZEROS(int, N + 8), *behind = DEVICE_ZEROS(int, 1);
    signed char *bytes = DEVICE_ZEROS(signed char, 1);
    long long *wide = DEVICE_ZEROS(long long, 4);
    for (int i = 0; i < N; i++)
        host[i] = i * i;
    memcpy(&wides[3], &behind, sizeof behind);
    CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(bytes, &byte, 1, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(wide, wides, sizeof wides, cudaMemcpyHostToDevice));
    memory<<<1, N>>>(out, in, bytes, wide);
    fetch(got, out, sizeof got);
    for (int i = 0; i < N; i++)
        CHECK_EQUAL(got[i], i * i + i);
    CHECK_EQUAL(got[N], 49);
    CHECK_EQUAL(got[N + 1], 16);
    CHECK_EQUAL(got[N + 2], 25);
    CHECK_EQUAL(got[N + 3], -9);
    CHECK_EQUAL(got[N + 4], 9);
    CHECK_EQUAL(got[N + 5], 1);
    CHECK_EQUAL(got[N + 7], 9);
    fetch(wides, wide, sizeof wides);
    CHECK_EQUAL(wides[0], -3);
    CHECK_EQUAL(wides[1], 253);
    CHECK_EQUAL(wides[2], 0x34);
    fetch(got, behind, sizeof *behind);
    CHECK_EQUAL(got[0], 77);
    operands_in_memory<<<1, 1>>>(out, behind);
    fetch(got, out, 2 * sizeof *got);
    CHECK_EQUAL(got[0], 11);
    CHECK_EQUAL(got[1], 4);
    fetch(got, behind, sizeof *got);
    CHECK_EQUAL(got[0], 12);
}

static void check_atomics(void) {
    int *sum = DEVICE_ZEROS(int, 1), *old = DEVICE_ZEROS(int, 64), got[64];
    unsigned *others = DEVICE_ZEROS(unsigned, 5), gotten[5];
    float *real = DEVICE_ZEROS(float, 1), half;
    CUDA(cudaMemset(others + 1, 0xff, sizeof *others));
    atomics<<<1, 64>>>(sum, others, real, old);
    fetch(got, sum, sizeof *sum);
    CHECK_EQUAL(got[0], 64);
    fetch(got, old, sizeof got);
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(got[i], 1);
    fetch(gotten, others, sizeof gotten);
    CHECK_EQUAL(gotten[0], 63);
    CHECK_EQUAL(gotten[1], 0);
    CHECK_EQUAL(gotten[2], 64 % 10);
    CHECK_EQUAL(gotten[3], 128);
    CHECK(gotten[4] >= 1 && gotten[4] <= 64);
    fetch(&half, real, sizeof half);
    CHECK(half == 32);
}

static void check_shared_memory(void) {
    int *out = DEVICE_ZEROS(int, 32), got[32];
    shared_memory<<<1, 32, 32 * sizeof(int)>>>(out);
    fetch(got, out, sizeof got);
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(got[i], (31 - i) + 2 * (31 - i) + i + (1000 + i) + i + (i + 5));
}

static void check_special_registers(void) {
    unsigned *out = DEVICE_ZEROS(unsigned, 3), got[3];
    special_registers<<<dim3(1, 1), 3>>>(out);
    fetch(got, out, sizeof got);
    CHECK_EQUAL(got[0], 35);
    CHECK_EQUAL(got[1], 0);
    CHECK_EQUAL(got[2], 35);
    int *p = DEVICE_ZEROS(int, 1), both[2];
    quietly<<<1, 1>>>(p, (int *)out);
    fetch(both, out, sizeof both);
    CHECK_EQUAL(both[0], 1);
    CHECK_EQUAL(both[1], 1);
}

int main(void) {
    check_arithmetic(0x12345678, 5, -77);
    check_arithmetic(0xffffffff, 40, 77);
    check_arithmetic(0, 0, 0);
    check_reals();
    check_functions();
    check_conversions();
    check_guards();
    check_memory();
    check_atomics();
    check_shared_memory();
    check_special_registers();
    return 0;
}
