// A wait for unseen work may come before the first op although calls that fail lead elsewhere, as to a handler: where
// nothing fails, it comes anyway. What else leads elsewhere is the program's own affair.
// RUN: %kesco-host -std=c++17 -O1 -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s

#include <cstdio>
#include <stdexcept>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        throw std::runtime_error("failed");
}

// CHECK: :[[@LINE+5]]:15: remark: call to 'cudaDeviceSynchronize' is put off
int fails(int *__restrict__ a, int *__restrict__ b) {
    try {
        set<<<1, 1>>>(a, 1);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        set<<<1, 1>>>(b, 1);
        check(cudaDeviceSynchronize());
    } catch (std::exception &) {
        return 1;
    }
    return 0;
}

// CHECK: :[[@LINE+6]]:15: remark: {{.*}}call to 'cudaDeviceSynchronize', which may wait for work of other code
int stops(int *__restrict__ a, int *__restrict__ b, bool stop) {
    try {
        set<<<1, 1>>>(a, 1);
        if (stop)
            throw std::runtime_error("stopped");
        check(cudaDeviceSynchronize());
        set<<<1, 1>>>(b, 1);
        check(cudaDeviceSynchronize());
    } catch (std::exception &) {
        return 1;
    }
    return 0;
}
