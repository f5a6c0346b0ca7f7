/* What every program has in front of its own functions. */
#include "test/fuzz/generator.h"

static const char *const includes[] = {
    "#include <kesco.h>", "",
    "#include <cassert>", "#include <cstdint>",
    "#include <cstdio>",  "#include <cstdlib>",
    "#include <cstring>", "#include <ctime>",
    "#include <utility>",
};

static const char *const types[] = {
    "",
    "#if __clang_major__ < 22 /* has neither */",
    "#define __ldcg(from) (*(from))",
    "#define __stwt(to, what) (*(to) = (what))",
    "#endif",
    "#define N 32",
    "#define LENGTH 8",
    "#define BYTES (N * sizeof(unsigned))",
    "#define SOME (LENGTH * sizeof(unsigned))",
    "#define EACH(i) if (blockIdx.x + blockIdx.y + threadIdx.x == 0) for (int i = 0; i < LENGTH; ++i)",
    "#define WHOLE(i) if (blockIdx.x + blockIdx.y + threadIdx.x == 0) for (int i = 0; i < N; ++i)",
    "#define CHECK(call) check((call), #call)",
    "#define TWICE(p, v, s) do { k_scale<<<1, 1, 0, s>>>(p, v); k_scale<<<1, 1, 0, s>>>(p, (v) + 1); } while "
    "(0)",
    "#define chosen_a k_fill_plainly",
    "#define chosen_b k_scale_plainly",
    "",
    "struct Small { unsigned x, y; };",
    "struct Large { unsigned v[64]; };",
    "struct Holder { unsigned *x, *y; };",
    "struct Streams { cudaStream_t main, side; };",
    "struct Failure { int code; };",
    "",
    "struct Odd { unsigned x, y, z; };",
    "struct Empty {};",
    "",
    "__device__ unsigned total, bumped, unused;",
    "__device__ __align__(16) unsigned area[N];",
    "__device__ unsigned *stash;",
    "__device__ unsigned *pointer_slot;",
    "__device__ unsigned *device_pointer;",
    "__constant__ unsigned constants[4];",
    "static unsigned global_number, unused_number, one = 1, number_of_outputs = 2;",
    "static volatile unsigned global_volatile;",
    "static unsigned *g0, *g1;",
    "unsigned pattern[N], spare[N];",
    "static unsigned **table;",
    "static unsigned *notes;",
    "static cudaStream_t default_stream, global_stream;",
    "static unsigned scenario_depth;",
    "static cudaEvent_t marker;",
    "static float milliseconds;",
    "",
    "struct Members { static __device__ unsigned sum; };",
    "__device__ unsigned Members::sum;",
    "struct Leave { unsigned by; __device__ ~Leave() { total = total * 3 + by; } };",
    "struct Enter { unsigned x; __device__ Enter(unsigned v) : x(total = total * 5 + v) {} };",
    "struct Delegate {",
    "    unsigned x;",
    "    __device__ Delegate(unsigned v, int) { x = total = total * 3 + v; }",
    "    __device__ Delegate(unsigned v) : Delegate(v, 1) {}",
    "};",
    "struct Parent { unsigned x; __device__ Parent(unsigned v) { x = total = total * 5 + v; } };",
    "struct Inherit : Parent { using Parent::Parent; };",
    "struct Step {",
    "    unsigned n;",
    "    __device__ unsigned operator*() const { return n; }",
    "    __device__ Step &operator++() { total = total * 3 + ++n; return *this; }",
    "    __device__ bool operator!=(const Step &other) const { return n != other.n; }",
    "};",
    "struct Range { __device__ Step begin() { return {0}; } __device__ Step end() { return {2}; } };",
    "struct Base { __device__ virtual unsigned go(unsigned v) { return v; } };",
    "struct Derived : Base { __device__ unsigned go(unsigned v) override { return total = total * 3 + v; } "
    "};",
    "__device__ static unsigned through_base(Base &b, unsigned v) { return b.go(v); }",
    "__device__ static unsigned with_default(unsigned v, unsigned t = (total = total * 7 + 1)) { return t + "
    "v; }",
    "static constexpr unsigned *alias_of_total = &total;",
    "__device__ static unsigned bump(unsigned by) { bumped = bumped * 3 + by; return bumped; }",
    "struct Indexed { unsigned n; unsigned *p; };",
    "struct Triple { unsigned *out, *in; unsigned n; };",
    "struct Many { unsigned *p[3]; unsigned n; };",
    "struct Nested { unsigned n; Holder pair; const unsigned *in; };",
    "struct View : Holder {",
    "    unsigned n;",
    "    __device__ unsigned &at(int i) const { return x[i]; }",
    "    __device__ unsigned other(int i) const { return y[i]; }",
    "};",
    "union Either { unsigned *pointer; uintptr_t number; };",
    "struct Reference { unsigned &first; };",
    "struct Scaler {",
    "    unsigned *x;",
    "    const unsigned *y;",
    "    unsigned f;",
    "    __device__ void operator()(int i) const { x[i] = x[i] * f + y[i]; }",
    "};",
    "__device__ __noinline__ static void store(unsigned *p, unsigned v) { *p = v; }",
    "__device__ __noinline__ static void store_twisted(unsigned *p, unsigned v) { *p = (v << 5) ^ v; }",
    "__device__ static void store_further(unsigned *p, unsigned v) { store(p, v + *p); }",
    "__device__ static void store_deep(unsigned *p, unsigned v) { store_further(p, v ^ 3); }",
    "__device__ __noinline__ static unsigned load(const unsigned *p) { return *p; }",
    "__device__ static unsigned load_deep(const unsigned *p) { return load(p) * 3; }",
    "__device__ static unsigned fold(const unsigned *p, unsigned n) {",
    "    return n ? *p * 5 + fold(p + 1, n - 1) : 1;",
    "}",
    "__device__ __noinline__ static unsigned get_total() { return total; }",
    "__device__ static unsigned &slot(unsigned v) { return v & 1 ? total : bumped; }",
    "__device__ __noinline__ static void insist(bool right) { if (!right) __trap(); }",
    "__global__ void k_fill_plainly(unsigned *out, unsigned v) { EACH(i) out[i] = v + i; }",
    "__global__ void k_scale_plainly(unsigned *out, unsigned v) { EACH(i) out[i] = out[i] * 5 + v; }",
    "KESCO_OUTPUTS(0) __global__ void k_none() {}",
    "__global__ void k_tell(unsigned v) { EACH(i) if (i == 0) printf(\"D %u\\n\", v); }",
    "KESCO_OUTPUTS(1) __global__ void k_blend(unsigned *a, const unsigned *b, unsigned v) {",
    "    WHOLE(i) a[i] = a[i] * 3 + b[i] + v;",
    "}",
    "__global__ void k_spread(unsigned *a, const unsigned *b, unsigned v) {",
    "    WHOLE(i) a[i] = b[N - 1 - i] * 5 + (a[i] ^ v);",
    "}",
};

/* Kernels that follow pointers in memory: in C++, in assembly, and where that hands the pointer out. */
enum { POINTER_KERNELS = 3, POINTER_FORMS = 3 };
static const char *const pointer_heads[POINTER_KERNELS] = {
    "KESCO_OUTPUTS(0) __global__ void k_through(unsigned v) {",
    "KESCO_OUTPUTS(0) __global__ void k_rows(unsigned **rows, unsigned v) {",
    "KESCO_OUTPUTS(1) __global__ void k_row(unsigned *out, unsigned *const *rows, unsigned v) {",
};
static const char *const pointer_bodies[POINTER_KERNELS][POINTER_FORMS] = {
    {
        "    EACH(i) device_pointer[i] = device_pointer[i] * 7 + v;",
        "    EACH(i) asm volatile(\"{ .reg .u64 p; .reg .u32 t; ld.global.u64 p, [%0]; mad.wide.u32 p, %1, "
        "4, p; \"\n"
        "        \"ld.u32 t, [p]; mad.lo.u32 t, t, 7, %2; st.u32 [p], t; }\"\n"
        "        :: \"l\"(&device_pointer), \"r\"(i), \"r\"(v) : \"memory\");",
        "    EACH(i) {\n"
        "        unsigned *p;\n"
        "        asm volatile(\"{ .reg .b64 q; ld.global.b64 q, [%1]; cvta.to.global.u64 %0, q; }\"\n"
        "            : \"=l\"(p) : \"l\"(&device_pointer) : \"memory\");\n"
        "        p[i] = p[i] * 7 + v;\n"
        "    }",
    },
    {
        "    EACH(i) rows[0][i] = rows[1][i] * 3 + rows[0][i] + v;",
        "    EACH(i) asm volatile(\"{ .reg .u64 p<2>; .reg .u32 s, t; ld.u64 p0, [%0]; ld.u64 p1, [%0+8]; "
        "\"\n"
        "        \"mad.wide.u32 p0, %1, 4, p0; mad.wide.u32 p1, %1, 4, p1; ld.u32 s, [p0]; ld.u32 t, [p1]; "
        "\"\n"
        "        \"mad.lo.u32 t, t, 3, s; add.u32 t, t, %2; st.u32 [p0], t; }\"\n"
        "        :: \"l\"(rows), \"r\"(i), \"r\"(v) : \"memory\");",
        "    EACH(i) {\n"
        "        unsigned *p, *q;\n"
        "        asm volatile(\"ld.global.u64 %0, [%2]; ld.global.u64 %1, [%2+8];\"\n"
        "            : \"=&l\"(p), \"=l\"(q) : \"l\"(rows) : \"memory\");\n"
        "        p[i] = q[i] * 3 + p[i] + v;\n"
        "    }",
    },
    {
        "    EACH(i) out[i] = out[i] * 3 + rows[0][i] + v;",
        "    EACH(i) asm volatile(\"{ .reg .u64 p; .reg .u32 t; ld.u64 p, [%1]; mad.wide.u32 p, %2, 4, p; "
        "ld.u32 t, [p]; \"\n"
        "        \"add.u32 t, t, %3; red.global.add.u32 [%0], t; }\"\n"
        "        :: \"l\"(out + i), \"l\"(rows), \"r\"(i), \"r\"(v) : \"memory\");",
        "    EACH(i) {\n"
        "        unsigned *own[2] = {out, out};\n"
        "        asm volatile(\"{ .reg .u64 q; ld.u64 q, [%1]; st.u64 [%0], q; }\" :: \"l\"(own), "
        "\"l\"(rows) : \"memory\");\n"
        "        out[i] = out[i] * 3 + own[0][i] + v;\n"
        "    }",
    },
};

static const char *const helpers[] = {
    "static void check(cudaError_t error, const char *call) {",
    "    if (error != cudaSuccess) printf(\"%s: %s\\n\", call, cudaGetErrorName(error));",
    "}",
    "static unsigned folded(const unsigned *p, unsigned count) {",
    "    unsigned sum = 0;",
    "    for (unsigned i = 0; i < count; ++i) sum = sum * 31 + p[i];",
    "    return sum;",
    "}",
    "static void show_some(const unsigned *p, unsigned count) {",
    "    unsigned host[N];",
    "    check(cudaMemcpy(host, p, count * sizeof *p, cudaMemcpyDeviceToHost), \"show\");",
    "    printf(\"%08x\\n\", folded(host, count));",
    "}",
    "static void show(const unsigned *p) { show_some(p, LENGTH); }",
    "static void show_all(const unsigned *p) { show_some(p, N); }",
    "static unsigned next(unsigned *p) { return *p = *p * 7 + 1; }",
    "__attribute__((noinline)) static unsigned blocks(unsigned *p) { ++*p; return 1 + *p % 2; }",
    "static unsigned mixed(unsigned a, unsigned b) { return (a ^ b) * 5 + (a >> 3); }",
    "static unsigned changed(unsigned *p) { unsigned old = *p; *p = old / 2 + 3; return old & 3; }",
    "static unsigned *pick(unsigned *a, unsigned *b, unsigned v) { return v & 1 ? a : b; }",
    "__attribute__((noinline)) static unsigned *same(unsigned *p) { return p; }",
    "static unsigned **pointer_to(unsigned *&p) { return &p; }",
    "static void set(unsigned **p, unsigned *value) { *p = value; }",
    "static void copy_bytes(unsigned **p, unsigned *value) { memcpy((void *)p, &value, sizeof value); }",
    "static void through_device(unsigned **p, unsigned *value) {",
    "    cudaMemcpyToSymbol(pointer_slot, &value, sizeof value);",
    "    cudaMemcpyFromSymbol(p, pointer_slot, sizeof value);",
    "}",
    "static void exchange(unsigned **a, unsigned **b) { unsigned *t = *a; *a = *b; *b = t; }",
    "static Holder make_holder(unsigned *x, unsigned *y) { Holder h; h.x = x; h.y = y; return h; }",
    "__attribute__((noinline)) static Large make_large(unsigned v) { Large l = {}; l.v[3] = v; l.v[60] = ~v; "
    "return l; }",
    "static unsigned *allocate() { unsigned *p = nullptr; cudaMalloc(&p, BYTES); return p; }",
    "static void allocate_into(unsigned **p) { cudaMalloc(p, BYTES); }",
    "static void maybe_throw(unsigned v) { if (v % 3 == 1) throw (int)(v % 100); }",
    "static void demand(cudaError_t error) { if (error != cudaSuccess) throw Failure{(int)error}; }",
    "struct Finish {",
    "    unsigned *&p;",
    "    unsigned v;",
    "    cudaStream_t s;",
    "    ~Finish() { k_scale<<<1, 1, 0, s>>>(p, v); }",
    "};",
    "static unsigned *touched(unsigned *p, cudaStream_t s) { k_scale<<<1, 1, 0, s>>>(p, 9); return p; }",
    "static unsigned *touched_number(unsigned *p, cudaStream_t s) { touched(p, s); return &one; }",
    "static int in_order(const void *a, const void *b) {",
    "    return (*(const unsigned *)a > *(const unsigned *)b) - (*(const unsigned *)a < *(const unsigned "
    "*)b);",
    "}",
    "static void sort_numbers(unsigned *p, unsigned count) { qsort(p, count, sizeof *p, in_order); }",
    "__attribute__((noinline)) static void wait_for_all() { cudaDeviceSynchronize(); }",
    "static void count_up(void *p) { *(unsigned *)p = *(unsigned *)p * 3 + 1; }",
    "static void called_back(cudaStream_t, cudaError_t, void *p) { *(unsigned *)p = *(unsigned *)p * 5 + 2; "
    "}",
    "struct Buffer {",
    "    unsigned *data = nullptr;",
    "    Buffer() { cudaMalloc(&data, BYTES); }",
    "    ~Buffer() { cudaFree(data); }",
    "};",
    "__attribute__((noinline)) static void rotate(unsigned **a, unsigned **b, unsigned v, cudaStream_t s) {",
    "    k_mix<<<1, 1, 0, s>>>(*a, *b);",
    "    std::swap(*a, *b);",
    "    k_scale<<<1, 1, 0, s>>>(*a, v);",
    "    k_fill<<<1, 1, 0, s>>>(*b, v);",
    "}",
    "template <unsigned K> static void launching(unsigned *a, unsigned *b, unsigned v) {",
    "    unsigned *own;",
    "    cudaMalloc(&own, BYTES);",
    "    k_init<<<1, 1>>>(own, v + K);",
    "    k_add<<<1, 1>>>(b, b, a);",
    "    k_mix<<<1, 1>>>(own, a);",
    "    launching<K - 1>(b, own, v * 3);",
    "    k_scale<<<1, 1>>>(own, K);",
    "    k_scale<<<1, 1>>>(a, K);",
    "    k_add<<<1, 1>>>(a, own, own + 8);",
    "    cudaFree(own);",
    "}",
    "template <> void launching<0>(unsigned *a, unsigned *b, unsigned v) { k_two<<<1, 1>>>(b, b, a); }",
};

static const char *const thread_function[] = {
    "#include <thread>",
    "",
    "static void run_beside(unsigned *a, unsigned v) {",
    "    unsigned *b, *c, host[LENGTH];",
    "    cudaMalloc(&b, BYTES);",
    "    cudaMalloc(&c, BYTES);",
    "    for (unsigned i = 0; i < 2; ++i) {",
    "        k_init<<<1, 1>>>(b, v);",
    "        k_init<<<1, 1>>>(c, i);",
    "        k_scale<<<1, 1>>>(b, 3);",
    "        k_mix<<<1, 1>>>(c, b);",
    "        cudaMemcpyAsync(b + 16, c, SOME, cudaMemcpyDeviceToDevice);",
    "        k_scale<<<1, 1>>>(b, 5);",
    "        cudaMemcpy(host, c, SOME, cudaMemcpyDeviceToHost);",
    "        host[0] += v;",
    "        cudaMemcpy(c + 8, host, SOME, cudaMemcpyHostToDevice);",
    "    }",
    "    k_mix<<<1, 1>>>(b + 8, c + 8);",
    "    k_add<<<1, 1>>>(a, b, c);",
    "    cudaDeviceSynchronize();",
    "    cudaFree(b);",
    "    cudaFree(c);",
    "}",
};

/* Each definition is a statement to the writer, so that a smaller program can do without. */
static void write_lines(struct generator *g, const char *const *lines, size_t count) {
    bool kept = writer_begin(&g->writer);

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && *lines[i] != ' ' && *lines[i] != '}') {
            writer_end(&g->writer, kept);
            kept = writer_begin(&g->writer);
        }
        writer_line(&g->writer, "%s", lines[i]);
    }
    writer_end(&g->writer, kept);
}

void write_includes(struct generator *g) {
    write_lines(g, includes, sizeof includes / sizeof *includes);
}

void write_definitions(struct generator *g) {
    write_lines(g, types, sizeof types / sizeof *types);
    for (unsigned i = 0; i < POINTER_KERNELS; i++) {
        const char *const lines[] = {pointer_heads[i],
                                     pointer_bodies[i][random_below(&g->random, POINTER_FORMS)], "}"};
        write_lines(g, lines, 3);
    }
    choose_program_kernels(g);
    write_kernels(g);
    write_lines(g, helpers, sizeof helpers / sizeof *helpers);
}

void write_prelude(struct generator *g) {
    if (g->has.per_thread)
        fputs("// flags: -fgpu-default-stream=per-thread\n", g->writer.out);
    if (g->has.vectors)
        fputs("#include <vector>\n", g->writer.out);
    write_includes(g);
    write_definitions(g);
    if (g->has.threads)
        write_lines(g, thread_function, sizeof thread_function / sizeof *thread_function);
}
