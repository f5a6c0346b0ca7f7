// A name with white space in it, which ptxas would refuse later, has no place in a summary; the warning says what to do.
// RUN: %kesco --cuda-device-only -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// CHECK: warning: kesco: the kernels of this file have no access summaries, because a kernel or a device variable has white space in its name; rename it
__device__ int counter asm("two words");
__global__ void counts() { counter = 1; }
