// Kernels that are templates: over types, numbers, lambdas and function objects. Their remarks may name the arguments.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

// ROW: fill{{[^']*}}: writes a
template <class T> __global__ void fill(T *a, T value) { a[own()] = value; }
template __global__ void fill<float>(float *, float);

// ROW: pick{{[^']*}}: reads b; writes a
template <int N> __global__ void pick(int *a, int *b, int *c) {
    if (N > 1)
        a[own()] = b[own()];
    else
        a[own()] = c[own()];
}
template __global__ void pick<2>(int *, int *, int *);

// ROW: also{{[^']*}}: writes a
template <bool WRITES> __global__ void also(int *a, int *b) {
    a[own()] = 1;
    if constexpr (WRITES)
        b[own()] = 1;
}
template __global__ void also<false>(int *, int *);

// ROW: typed{{[^']*}}: reads in; writes out
template <class Out, class In> __global__ void typed(Out out, In in) { out[own()] = in[own()]; }
template __global__ void typed<float *, const int *>(float *, const int *);

// ROW: each{{[^']*}}: reads f.in; writes f.out
template <class F> __global__ void each(int n, F f) {
    if (own() < n)
        f(own());
}

// ROW: mutable_lambda{{[^']*}}: writes f.out
template <class F> __global__ void mutable_lambda(F f) { f(own()); }

// ROW: renamed_capture{{[^']*}}: writes f.later
template <class F> __global__ void renamed_capture(F f) { f(); }

// ROW: captured_struct{{[^']*}}: reads f.views.in; writes f.views.out
template <class F> __global__ void captured_struct(F f) { f(); }

// ROW: captured_array{{[^']*}}: writes f.all[1]
template <class F> __global__ void captured_array(F f) { f(); }

// ROW: two_lambdas{{[^']*}}: reads first.a; writes second.a
template <class F, class G> __global__ void two_lambdas(F first, G second) { second(first(own())); }

// ROW: no_captures{{[^']*}}: reads a; writes a
template <class F> __global__ void no_captures(int *a, F f) { a[own()] = f(a[own()]); }

// ROW: by_pointers{{[^']*}}: reads a; writes b
template <class F> __global__ void by_pointers(int *a, int *b, F f) { f(b, a); }

struct Saxpy {
    float alpha;
    const float *x;
    float *y;
    __device__ void operator()(int i) const { y[i] += alpha * x[i]; }
};
// ROW: functor{{[^']*}}: reads f.x, f.y; writes f.y
template <class F> __global__ void functor(F f) { f(own()); }

template <class First, class Second> struct Composed {
    First first;
    Second second;
    __device__ void operator()(int i) const {
        first(i);
        second(i);
    }
};
struct Clear {
    int *p;
    __device__ void operator()(int i) const { p[i] = 0; }
};
// ROW: composed{{[^']*}}: reads f.first.x, f.first.y; writes f.first.y, f.second.p
template <class F> __global__ void composed(F f) { f(own()); }

template <class T> struct Matrix {
    T *data;
    int width;
    __device__ T &operator()(int x, int y) const { return data[y * width + x]; }
};
// ROW: transpose{{[^']*}}: reads from.data; writes to.data
template <class T> __global__ void transpose(Matrix<T> to, const Matrix<T> from) {
    to(threadIdx.x, threadIdx.y) = from(threadIdx.y, threadIdx.x);
}
template __global__ void transpose<double>(Matrix<double>, const Matrix<double>);

// Arguments that are packs have no names of their own.
// ROW: pack{{[^']*}}: writes {{[^;]+}}
template <class... T> __global__ void pack(T *...all) { ((all[own()] = 1), ...); }
template __global__ void pack<int, float>(int *, float *);

struct Views {
    const int *in;
    int *out;
};

struct Owner {
    int *data;
    void launch() const;
};
// ROW: captured_object{{[^']*}}: writes f.{{[^ ;,]*}}data
template <class F> __global__ void captured_object(F f) { f(); }
void Owner::launch() const {
    captured_object<<<1, 1>>>([*this] __device__ { data[own()] = 1; });
}

void all(int n, int *a, int *b, Views views, float *x, float *y) {
    int *all[2] = {a, b};
    int *in = a, *out = b;
    each<<<1, 32>>>(n, [=] __device__(int i) { out[i] = in[i] + n; });
    mutable_lambda<<<1, 32>>>([=] __device__(int i) mutable {
        out += i;
        *out = 1;
    });
    renamed_capture<<<1, 32>>>([later = a + 1] __device__ { later[own()] = 1; });
    captured_struct<<<1, 32>>>([=] __device__ { views.out[own()] = views.in[own()]; });
    captured_array<<<1, 32>>>([=] __device__ { all[1][own()] = 1; });
    two_lambdas<<<1, 32>>>([=] __device__(int i) { return a[i]; }, [=] __device__(int i) { a[i] = i; });
    no_captures<<<1, 32>>>(a, [] __device__(int i) { return i + 1; });
    by_pointers<<<1, 32>>>(a, b, [] __device__(int *to, const int *from) { to[own()] = from[own()]; });
    functor<<<1, 32>>>(Saxpy{2, x, y});
    composed<<<1, 32>>>(Composed<Saxpy, Clear>{{2, x, y}, {a}});
    Owner{a}.launch();
}
