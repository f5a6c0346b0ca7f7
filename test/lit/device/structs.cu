// Pointers in structs that are passed by value, each told apart from the others.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <stdint.h>

struct One {
    float *p;
};
struct Two {
    const float *in;
    float *out;
};
struct Three {
    int count;
    float *x, *y, *z;
};
struct Eight {
    int *p0, *p1, *p2, *p3, *p4, *p5, *p6, *p7;
};
struct Span {
    float *data;
    int length;
};
struct Nested {
    int n;
    Two inner;
    Span last;
};
struct Many {
    long n;
    float *p[4];
};
struct Spans {
    Span of[3];
};
struct Base {
    float *low;
};
struct Other {
    float *high;
};
struct Derived : Base, Other {
    float *mine;
};
union Either {
    float *real;
    int *whole;
};
struct Numbers {
    uintptr_t address;
    float *p;
};
struct Plain {
    int n;
    float x[4];
};
struct Rows {
    float *data;
    int width;
    __device__ float &at(int i) { return data[i]; }
    __device__ float get(int i) const { return data[i]; }
};

// ROW: one: writes s.p
__global__ void one(One s) { s.p[own()] = 1; }

// ROW: two: reads s.in; writes s.out
__global__ void two(Two s) { s.out[own()] = s.in[own()]; }

// ROW: three: reads s.x, s.z; writes s.x
__global__ void three(Three s) {
    if (own() < s.count)
        s.x[own()] += s.z[own()];
}

// ROW: eight: reads s.p1, s.p6; writes s.p0, s.p7
__global__ void eight(Eight s) {
    s.p0[own()] = s.p6[own()];
    s.p7[own()] = s.p1[own()];
}

// ROW: no_pointers: writes out
__global__ void no_pointers(float *out, Plain s, int i) { out[own()] = s.x[i & 3] + s.n; }

// ROW: unused_struct: writes out
__global__ void unused_struct(float *out, Eight s) { out[own()] = 1; }

// ROW: among_parameters: reads a, s.in, b; writes s.out, b
__global__ void among_parameters(const float *a, Two s, float *b) {
    s.out[own()] = a[own()] + s.in[own()];
    b[own()] += 1;
}

// ROW: two_structs: reads t.in; writes s.out
__global__ void two_structs(Two s, Two t) { s.out[own()] = t.in[own()]; }

// ROW: span: reads s.data; writes s.data
__global__ void span(Span s) {
    for (int i = own(); i < s.length; i += 128)
        s.data[i] *= 2;
}

// ROW: span_walk: reads from.data; writes to.data
__global__ void span_walk(Span to, Span from) {
    for (float *p = from.data, *end = p + from.length, *q = to.data; p != end;)
        *q++ = *p++;
}

// ROW: nested: reads s.inner.in; writes s.inner.out, s.last.data
__global__ void nested(Nested s) {
    s.inner.out[own()] = s.inner.in[own()];
    s.last.data[s.last.length - 1] = 1;
}

// ROW: array: reads s.p[3]; writes s.p[0], s.p[2]
__global__ void array(Many s) {
    s.p[0][own()] = s.p[3][own()];
    s.p[2][own()] = 1;
}

// ROW: array_in_loop: writes s.p[0], s.p[1], s.p[2], s.p[3]
__global__ void array_in_loop(Many s) {
    for (int i = 0; i < 4; ++i)
        s.p[i][own()] = 1;
}

// ROW: array_by_number: reads s.p[0], s.p[1], s.p[2], s.p[3]; writes out
__global__ void array_by_number(float *out, Many s, int n) { out[own()] = s.p[n & 3][own()]; }

// conservative: a number without a bound may be taken to leave the array, but not the struct
// ROW: array_by_any_number: writes {{(s\.n, )?}}s.p[0], s.p[1], s.p[2], s.p[3]
__global__ void array_by_any_number(Many s) { s.p[s.n][own()] = 1; }

// ROW: array_of_structs: reads s.of[1].data; writes s.of[2].data
__global__ void array_of_structs(Spans s) { s.of[2].data[own()] = s.of[1].data[own()]; }

// ROW: array_of_structs_by_number: writes s.of[0].data, s.of[1].data, s.of[2].data
__global__ void array_of_structs_by_number(Spans s, int n) {
    if (own() < s.of[n].length)
        s.of[n].data[own()] = 1;
}

// ROW: bases: reads s.{{[A-Za-z.:]*}}high; writes s.{{[A-Za-z.:]*}}low, s.mine
__global__ void bases(Derived s) {
    s.low[own()] = s.high[own()];
    s.mine[own()] = 1;
}

// One place, two names.
// ROW: by_union: writes s.{{real|whole}}
__global__ void by_union(Either s, int n) {
    if (n)
        s.real[own()] = 1;
    else
        s.whole[own()] = 1;
}

// conservative: memory without a name, as what is a number may lead anywhere
// ROW: by_number: {{writes s.address|writes memory that no argument names: [^;]*}}
__global__ void by_number(Numbers s) { *(float *)s.address = 1; }

// ROW: beside_number: writes s.p
__global__ void beside_number(Numbers s) { s.p[s.address] = 1; }

// ROW: by_integer_and_back: writes s.out
__global__ void by_integer_and_back(Two s) { *(float *)((uintptr_t)s.out + 4 * own()) = 1; }

// ROW: copied: reads s.in; writes s.out
__global__ void copied(Two s) {
    Two t = s;
    t.out[own()] = t.in[own()];
}

// ROW: copied_bytes: writes s.out
__global__ void copied_bytes(Two s) {
    Two t;
    memcpy(&t, &s, sizeof t);
    t.out[own()] = 1;
}

// ROW: moved_before_use: writes s.p
__global__ void moved_before_use(One s) {
    s.p += own();
    *s.p = 1;
}

// ROW: replaced_before_use: writes a
__global__ void replaced_before_use(One s, float *a) {
    s.p = a;
    s.p[own()] = 1;
}

// ROW: replaced_sometimes: writes s.p, a
__global__ void replaced_sometimes(One s, float *a) {
    if (!s.p)
        s.p = a;
    s.p[own()] = 1;
}

// ROW: swapped_members: reads s.x; writes s.y
__global__ void swapped_members(Three s) {
    float *t = s.x;
    s.x = s.y;
    s.y = t;
    s.x[own()] = s.y[own()];
}

// ROW: swapped_in_loop: reads s.x, s.y; writes s.x, s.y
__global__ void swapped_in_loop(Three s) {
    for (int i = 0; i < s.count; ++i) {
        s.x[own()] = s.y[own()] + 1;
        float *t = s.x;
        s.x = s.y;
        s.y = t;
    }
}

static __device__ void by_const_reference(const Two &s) { s.out[own()] = s.in[own()]; }
// ROW: passed_by_reference: reads s.in; writes s.out
__global__ void passed_by_reference(Two s) { by_const_reference(s); }

static __device__ __noinline__ void by_reference_apart(Two &s, float *out) {
    s.out = out;
    s.out[own()] = s.in[own()];
}
// ROW: passed_by_reference_apart: reads s.in; writes a
__global__ void passed_by_reference_apart(Two s, float *a) { by_reference_apart(s, a); }

static __device__ __noinline__ void by_value_apart(Three s) { s.z[own()] = s.x[own()]; }
// ROW: passed_by_value: reads s.x; writes s.z
__global__ void passed_by_value(Three s) { by_value_apart(s); }

static __device__ __noinline__ float *member_of(Three s, int n) { return n ? s.x : s.z; }
// ROW: returned_member: writes s.x, s.z
__global__ void returned_member(Three s, int n) { member_of(s, n)[own()] = 1; }

static __device__ __noinline__ Two turned(Two s) { return Two{s.out, const_cast<float *>(s.in)}; }
// ROW: returned_struct: reads s.out; writes s.in
__global__ void returned_struct(Two s) {
    Two t = turned(s);
    t.out[own()] = t.in[own()];
}

// ROW: member_functions: reads from.data; writes to.data
__global__ void member_functions(Rows to, const Rows from) { to.at(own()) = from.get(own()); }

// ROW: chosen_struct: writes s.out, t.out
__global__ void chosen_struct(Two s, Two t, int n) { (n ? s : t).out[own()] = 1; }

// ROW: members_compared: writes out
__global__ void members_compared(int *out, Two s) { out[own()] = s.in == s.out; }

struct Columns {
    int *key;
    float *value;
    unsigned char *valid;
};
// ROW: struct_of_arrays: reads t.key, t.valid; writes t.value
__global__ void struct_of_arrays(Columns t, int n) {
    int i = own();
    if (i < n && t.valid[i])
        t.value[i] = (float)t.key[i];
}

struct __align__(16) Wide {
    float4 *p;
    int n;
};
// ROW: aligned_struct: reads w.p; writes w.p
__global__ void aligned_struct(int skipped, Wide w) { w.p[own()].x += 1; }

struct Small {
    char tag;
    float *p;
};
struct __attribute__((packed)) Packed {
    char tag;
    float *p;
};
// ROW: packed_struct: writes s.p, t.p
__global__ void packed_struct(Small s, Packed t) { s.p[own()] = *t.p = 1; }

// A struct's address leads to the kernel's own copy.
// ROW: parameter_address: reads s.in; writes s.out
__global__ void parameter_address(Two s) {
    Two *there = &s;
    there->out[own()] = there->in[own()];
}

// ROW: member_address: writes s.y
__global__ void member_address(Three s) {
    float **there = &s.y;
    (*there)[own()] = 1;
}

// ROW: only_own_copy: writes out
__global__ void only_own_copy(int *out, Plain s, int n) {
    s.n = n;
    s.x[n & 3] = 2;
    out[own()] = s.n + (int)s.x[1];
}
