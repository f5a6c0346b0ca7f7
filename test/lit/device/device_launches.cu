// A kernel that launches kernels may do anything at all.
// Clang 19 compiles none.
// REQUIRES: clang-22
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %kesco -fgpu-rdc -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

// The kernel that a kernel launches runs at a time and with arguments of its own.
__global__ void launched(int *a);
// ROW: launches: {{(.*; )?}}runs code that is not seen: it launches kernels (line {{[0-9]+}})
__global__ void launches(int *a) { launched<<<1, 1>>>(a); }
// ROW: launched: writes a
__global__ void launched(int *a) { a[own()] = 1; }
