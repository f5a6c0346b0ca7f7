// The guard stands right before a launch, for each pointer that may share memory with another; no launch changes places.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - | opt -passes=verify -S | FileCheck %s
// RUN: %kesco-host -O3 -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// RUN: %kesco-host -c %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: 3 kernels run on 2 lanes with 0 waits, serially where pointers lead to the same memory (3 checked at run time) [-Rpass=kesco]

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }

// CHECK-LABEL: define {{.*}}@_Z7guardedPfS_PKf(
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK: [[A:%[0-9]+]] = load ptr
// CHECK: [[X:%[0-9]+]] = load ptr
// a is checked (1) and written (2), x checked; b is written, and checked against them by their flags.
// CHECK: call void @__kesco1_guard(i32 0, i32 3, ptr [[A]])
// CHECK-NEXT: call void @__kesco1_guard(i32 1, i32 1, ptr [[X]])
// CHECK-NEXT: call void @_Z20__device_stub__knownPfPKf(ptr {{.*}}[[A]], ptr {{.*}}[[X]])
// CHECK: call void @__kesco1_guard(i32 0, i32 3,
// CHECK: call void @__kesco1_guard(i32 2, i32 2,
// CHECK-NOT: __kesco1_guard
// CHECK: call void @__kesco1_leave()
void guarded(float *a, float *b, const float *x) {
    known<<<1, 1>>>(a, x);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// Where all is known, there is none.
// CHECK-LABEL: define {{.*}}@_Z5knownv(
// CHECK: __kesco1_enter
// CHECK-NOT: __kesco1_guard
// CHECK: {{^}}}
void known() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
