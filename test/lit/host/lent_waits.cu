// Waits of functions that may be lent a region, or lend one, are the run's, with what the program does where they fail; others
// stay, where the program goes on with the error. Before clocks, and questions for errors, the run waits for what was put off.
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: for off in across-calls=off sync-elision=off; do \
// RUN:   %kesco-host -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-$off -O1 -S -emit-llvm %s -o - | \
// RUN:     FileCheck %s --check-prefix=OFF || exit 1; \
// RUN: done
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-sync-elision=unchecked -O1 -S -emit-llvm %s -o - | \
// RUN:   FileCheck %s --check-prefix=UNCHECKED
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -fplugin-arg-kesco-clocks=ignore -O1 -S -emit-llvm %s -o - | \
// RUN:   FileCheck %s --check-prefix=IGNORED
// OFF-NOT: call {{.*}}@__kesco1_wait_lent
// UNCHECKED-COUNT-2: call {{.*}}@__kesco1_wait_lent
// UNCHECKED-NOT: call {{.*}}@__kesco1_wait_lent
// IGNORED-LABEL: @_Z5timedPi
// IGNORED-NOT: @__kesco1_settle_lent(i32 0)
// IGNORED: @time(

#include <cstdio>
#include <cstdlib>
#include <ctime>

__attribute__((kesco_outputs(1))) __global__ void scale(int *data, int by) { *data *= by; }

// CHECK-LABEL: define {{.*}}@_Z7checkedPi(
// CHECK: [[LENT:%.*]] = {{.*}}call i32 @__kesco1_borrow()
// CHECK: call i32 @__kesco1_wait_lent(i32 [[LENT]], ptr null, i32 2, ptr nonnull @_Z7checkedPi.failed, i32 [[EXITS:-?[0-9]+]])
// CHECK-NOT: @__kesco1_leave_behind
// CHECK: ret void
void checked(int *data) {
    scale<<<1, 1>>>(data, 2);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "checked");
        exit(1);
    }
}

static void check(cudaError_t error, int line, bool ends = true) {
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        if (ends)
            exit(2);
    }
}

// CHECK-LABEL: define {{.*}}@_Z6handedPi(
// CHECK: call i32 @__kesco1_wait_lent(i32 {{%[0-9]+}}, ptr null, i32 1, ptr nonnull @_Z6handedPi.failed, i32 {{.*}})
void handed(int *data) {
    scale<<<1, 1>>>(data, 3);
    check(cudaStreamSynchronize(0), __LINE__);
}

// It may come back.
// CHECK-LABEL: define {{.*}}@_Z9continuedPi(
// CHECK-NOT: call {{.*}}@__kesco1_wait_lent
// CHECK: ret void
void continued(int *data) {
    scale<<<1, 1>>>(data, 4);
    check(cudaDeviceSynchronize(), __LINE__, false);
}

// CHECK-LABEL: define {{.*}}@_Z6thrownPi(
// CHECK-NOT: call {{.*}}@__kesco1_wait_lent
// CHECK: ret void
void thrown(int *data) {
    scale<<<1, 1>>>(data, 5);
    if (cudaDeviceSynchronize() != cudaSuccess)
        throw 1;
}

// CHECK-LABEL: define {{.*}}@_Z8returnedPi(
// CHECK-NOT: call {{.*}}@__kesco1_wait_lent
// CHECK: ret i32
cudaError_t returned(int *data) {
    scale<<<1, 1>>>(data, 6);
    return cudaDeviceSynchronize();
}

// CHECK-LABEL: define {{.*}}@_Z9uncheckedPi(
// CHECK: call i32 @__kesco1_wait_lent(i32 {{%[0-9]+}}, ptr null, i32 2, ptr null, i32 1)
void unchecked(int *data) {
    scale<<<1, 1>>>(data, 7);
    cudaDeviceSynchronize();
}

// What the program asks for later tells.
// CHECK-LABEL: define {{.*}}@_Z5askedPi(
// CHECK: call i32 @__kesco1_wait_lent(i32 {{%[0-9]+}}, ptr null, i32 2, ptr nonnull @_Z5askedPi.failed, i32 {{.*}})
// CHECK: call void @__kesco1_ask_lent(ptr nonnull @_Z5askedPi.failed{{.*}})
// CHECK-NEXT: call i32 @cudaGetLastError()
void asked(int *data) {
    scale<<<1, 1>>>(data, 8);
    cudaDeviceSynchronize();
    check(cudaGetLastError(), __LINE__);
}

// CHECK-LABEL: define {{.*}}@_Z5timedPi(
// CHECK: call void @__kesco1_settle_lent(i32 0)
// CHECK-NEXT: call i64 @time(
time_t timed(int *data) {
    scale<<<1, 1>>>(data, 9);
    return time(nullptr);
}

// Who lends puts its own off, too.
// CHECK-LABEL: define {{.*}}@_Z5lendsPi(
// CHECK: call i32 @__kesco1_wait_lent(i32 1, ptr null, i32 2, ptr nonnull @_Z5lendsPi.failed, i32 {{.*}})
void step(int *data);
void lends(int *data) {
    for (int i = 0; i < 9; i++) {
        step(data);
        check(cudaDeviceSynchronize(), __LINE__);
    }
}

// With nothing in front of it, and none that looks at it, as programs start CUDA early.
// CHECK-LABEL: define {{.*}}@_Z6warmUpv(
// CHECK: call i32 @__kesco1_borrow()
// CHECK: call i32 @__kesco1_wait_lent(
// CHECK: ret void
void warmUp() {
    cudaFree(nullptr);
}

// CHECK-LABEL: define internal void @_Z7checkedPi.failed(i32
// CHECK: call void @exit(i32 {{.*}}1)
// CHECK-LABEL: define internal void @_Z6handedPi.failed(i32
