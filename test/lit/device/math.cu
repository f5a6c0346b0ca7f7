// Mathematical functions touch only what they are given pointers to.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O$o -c %s -o %t.o || exit 1; done
// RUN: sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -O2 -ffast-math -c %s -o %t.o
// With the bodies of libdevice's functions.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

// ROW: of_value: writes out
__global__ void of_value(float *out, float x) { out[own()] = sinf(x) + expf(x) * powf(x, 3.5f) + erff(x) - tgammaf(x); }

// ROW: of_element: reads in; writes out
__global__ void of_element(float *out, const float *in) { out[own()] = sqrtf(in[own()]) + log1pf(in[own()]); }

// ROW: of_doubles: reads in; writes out
__global__ void of_doubles(double *out, const double *in) {
    out[own()] = cos(in[own()]) + atan2(in[own()], 2.0) + cbrt(in[own()]);
}

// ROW: fast: reads in; writes out
__global__ void fast(float *out, const float *in) {
    out[own()] = __sinf(in[own()]) + __expf(2.0f) + __fdividef(in[own()], 3);
}

// ROW: rounding: writes out
__global__ void rounding(float *out, float x) {
    out[own()] = __fadd_rn(x, 1.0f) + floorf(x) + rintf(x) + __fmaf_rz(x, x, x);
}

// ROW: integers: writes out
__global__ void integers(int *out, int n) {
    out[own()] = __clz(n) + __brev(n) + __mulhi(n, n) + abs(n) + max(n, 3) + __popc(n);
}

// ROW: sine_and_cosine: reads in; writes s, c
__global__ void sine_and_cosine(float *s, float *c, const float *in) { sincosf(in[own()], &s[own()], &c[own()]); }

// ROW: sine_and_cosine_local: writes out
__global__ void sine_and_cosine_local(double *out, double x) {
    double s, c;
    sincos(x, &s, &c);
    out[own()] = s * c;
}

// ROW: one_of_both: writes s
__global__ void one_of_both(float *s, float x) {
    float c;
    sincospif(x, &s[own()], &c);
}

// ROW: exponents: reads x; writes out, exponent
__global__ void exponents(float *out, const float *x, int *exponent) {
    out[own()] = frexpf(x[own()], &exponent[own()]);
}

// ROW: fractions: reads x; writes out, whole
__global__ void fractions(double *out, double *whole, const double *x) { out[own()] = modf(x[own()], whole + own()); }

// ROW: remainders: writes out, quotient
__global__ void remainders(float *out, float x, int *quotient) { out[own()] = remquof(x, 3.0f, &quotient[own()]); }

// ROW: fast_sine_and_cosine: writes s, c
__global__ void fast_sine_and_cosine(float *s, float *c, float x) { __sincosf(x, s, c); }

// ROW: lengths: reads x; writes out
__global__ void lengths(float *out, const float *x, int n) { out[own()] = normf(n, x); }

__device__ float whole_part;
// ROW: into_variable: writes out, variable whole_part
__global__ void into_variable(float *out, float x) { out[own()] = modff(x, &whole_part); }
