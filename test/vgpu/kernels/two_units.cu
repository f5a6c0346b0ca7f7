// RUN: %vgpu-clang++ -O1 %s %S/Inputs/second_unit.cu %S/Inputs/host_unit.cpp -o %t && %t
// RUN: %vgpu-clang++ -O1 -c %s -o %t.1.o && %vgpu-clang++ -c %S/Inputs/second_unit.cu -o %t.2.o
// RUN: %vgpu-clang++ -c %S/Inputs/host_unit.cpp -o %t.3.o && %vgpu-clang++ %t.1.o %t.2.o %t.3.o -o %t && %t
// Two translation units with static kernels and variables of the same name, and one of host code only.
#include "check.h"

static __device__ int variable = 1;
static __global__ void kernel(int *out) {
    *out = variable += 10;
}

int run_second(int *out);
int run_host(int n);

int main(void) {
    int *out = DEVICE_ZEROS(int, 1), got;
    kernel<<<1, 1>>>(out);
    fetch(&got, out, sizeof(got));
    CHECK_EQUAL(got, 11);
    CHECK_EQUAL(run_second(out), 102);
    kernel<<<1, 1>>>(out);
    fetch(&got, out, sizeof(got));
    CHECK_EQUAL(got, 21);
    CUDA(cudaMemcpyFromSymbol(&got, variable, sizeof(got)));
    CHECK_EQUAL(got, 21);
    CHECK_EQUAL(run_host(20), 40);
    return 0;
}
