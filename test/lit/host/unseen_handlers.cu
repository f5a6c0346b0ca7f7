// A function that is not in sight deals with an error: it may come back, so each wait stays, and the remark says which
// function that is. Where it is declared not to, the waits are put off.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

void complain(int line, int error);
[[noreturn]] void fail(int line, int error);

// CHECK: :[[@LINE+6]]:9: remark: launches before and after this point do not overlap: call to 'cudaDeviceSynchronize', whose error goes to 'complain(int, int)', which is not in sight and may come back (declare it {{\[\[}}noreturn]] if it does not);
void complaining() {
    int *p[4];
    for (int i = 0; i < 4; i++) cudaMalloc(&p[i], 4);
    for (int i = 0; i < 4; i++) {
        set<<<1, 1>>>(p[i], i);
        cudaDeviceSynchronize();
        if (cudaError_t error = cudaGetLastError())
            complain(__LINE__, error);
    }
}

// CHECK: :[[@LINE+6]]:12: remark: 4 kernels run on 4 lanes
// CHECK: :[[@LINE+6]]:9: remark: call to 'cudaDeviceSynchronize' is put off
void failing() {
    int *p[4];
    for (int i = 0; i < 4; i++) cudaMalloc(&p[i], 4);
    for (int i = 0; i < 4; i++) {
        set<<<1, 1>>>(p[i], i);
        cudaDeviceSynchronize();
        if (cudaError_t error = cudaGetLastError())
            fail(__LINE__, error);
    }
}
