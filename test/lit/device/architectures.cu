// A kernel that differs from architecture to architecture does what it does on any of them.
// RUN: sh %S/Inputs/rows.sh NEW %s %kesco -O2 -c %s -o %t.o
// RUN: sh %S/Inputs/rows.sh OLD %s %kesco --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_80 -O2 -c %s -o %t.o
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh BOTH %s %kesco --cuda-gpu-arch=sm_80 -O$o -c %s -o %t.o || exit 1; done
// RUN: for option in --offload-new-driver --no-offload-new-driver --cuda-include-ptx=all --no-cuda-include-ptx=all -g \
// RUN:   -fgpu-rdc '-fgpu-rdc -O0'; do \
// RUN:   sh %S/Inputs/rows.sh BOTH %s %kesco --cuda-gpu-arch=sm_80 -O2 $option -c %s -o %t.o || exit 1; \
// RUN: done
#include "Inputs/row.h"

#include <stdio.h>

#ifdef __CUDA_ARCH__
#define IS_NEW (__CUDA_ARCH__ >= 900)
#else
#define IS_NEW 0
#endif

struct Pair {
    int *first, *second;
};

// OLD: differs: writes old
// NEW: differs: writes latest
// BOTH: differs: writes old, latest
__global__ void differs(int *old, int *latest) {
#if IS_NEW
    latest[own()] = 1;
#else
    old[own()] = 1;
#endif
}

// OLD: by_number: reads old; writes out
// NEW: by_number: reads latest; writes out
// BOTH: by_number: reads old, latest; writes out
__global__ void by_number(int *out, const int *old, const int *latest) {
    out[own()] = IS_NEW ? latest[own()] : old[own()];
}

// OLD: changes_one: reads a; writes b
// NEW: changes_one: reads a; writes a
// BOTH: changes_one: reads a; writes a, b
__global__ void changes_one(int *a, int *b) {
#if IS_NEW
    a[own()] += 1;
#else
    b[own()] = a[own()];
#endif
}

// OLD: in_struct: writes s.first
// NEW: in_struct: writes s.second
// BOTH: in_struct: writes s.first, s.second
__global__ void in_struct(Pair s) {
#if IS_NEW
    s.second[own()] = 1;
#else
    s.first[own()] = 1;
#endif
}

// OLD: prints_on_old: prints
// NEW: prints_on_old: touches no memory
// BOTH: prints_on_old: prints
__global__ void prints_on_old(void) {
#if !IS_NEW
    printf("old\n");
#endif
}

__device__ int counter;
// OLD: counts_on_new: writes a
// NEW: counts_on_new: reads variable counter; writes a, variable counter
// BOTH: counts_on_new: reads variable counter; writes a, variable counter
__global__ void counts_on_new(int *a) {
    a[own()] = 1;
#if IS_NEW
    atomicAdd(&counter, 1);
#endif
}

// OLD: same: reads in; writes out
// NEW: same: reads in; writes out
// BOTH: same: reads in; writes out
__global__ void same(int *out, const int *in) { out[own()] = in[own()]; }
