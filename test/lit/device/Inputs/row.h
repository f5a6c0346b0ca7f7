// What the tables of kernels share.
#ifndef KESCO_TEST_LIT_DEVICE_ROW_H
#define KESCO_TEST_LIT_DEVICE_ROW_H

// The thread's index in the grid.
static __device__ inline int own(void) {
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

#endif
