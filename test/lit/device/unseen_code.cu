// Code that this compile does not see may do anything at all.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -fgpu-rdc -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

extern __device__ int elsewhere(int *p);
extern "C" __device__ void elsewhere_too(void);
extern __device__ int variable_elsewhere;
__device__ __attribute__((weak)) void replaceable(int *a) { a[own()] = 1; }
struct Far {
    int *p;
    __device__ Far(int *p);
    __device__ ~Far();
    __device__ void run() const;
};

// ROW: calls: {{(.*; )?}}runs code that is not seen: it calls 'elsewhere(int*)', whose body is not seen (line {{[0-9]+}})
__global__ void calls(int *a) { a[own()] = elsewhere(a); }

// ROW: calls_without_arguments: {{(.*; )?}}runs code that is not seen: it calls 'elsewhere_too', whose body is not seen (line {{[0-9]+}})
__global__ void calls_without_arguments(int *a) {
    a[own()] = 1;
    elsewhere_too();
}

static __device__ __noinline__ int passes_on(int *p) { return elsewhere(p + 1); }
// ROW: calls_deeply: {{(.*; )?}}runs code that is not seen: it calls 'elsewhere(int*)', whose body is not seen (line {{[0-9]+}})
__global__ void calls_deeply(int *a) { a[own()] = passes_on(a); }

// ROW: calls_sometimes: {{(.*; )?}}runs code that is not seen: it calls 'elsewhere(int*)', whose body is not seen (line {{[0-9]+}})
__global__ void calls_sometimes(int *a, int n) {
    if (n)
        a[own()] = elsewhere(nullptr);
}

// ROW: calls_members: {{(.*; )?}}runs code that is not seen: it calls 'Far::Far(int*)', whose body is not seen (line {{[0-9]+}})
__global__ void calls_members(int *a) { Far(a).run(); }

// The body that stands here need not be the one that runs.
// ROW: calls_replaceable: {{(.*; )?}}runs code that is not seen: it calls 'replaceable(int*)', which another definition may replace (line {{[0-9]+}})
__global__ void calls_replaceable(int *a) { replaceable(a); }

// ROW: never_calls: writes a
__global__ void never_calls(int *a) {
    if (0)
        elsewhere(a);
    a[own()] = 1;
}

// A variable has its name wherever it stands.
// ROW: uses_variable: reads variable variable_elsewhere; writes a
__global__ void uses_variable(int *a) { a[own()] = variable_elsewhere; }

// ROW: sees_all: reads in; writes out
__global__ void sees_all(int *out, const int *in) { out[own()] = in[own()]; }

// A kernel may itself be replaced.
// ROW: weak_kernel: {{(.*; )?}}runs code that is not seen: it is weak, so another may take its place
__attribute__((weak)) __global__ void weak_kernel(int *a) { a[own()] = 1; }
