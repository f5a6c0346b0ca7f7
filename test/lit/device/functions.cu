// Accesses in device functions: what a function does with an argument is told apart call by call.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

static __device__ void move(float *to, const float *from) { to[own()] = from[own()]; }
static __device__ __noinline__ void move_apart(float *to, const float *from) { to[own()] = from[own()]; }
static __device__ void swap_order(const float *from, float *to) { move(to, from); }
static __device__ __noinline__ void deepest(float *a) { a[own()] = 1; }
static __device__ __noinline__ void deeper(float *a) { deepest(a + 1); }
static __device__ __noinline__ void deep(float *a, float *b) { deeper(a); }

// ROW: called: reads b; writes a
__global__ void called(float *a, float *b) { move(a, b); }

// ROW: called_swapped: reads a; writes b
__global__ void called_swapped(float *a, float *b) { move(b, a); }

// ROW: called_apart: reads b; writes a
__global__ void called_apart(float *a, float *b) { move_apart(a, b); }

// ROW: called_apart_swapped: reads a; writes b
__global__ void called_apart_swapped(float *a, float *b) { move_apart(b, a); }

// ROW: called_in_a_row: reads a, b; writes b, c
__global__ void called_in_a_row(float *a, float *b, float *c) {
    move_apart(b, a);
    move_apart(c, b);
}

// ROW: called_by_other: reads a; writes b
__global__ void called_by_other(float *a, float *b) { swap_order(a, b); }

// ROW: called_deeply: writes a
__global__ void called_deeply(float *a, float *b) { deep(a, b); }

// ROW: called_on_condition: writes a, b
__global__ void called_on_condition(float *a, float *b, int n) {
    if (n)
        deep(a, b);
    else
        deep(b, a);
}

static __device__ __noinline__ float *second(float *a, float *b) { return b; }
// ROW: returned: writes b
__global__ void returned(float *a, float *b) { second(a, b)[own()] = 1; }

static __device__ __noinline__ float *later(float *a, int n) { return a + n; }
// Two calls of one function, with different arguments.
// ROW: returned_apart: reads a; writes b
__global__ void returned_apart(float *a, float *b, int n) { later(b, n)[own()] = later(a, n)[own()]; }

static __device__ float &element(float *a, int i) { return a[i]; }
// ROW: returned_reference: writes a
__global__ void returned_reference(float *a) { element(a, own()) = 1; }

static __device__ void count_down(int *a, int n) {
    a[n] = 1;
    if (n > 0)
        count_down(a, n - 1);
}
// ROW: recursive: writes a
__global__ void recursive(int *a, int n) { count_down(a, n); }

static __device__ __noinline__ void bounce(int *a, int *b, int n) {
    a[own()] = n;
    if (n > 0)
        bounce(b, a, n - 1);
}
// ROW: recursive_swapping: writes a, b
__global__ void recursive_swapping(int *a, int *b, int *c, int n) { bounce(a, b, n); }

static __device__ void odd(int *a, const int *b, int n);
static __device__ __noinline__ void even(int *a, const int *b, int n) {
    a[n] = 0;
    if (n > 0)
        odd(a, b, n - 1);
}
static __device__ __noinline__ void odd(int *a, const int *b, int n) {
    if (n > 0)
        even(a, b, b[n]);
}
// ROW: mutually_recursive: reads b; writes a
__global__ void mutually_recursive(int *a, int *b, int n) { even(a, b, n); }

template <class T> static __device__ void put(T *a, T value) { a[own()] = value; }
// ROW: calls_template: writes a, b
__global__ void calls_template(int *a, double *b) {
    put(a, 1);
    put(b, 2.0);
}

template <class... T> static __device__ void put_all(T *...all) { ((all[own()] = 1), ...); }
// ROW: calls_variadic: writes a, b, d
__global__ void calls_variadic(int *a, float *b, int *c, double *d) { put_all(a, b, d); }

template <int N> static __device__ void unrolled(float *a, const float *b) {
    a[N] = b[N];
    if constexpr (N > 0)
        unrolled<N - 1>(a, b);
}
// ROW: calls_unrolled: reads b; writes a
__global__ void calls_unrolled(float *a, float *b) { unrolled<7>(a, b); }

template <bool Write> static __device__ void may_write(float *a, float *b) {
    if (Write)
        a[own()] = b[own()];
    else
        b[own()] = 1;
}
// ROW: calls_by_flag: reads b; writes a
__global__ void calls_by_flag(float *a, float *b) { may_write<true>(a, b); }

// ROW: calls_by_other_flag: writes b
__global__ void calls_by_other_flag(float *a, float *b) { may_write<false>(a, b); }

static __device__ void with_default(float *a, float *b = nullptr) {
    a[own()] = 1;
    if (b)
        b[own()] = 2;
}
// A null pointer leads to no memory.
// ROW: calls_with_default: writes a
__global__ void calls_with_default(float *a) { with_default(a); }

struct Row {
    float *data;
    int width;
    __device__ Row(float *data, int width) : data(data), width(width) {}
    __device__ float &operator[](int i) { return data[i]; }
    __device__ float get(int i) const { return data[i]; }
    __device__ void set(int i, float value) { data[i] = value; }
    __device__ void operator()(float value) const { data[own() % width] = value; }
};
// ROW: calls_member: writes a
__global__ void calls_member(float *a, int n) {
    Row row(a, n);
    row.set(own(), 1);
}

// ROW: calls_const_member: reads b; writes a
__global__ void calls_const_member(float *a, float *b, int n) { Row(a, n).set(own(), Row(b, n).get(own())); }

// ROW: calls_operators: reads b; writes a, c
__global__ void calls_operators(float *a, float *b, float *c, int n) {
    Row to(a, n), from(b, n), other(c, n);
    to[own()] = from[own()];
    other(1);
}

struct Scope {
    int *begun, *ended;
    __device__ Scope(int *begun, int *ended) : begun(begun), ended(ended) { begun[own()] = 1; }
    __device__ ~Scope() { ended[own()] = 1; }
};
// ROW: ends_scope: reads b; writes a, b, c
__global__ void ends_scope(int *a, int *b, int *c) {
    Scope scope(a, c);
    b[own()] *= 2;
}

struct Copied {
    int *count;
    __device__ Copied(int *count) : count(count) {}
    __device__ Copied(const Copied &other) : count(other.count) { count[own()] = 1; }
};
static __device__ __noinline__ void take(Copied) {}
// ROW: copy_constructs: writes a
__global__ void copy_constructs(int *a) {
    Copied copied(a);
    take(copied);
}

// ROW: calls_lambda: reads b; writes a
__global__ void calls_lambda(int *a, int *b) {
    auto store = [=](int i) { a[i] = b[i]; };
    store(own());
}

// ROW: calls_lambda_by_reference: reads b; writes a
__global__ void calls_lambda_by_reference(int *a, int *b) {
    auto store = [&](int i) {
        a[i] = b[i];
        ++b;
    };
    store(own());
    store(own());
}

// ROW: calls_generic_lambda: writes a, b
__global__ void calls_generic_lambda(int *a, float *b) {
    auto store = [](auto *p) { p[own()] = 1; };
    store(a);
    store(b);
}

template <class F> static __device__ void for_each(int n, F f) {
    for (int i = own(); i < n; i += 64)
        f(i);
}
// ROW: passes_lambda: reads b; writes a
__global__ void passes_lambda(int *a, int *b, int n) {
    for_each(n, [=](int i) { a[i] = b[i] + n; });
}

// ROW: lambda_in_lambda: reads b, c; writes a
__global__ void lambda_in_lambda(int *a, int *b, int *c, int n) {
    for_each(n, [&](int i) {
        auto sum = [&](int j) { return b[i] + c[j]; };
        a[i] = sum(n);
    });
}

namespace {
struct Base {
    int *a;
    __device__ void store() { a[own()] = 1; }
};
struct Derived : Base {
    int *b;
    __device__ int load() { return b[own()]; }
};
} // namespace
// ROW: calls_base: reads b; writes a
__global__ void calls_base(int *a, int *b, int *c) {
    Derived derived;
    derived.a = a;
    derived.b = b;
    if (derived.load())
        derived.store();
}
