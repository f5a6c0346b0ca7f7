// Exceptions leave a region too: it is closed where one is caught, and on its way through a function that would not see it.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll && opt -passes=verify -disable-output %t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %kesco-host -std=c++17 -O2 -g -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// RUN: %kesco-host -std=c++17 -O0 -fno-exceptions -DQUIET -S -emit-llvm %s -o - | FileCheck %s --check-prefix=QUIET

#include <stdexcept>
#include <string>

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
#define TWO float *__restrict__ a, float *__restrict__ b
#ifndef QUIET
static void check() {
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error(std::string("a launch failed"));
}

// CHECK-LABEL: define {{.*}}@_Z6passesPfS_(
// CHECK: call void @__kesco1_enter(
// CHECK: invoke void @_ZL5checkv()
// CHECK-NEXT: to label %{{.*}} unwind label %[[PAD:.*]]
// CHECK: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// CHECK: invoke void @_ZL5checkv()
// CHECK-NEXT: to label %{{.*}} unwind label %[[PAD]]
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: ret void
// CHECK: [[PAD]]:
// CHECK-NEXT: landingpad
// CHECK-NEXT: cleanup
// CHECK-NEXT: call void @__kesco1_leave()
// CHECK-NEXT: resume
void passes(TWO) {
    make<<<1, 1>>>(a);
    check();
    make<<<1, 1>>>(b);
    check();
}

// CHECK-LABEL: define {{.*}}@_Z7catchesPfS_(
// CHECK: landingpad
// CHECK-NEXT: catch
// CHECK-NEXT: call void @__kesco1_leave()
// CHECK-NOT: landingpad
// CHECK: call ptr @__cxa_begin_catch
void catches(TWO) {
    try {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
        check();
    } catch (std::runtime_error &) {
    }
}

// Behind the handler the region is closed on one way and open on the other, so the next launch opens it if need be.
// CHECK-LABEL: define {{.*}}@_Z7goes_onPfS_(
// CHECK: call void @__kesco1_enter(
// CHECK: call ptr @__cxa_begin_catch
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK-NEXT: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
void goes_on(TWO) {
    try {
        make<<<1, 1>>>(a);
        check();
    } catch (std::runtime_error &) {
    }
    make<<<1, 1>>>(b);
}

// CHECK-LABEL: define {{.*}}@_Z6throwsPfS_i(
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: call void @__cxa_throw(
void throws(TWO, int n) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    if (n)
        throw 1;
}
#else
void look() {
    if (cudaGetLastError() != cudaSuccess)
        return;
}
// QUIET-LABEL: define {{.*}}@_Z5quietPfS_(
// QUIET: call void @__kesco1_enter(
// QUIET-NOT: landingpad
// QUIET: {{^}}}
void quiet(TWO) {
    make<<<1, 1>>>(a);
    look();
    make<<<1, 1>>>(b);
}
#endif
