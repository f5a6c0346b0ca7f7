// Every spelling of the annotations is accepted, and they agree with one another.
// RUN: %kesco-host -std=c++17 -fsyntax-only -Xclang -verify %s
// RUN: %kesco -std=c++17 --cuda-device-only -fsyntax-only -Xclang -verify %s
// expected-no-diagnostics

#include <kesco.h>

#if !__has_attribute(kesco_outputs) || !__has_attribute(kesco_priority)
#error "the plugin's attributes are not seen by __has_attribute"
#endif

__attribute__((kesco_outputs(1))) __global__ void counted(float *y, const float *x);
[[kesco_outputs(1)]] __global__ void bracketed(float *y, const float *x);
__attribute__((kesco_outputs("y", "z"))) __global__ void named(const float *x, float *y, float *z);
__attribute__((kesco_outputs(0))) __global__ void writes_nothing(const float *x);
__attribute__((kesco_outputs(1), kesco_priority(3))) __global__ void both(float *y);
[[kesco_priority(-2)]] __global__ void low(float *y);
KESCO_OUTPUTS("y") KESCO_PRIORITY(2) __global__ void macros(float *y, const float *x);

// Repeating an annotation, in the same or another form, is fine where it says the same.
__attribute__((kesco_outputs("y"))) __global__ void counted(float *y, const float *x) { y[0] = x[0]; }
__attribute__((kesco_outputs(2))) __attribute__((kesco_outputs(2))) __global__ void twice(float *y, float *z);
__attribute__((kesco_outputs("z", "y", "z"))) __global__ void twice(float *y, float *z);

constexpr int COUNT = 2;
__attribute__((kesco_outputs(COUNT))) __global__ void constant(float *y, float *z);
template <class T> __attribute__((kesco_outputs(1))) __global__ void generic(T y, T x) { y[0] = x[0]; }
void use(float *a, float *b) { generic<<<1, 1>>>(a, b); }

__global__ void paper(float *Y, int n, float alpha, float *X, float beta, int outputs = 1, int priority = 1);
