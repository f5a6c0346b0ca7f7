// An op that another one overtakes, and that all others come before or behind then, is issued on the default stream where
// it stands now: behind the one before it in the issue order, and its launch is looked after there.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - \
// RUN:   -fplugin-arg-kesco-policy=fewest-predecessors -fplugin-arg-kesco-max-lanes=4 -Xclang -llvm-verify-each | FileCheck %s

#include <kesco.h>

KESCO_OUTPUTS("a") __global__ void fill(int *a);
KESCO_OUTPUTS("a") __global__ void from(int *a, const int *in);
KESCO_OUTPUTS("a") __global__ void say(int *a, const int *in);
KESCO_OUTPUTS("a", "b") __global__ void two(int *a, int *b, const int *in);
KESCO_OUTPUTS("a", "b") __global__ void last(int *a, int *b, const int *in);

static int *make() {
    int *made;
    cudaMalloc(&made, 400);
    return made;
}

// CHECK-LABEL: define {{.*}}@_Z3runv(
// CHECK: call void @{{.*}}device_stub__say
// CHECK: [[STREAM:%.*]] = call ptr @__kesco1_origin(
// CHECK-NEXT: [[START:%.*]] = call i32 @__cudaPushCallConfiguration({{.*}}[[STREAM]])
// CHECK-NEXT: [[ACCEPTED:%.*]] = icmp eq i32 [[START]], 0
// CHECK-NEXT: br i1 [[ACCEPTED]], label %[[ISSUE:.*]], label %[[REFUSED:.*]]
// CHECK: [[REFUSED]]:
// CHECK-NEXT: call void @__kesco1_align()
// CHECK: [[ISSUE]]:
// CHECK-NEXT: call void @{{.*}}device_stub__last
// CHECK-NEXT: call void @__kesco1_passed(i32 0)
void run() {
    int *b0 = make(), *b1 = make(), *b2 = make(), *b3 = make(), *b4 = make(), *b5 = make();
    int *bumped = make(), *total = make(), *said = make();
    fill<<<1, 1>>>(b0);
    fill<<<1, 1>>>(b1);
    fill<<<1, 1>>>(b2);
    fill<<<1, 1>>>(b3);
    fill<<<1, 1>>>(b4);
    fill<<<1, 1>>>(b4);
    fill<<<1, 1>>>(b5);
    fill<<<1, 1>>>(b3);
    fill<<<1, 1>>>(b5);
    two<<<1, 1>>>(b0, bumped, b3);
    from<<<1, 1>>>(b0, total);
    from<<<1, 1>>>(b3, total);
    two<<<1, 1>>>(b3, b0, b4);
    last<<<1, 1>>>(b5, b0, b2);
    say<<<1, 1>>>(said, b2);
}
