#ifdef ANNOTATED
#include <kesco.h>
#else
#define KESCO_OUTPUTS(...)
#endif

__global__ KESCO_OUTPUTS(1) void first(float *a) {
    a[threadIdx.x] = 1;
}
__global__ KESCO_OUTPUTS(1) void second(float *a) {
    a[threadIdx.x] = 2;
}
void run(float *a, float *b) {
    first<<<1, 32>>>(a);
    second<<<1, 32>>>(b);
}
