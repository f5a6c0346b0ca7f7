// The error's source range covers the argument that is wrong, and nothing more.
// RUN: not %kesco-host -fsyntax-only -fdiagnostics-print-source-range-info %s 2>&1 | FileCheck %s

// CHECK: ranges.cu:6:31:{6:31-6:32}: error: 'kesco_outputs' says that 2 pointer parameters
// CHECK: ranges.cu:7:35:{7:35-7:38}: error: 'kesco_outputs' names 'q', which is no parameter
__attribute__((kesco_outputs (2))) __global__ void counted(float *y);
__attribute__((kesco_outputs("y", "q"))) __global__ void named(float *y);
