// Summaries reach the host compile in whatever form the device code takes.
// RUN: for o in 0 1 2 3; do sh %S/Inputs/rows.sh ROW %s %kesco -O$o -c %s -o %t.o || exit 1; done
// RUN: sh %S/Inputs/rows.sh ROW %s %kesco -O2 -g -c %s -o %t.o
// RUN: for option in --no-offload-new-driver --offload-new-driver --cuda-include-ptx=all -fgpu-rdc \
// RUN:   '-fgpu-rdc --offload-new-driver' '-fgpu-rdc --no-offload-new-driver' '-fgpu-rdc -g'; do \
// RUN:   sh %S/Inputs/rows.sh ROW %s %kesco -O2 $option -c %s -o %t.o || exit 1; \
// RUN: done
// conservative: where the device code is finished only when the program is linked, or is compressed, it may count as
// code that is not seen
// RUN: sh %S/Inputs/rows.sh LATER %s %kesco -O2 -Xcuda-fatbinary --compress-all -c %s -o %t.o
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh LATER %s %kesco -O$o -foffload-lto -fgpu-rdc --offload-new-driver -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

struct Pair {
    int *first, *second;
};
__device__ int counter;
static __constant__ int table[4]; // in front of counter, for it is the mangled names that are sorted
void set_table(const int *values) { cudaMemcpyToSymbol(table, values, sizeof table); }

// ROW: plain: reads in; writes out
// LATER: plain: {{reads in; writes out|(.*; )?runs code that is not seen: .*}}
__global__ void plain(int *out, const int *in) { out[own()] = in[own()]; }

// ROW: in_struct: reads s.second; writes s.first
// LATER: in_struct: {{reads s.second; writes s.first|(.*; )?runs code that is not seen: .*}}
__global__ void in_struct(Pair s) { s.first[own()] = s.second[own()]; }

// ROW: variables: reads variable table{{[^;,]*}}, variable counter; writes variable counter
// LATER: variables: {{reads variable table[^;,]*, variable counter; writes variable counter|(.*; )?runs code that is not seen: .*}}
__global__ void variables(int n) { counter += table[n & 3]; }

// ROW: loaded: reads p; writes memory that no argument names: {{[^;]*}}
// LATER: loaded: {{reads p; writes memory that no argument names: [^;]*|(.*; )?runs code that is not seen: .*}}
__global__ void loaded(int **p) { p[0][own()] = 1; }

// ROW: waits: reads flag; may wait for other blocks
// LATER: waits: {{reads flag; may wait for other blocks|(.*; )?runs code that is not seen: .*}}
__global__ void waits(volatile int *flag) {
    while (*flag == 0)
        ;
}

// ROW: nothing: touches no memory
// LATER: nothing: {{touches no memory|(.*; )?runs code that is not seen: .*}}
__global__ void nothing(void) {}
