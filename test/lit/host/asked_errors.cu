// Waits whose result nobody looks at, behind which the program asks for the last error and ends if there is one: in
// the function itself or in one of its own. Where an error could be missed, it does the same with the wait's own.
// RUN: %kesco-host -O1 -c -fplugin-arg-kesco-show=ir %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %kesco-host -O1 -S -emit-llvm %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=KEPT

#include <cstdio>
#include <cstdlib>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

// CHECK-LABEL: define {{.*}}@_Z4herePPii(
// CHECK: call i32 @__kesco1_synchronize(
// CHECK: %[[E:.*]] = call i32 @__kesco1_late_error()
// CHECK-NEXT: icmp ne i32 %[[E]], 0
// CHECK: call ptr @cudaGetErrorName(i32 {{.*}}%[[E]])
// CHECK: call void @exit(
void here(int **p, int n) {
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        cudaDeviceSynchronize();
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) {
            fprintf(stderr, "%s\n", cudaGetErrorName(error));
            exit(1);
        }
    }
}

static void ask(const char *what) {
    cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        abort();
    }
}

// CHECK-LABEL: define {{.*}}@_Z9elsewherePPii(
// CHECK: call i32 @__kesco1_synchronize(
// CHECK: %[[E:.*]] = call i32 @__kesco1_late_error()
// CHECK: {{call|invoke}} void @_ZL3askPKc.told(i32 %[[E]], ptr {{.*}}@.str
void elsewhere(int **p, int n) {
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        cudaDeviceSynchronize();
        ask("set");
    }
}

// What is said depends on the pass, so that it cannot be said later.
// CHECK-LABEL: define {{.*}}@_Z6countsPPii(
// CHECK-NOT: __kesco1_synchronize
// CHECK-NOT: __kesco1_late_error
// KEPT: :[[@LINE+4]]:9: remark: {{.*}}call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
void counts(int **p, int n) {
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        cudaDeviceSynchronize();
        if (cudaGetLastError() != cudaSuccess) {
            fprintf(stderr, "%d\n", i);
            exit(1);
        }
    }
}

static int asked;
static void ask_and_count() {
    asked++;
    if (cudaGetLastError() != cudaSuccess)
        abort();
}

// Nor where more is done than to ask.
// KEPT: :[[@LINE+4]]:9: remark: {{.*}}call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
void does_more(int **p, int n) {
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        cudaDeviceSynchronize();
        ask_and_count();
    }
}
