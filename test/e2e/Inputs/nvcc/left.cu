#include "parts.h"

static __global__ void fill(float *to, float value) { to[threadIdx.x] = value; }

void left(float *a, float *b) {
    fill<<<1, 32>>>(a, 1);
    fill<<<1, 32>>>(b, 2);
}
