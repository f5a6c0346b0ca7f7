// Why an op keeps its order to others, where one of these causes alone is to blame: each says what to do.
// RUN: %kesco-host -O2 -c %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s
#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void known(float *out) { *out = 1; }
__device__ float variable;

// CHECK: remark: kernel 'known' keeps its order to all others: which device variables it uses is unknown, and the program copies to one here; compile its device code in the same step, for its access summary
// CHECK: remark: copy 'memcpy HtoD' keeps its order to all others: which device variable it uses is unknown; name the variable in the call
void by_handle(const void *symbol, const float *host, float *a) {
    known<<<1, 1>>>(a);
    cudaMemcpyToSymbolAsync(symbol, host, 4, 0, cudaMemcpyHostToDevice, 0);
}
void by_name(const float *host, float *a) {
    cudaMemcpyToSymbolAsync(variable, host, 4, 0, cudaMemcpyHostToDevice, 0);
    known<<<1, 1>>>(a);
}

// CHECK: remark: launches before and after this point do not overlap: call to 'cudaMallocAsync' beside pointers that are checked at run time; if the program allows, move it
void allocates_and_frees(float *a, float *b) {
    float *c;
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    cudaMallocAsync((void **)&c, 4, 0);
    known<<<1, 1>>>(c);
    cudaFreeAsync(c, 0);
}
