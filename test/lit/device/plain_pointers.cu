// Kernels that read and write through plain pointer parameters.
// RUN: for o in 0 1 2 3; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -g -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

#include <cuda_fp16.h>

// ROW: nothing: touches no memory
__global__ void nothing(void) {}

// ROW: unused: touches no memory
__global__ void unused(float *a, int n) {}

// ROW: one_unused: writes b
__global__ void one_unused(float *a, float *b, const float *c) { b[own()] = 1; }

// ROW: write: writes a
__global__ void write(float *a) { a[own()] = 1; }

// ROW: copy: reads in; writes out
__global__ void copy(float *out, const float *in) { out[own()] = in[own()]; }

// ROW: add: reads a, b; writes c
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = own();
    if (i < n)
        c[i] = a[i] + b[i];
}

// ROW: read_modify_write: reads a; writes a
__global__ void read_modify_write(float *a) { a[own()] *= 2; }

// ROW: increment: reads a; writes a
__global__ void increment(int *a) { ++a[own()]; }

// ROW: axpy: reads x, y; writes y
__global__ void axpy(int n, float alpha, const float *x, float *y) {
    for (int i = own(); i < n; i += gridDim.x * blockDim.x)
        y[i] += alpha * x[i];
}

// A pointer's value is no memory.
// ROW: compares: writes out
__global__ void compares(int *out, const float *a, const float *b) { out[own()] = a == b; }

// ROW: measures: writes out
__global__ void measures(long *out, const float *a, const float *b) { out[own()] = b - a; }

// ROW: stores_if_there: writes out
__global__ void stores_if_there(int *out, const int *a) {
    if (a)
        out[own()] = 1;
}

// What const says of a pointer is no promise, what the code does counts.
// ROW: not_const: writes a
__global__ void not_const(const float *a) { const_cast<float *>(a)[own()] = 1; }

// ROW: not_written: reads a; writes b
__global__ void not_written(float *a, float *b) { b[own()] = a[own()]; }

// ROW: restricted: reads in; writes out
__global__ void restricted(float *__restrict__ out, const float *__restrict__ in) { out[own()] = in[own()]; }

// ROW: by_cache: reads in; writes out
__global__ void by_cache(float *__restrict__ out, const float *__restrict__ in) { out[own()] = __ldg(&in[own()]); }

// ROW: vectors: reads in; writes out
__global__ void vectors(float4 *out, const float4 *in) {
    float4 v = in[own()];
    out[own()] = make_float4(v.w, v.z, v.y, v.x);
}

// ROW: vectors_by_cast: reads in; writes out
__global__ void vectors_by_cast(float *out, const float *in) {
    reinterpret_cast<float4 *>(out)[own()] = *reinterpret_cast<const float4 *>(&in[4 * own()]);
}

// ROW: vector_by_cache: reads in; writes out
__global__ void vector_by_cache(float *out, const float4 *in) { out[own()] = __ldg(&in[own()]).z; }

// ROW: one_component: writes a
__global__ void one_component(float4 *a) { a[own()].y = 1; }

// ROW: bytes: reads in; writes out
__global__ void bytes(void *out, const void *in) { ((char *)out)[own()] = ((const char *)in)[own()]; }

// ROW: halves: reads in; writes out
__global__ void halves(__half *out, const __half *in) { out[own()] = __hadd(in[own()], in[own() + 1]); }

struct Bits {
    unsigned low : 3, high : 29;
};
// The rest of the unit is read and written back.
// ROW: bit_field: reads a; writes a
__global__ void bit_field(Bits *a, int n) { a[own()].low = n; }

struct Sample {
    float value;
    int weight[3];
};
// ROW: member: writes samples
__global__ void member(Sample *samples, int n) { samples[own()].weight[n] = 1; }

// ROW: two_dimensions: reads in; writes out
__global__ void two_dimensions(float *out, const float *in, int width, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1)
        out[y * pitch + x] = in[y * pitch + x - 1] + in[(y + 1) * pitch + x + 1];
}

// ROW: rows: reads in; writes out
__global__ void rows(float (*out)[16], const float in[][16]) {
    out[threadIdx.y][threadIdx.x] = in[threadIdx.x][threadIdx.y];
}

// ROW: interior: reads a; writes a, b
__global__ void interior(float *a, float *b, int n) {
    float *middle = a + n, *before = middle - 1;
    before[own()] = middle[-2];
    *(b - n) = 1;
}

// ROW: to_end: writes a
__global__ void to_end(float *a, int n) {
    for (float *p = a, *end = a + n; p != end; ++p)
        *p = 1;
}

// ROW: walk: reads in; writes out
__global__ void walk(char *out, const char *in, int n) {
    while (n-- > 0)
        *out++ = *in++;
}

// ROW: backwards: reads a; writes b
__global__ void backwards(const int *a, int *b, int n) {
    const int *p = a + n;
    while (p > a)
        *b++ = *--p;
}

// ROW: until_zero: reads text; writes length
__global__ void until_zero(int *length, const char *text) {
    const char *p = text;
    while (*p)
        ++p;
    length[own()] = (int)(p - text);
}

// ROW: gather: reads index, in; writes out
__global__ void gather(float *out, const int *index, const float *in) { out[own()] = in[index[own()]]; }

// ROW: scatter: reads index; writes out
__global__ void scatter(float *out, const int *index) { out[index[own()]] = 1; }

// What is written only sometimes is written.
// ROW: sometimes: reads a; writes b
__global__ void sometimes(const int *a, int *b, int *c) {
    if (a[own()] > 5)
        b[own()] = 1;
}

// ROW: either: reads a, b; writes out
__global__ void either(float *out, const float *a, const float *b, int n) {
    out[own()] = own() < n ? a[own()] : b[own()];
}

// ROW: by_switch: writes a, b, d
__global__ void by_switch(int *a, int *b, int *c, int *d, int n) {
    switch (n) {
    case 0:
        a[own()] = 1;
        break;
    case 1:
        b[own()] = 2;
        [[fallthrough]];
    default:
        d[own()] = 3;
    }
}

// ROW: many_parameters: reads p02, p07; writes p11
__global__ void many_parameters(int *p00, int *p01, int *p02, int *p03, int *p04, int *p05, int *p06, int *p07,
                                int *p08, int *p09, int *p10, int *p11) {
    p11[own()] = p02[own()] + p07[own()];
}
