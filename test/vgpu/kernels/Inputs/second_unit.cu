/* The second unit of two_units.cu. */
#include "../check.h"

static __device__ int variable = 2;
static __global__ void kernel(int *out) {
    *out = variable += 100;
}

int run_second(int *out) {
    int got;
    kernel<<<1, 1>>>(out);
    fetch(&got, out, sizeof(got));
    return got;
}
