// Waits whose result goes to a local variable that is looked at later: an error of theirs takes its place before.
// RUN: %kesco-host -O1 -c -fplugin-arg-kesco-show=ir %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %kesco-host -O1 -S -emit-llvm %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=KEPT

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

// CHECK-LABEL: define {{.*}}@_Z4lastPPii(
// CHECK: %[[DONE:.*]] = call i32 @__kesco1_synchronize(
// CHECK: %[[LATE:.*]] = call i32 @__kesco1_late_error()
// CHECK-NEXT: %[[FAILED:.*]] = icmp ne i32 %[[LATE]], 0
// CHECK-NEXT: %[[TOLD:.*]] = select i1 %[[FAILED]], i32 %[[LATE]], i32 %
// CHECK: ret i32 %[[TOLD]]
cudaError_t last(int **p, int n) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        error = cudaDeviceSynchronize();
    }
    return error;
}

// Another value may have taken its place.
// CHECK-LABEL: define {{.*}}@_Z6resetsPPii(
// CHECK-NOT: __kesco1_{{tell|late_error}}
// KEPT: :[[@LINE+5]]:17: remark: {{.*}}call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
cudaError_t resets(int **p, int n) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        error = cudaDeviceSynchronize();
        if (i == 7)
            error = cudaErrorUnknown;
    }
    return error;
}

void note(cudaError_t *error);

// Others may look.
// CHECK-LABEL: define {{.*}}@_Z6sharesPPii(
// CHECK-NOT: __kesco1_{{tell|late_error}}
// KEPT: :[[@LINE+6]]:17: remark: {{.*}}call to 'cudaDeviceSynchronize', whose error the program does not look for again before the function ends;
cudaError_t shares(int **p, int n) {
    cudaError_t error = cudaSuccess;
    note(&error);
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(p[i], 1);
        error = cudaDeviceSynchronize();
    }
    return error;
}
