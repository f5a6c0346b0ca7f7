// A caller of helpers gets a plan of its own only where that differs from what each helper has already.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass=kesco 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
#include <cstdlib>
#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void set(int *a);
void unknown();

// REMARK: 2 kernels run on 2 lanes
// CHECK: "name": "process()", "lanes": 2,
// IR-LABEL: define {{.*}}@_Z7processv(
// IR: call {{.*}}__kesco1_enter
__attribute__((noinline)) void process() {
    int *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
}

// Nothing is added by calls alone, however deep.
// CHECK-NOT: "name": "calls()"
// CHECK-NOT: "name": "calls_deeply()"
// IR-LABEL: define {{.*}}@_Z5callsv(
// IR-NOT: __kesco1
__attribute__((noinline)) void calls() { process(); }
// IR-LABEL: define {{.*}}@_Z12calls_deeplyv(
// IR-NOT: __kesco1
__attribute__((noinline)) void calls_deeply() { calls(); }

// Of two calls, the launches go together.
// IR-LABEL: define {{.*}}@_Z11calls_twicev(
// CHECK: "name": "calls_twice()", "lanes": 4,
// IR: call {{.*}}__kesco1_enter
__attribute__((noinline)) void calls_twice() {
    process();
    process();
}

// So do those of a loop's passes.
// CHECK: "name": "calls_in_loop(int)", "lanes": 2,
// IR-LABEL: define {{.*}}@_Z13calls_in_loopi(
// IR: call {{.*}}__kesco1_enter
__attribute__((noinline)) void calls_in_loop(int n) {
    for (int i = 0; i < n; i++)
        process();
}

// A caller that knows the allocations needs no guards.
// CHECK: "name": "guarded(int*, int*)", "lanes": 2,
// CHECK: "guards": [
// CHECK-NEXT: {"a": "a", "b": "b"}
// IR-LABEL: define {{.*}}@_Z7guardedPiS_(
// IR: call {{.*}}__kesco1_guard
__attribute__((noinline)) void guarded(int *a, int *b) {
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
}
// CHECK: "name": "knows()", "lanes": 2,
// CHECK: "guards": []
// IR-LABEL: define {{.*}}@_Z5knowsv(
// IR-NOT: __kesco1_guard
// IR: call {{.*}}__kesco1_enter
__attribute__((noinline)) void knows() {
    int *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    guarded(a, b);
}

// What stands between two calls is told.
// CHECK: "name": "stops_between()"
// CHECK: "why": "call to unknown function 'unknown()'"
__attribute__((noinline)) void stops_between() {
    process();
    unknown();
    process();
}

// Two that call each other each keep what they have together.
// CHECK: "name": "even(int)", "lanes": 4,
// CHECK: "name": "odd(int)", "lanes": 4,
void odd(int n);
__attribute__((noinline)) void even(int n) {
    process();
    if (n)
        odd(n - 1);
}
__attribute__((noinline)) void odd(int n) {
    process();
    if (n)
        even(n - 1);
}

// A helper that has to wait for work of others, where its caller knows no more of that.
#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) \
            exit(1); \
    } while (0)
// IR-LABEL: define {{.*}}@_Z5waitsPiS_(
// IR: call {{.*}}__kesco1_cover(i32 2)
__attribute__((noinline)) void waits(int *a, int *b) {
    set<<<1, 1>>>(a);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b);
    CHECK(cudaDeviceSynchronize());
}
static void start(cudaEvent_t event) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(event));
}
// CHECK-NOT: "name": "calls_waits(
// IR-LABEL: define {{.*}}@_Z11calls_waitsPiS_(
// IR-NOT: __kesco1
__attribute__((noinline)) void calls_waits(int *a, int *b) { waits(a, b); }

// A caller that has just waited knows that nothing is in flight, so there the host need not wait once more. Who calls
// that one knows no more.
// CHECK: "name": "idle(int*, int*, CUevent_st*)", "lanes": 2,
// IR-LABEL: define {{.*}}@_Z4idlePiS_P10CUevent_st(
// IR: call {{.*}}__kesco1_cover(i32 18)
__attribute__((noinline)) void idle(int *a, int *b, cudaEvent_t event) {
    start(event);
    waits(a, b);
}
// CHECK-NOT: "name": "busy(
// IR-LABEL: define {{.*}}@_Z4busyPiS_P10CUevent_st(
// IR-NOT: __kesco1_cover
__attribute__((noinline)) void busy(int *a, int *b, cudaEvent_t event) {
    start(event);
    unknown();
    waits(a, b);
}
// CHECK-NOT: "name": "calls_idle(
// IR-LABEL: define {{.*}}@_Z10calls_idlePiS_P10CUevent_st(
// IR-NOT: __kesco1
// IR: ret void
__attribute__((noinline)) void calls_idle(int *a, int *b, cudaEvent_t event) { idle(a, b, event); }
