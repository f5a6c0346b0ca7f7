// A caller of helpers gets a plan of its own only where that differs from what each helper has already.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass=kesco 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
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
