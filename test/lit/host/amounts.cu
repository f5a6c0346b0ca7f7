// The runtime is told how many threads a launch has, and above bit 40 how much each has to do, where arguments say how often
// the kernel's loops go round.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -O2 -S -emit-llvm %s -o - -Xclang -fcuda-include-gpubinary -Xclang %t.img | FileCheck %s
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -Xclang -fcuda-include-gpubinary -Xclang %t.img | FileCheck %s --check-prefix=O0

// SUMMARY: K _Z4loopPii
// SUMMARY: P 0 0 rw 9
// SUMMARY: W 1106 0;2,69,0,a1:0:32,M,*,+
// SUMMARY: K _Z9of_member5Large
// SUMMARY: P 0 0 rw 9
// SUMMARY: W 1106 0;2,69,0,a0:16:64,M,*,+
// SUMMARY: K _Z8of_shapePi5Shape
// SUMMARY: P 0 0 rw 9
// SUMMARY: W 1106 0;2,69,0,a1:0:32,M,*,+
// SUMMARY: K _Z5plainPi
// SUMMARY: P 0 0 rw 9
// SUMMARY: W 65

#include <cuda_runtime.h>

__global__ void loop(int *p, int n) {
    for (int i = 0; i < n; i++)
        p[threadIdx.x] += i;
}

__global__ void plain(int *p) { p[threadIdx.x] += 1; }

// CHECK-LABEL: define {{.*}} @_Z8constantPiS_(
// 64 threads of 2 + 69 * 1000 instructions, and of 2
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 75868501339799616)
// CHECK: call ptr @__kesco1_lane(i32 1, ptr {{.*}}, i64 64)
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 2199023255616)
void constant(int *a, int *b) {
    loop<<<1, 64>>>(a, 1000);
    plain<<<1, 64>>>(b);
    loop<<<1, 64>>>(a, -5);
}

struct Large {
    int *p;
    long rows, columns;
};

__global__ void of_member(Large l) {
    for (long i = 0; i < l.columns; i++)
        l.p[threadIdx.x] += i;
}

// What is copied for the call is not there yet.
// CHECK-LABEL: define {{.*}} @_Z7in_bulkR5LargeS0_(
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 64)
void in_bulk(Large &a, Large &b) {
    of_member<<<1, 64>>>(a);
    of_member<<<1, 64>>>(b);
}

struct Shape {
    int rows, columns;
};

__global__ void of_shape(int *p, Shape shape) {
    for (int i = 0; i < shape.rows; i++)
        p[threadIdx.x] += i;
}

// What is copied to be passed in a register is read where it is copied from.
// O0-LABEL: define {{.*}} @_Z12in_registersPiS_RK5ShapeS2_(
// O0: store ptr %2, ptr [[S:%.*]], align 8
// O0: [[FROM:%.*]] = load ptr, ptr [[S]], align 1
// O0-NEXT: [[BOTH:%.*]] = load i64, ptr [[FROM]], align 1
// O0-NEXT: [[BITS:%.*]] = lshr i64 [[BOTH]], 0
// O0: [[EACH:%.*]] = shl i64 {{.*}}, 40
// O0: [[AMOUNT:%.*]] = or i64 {{.*}}, [[EACH]]
// O0: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 [[AMOUNT]])
void in_registers(int *a, int *b, const Shape &s, const Shape &t) {
    of_shape<<<1, 64>>>(a, s);
    of_shape<<<1, 64>>>(b, t);
}

// Nothing is read that the arguments' evaluation may change, and nothing that it makes readable.
// CHECK-LABEL: define {{.*}} @_Z7changesPiS_PPKiS1_(
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 64)
void changes(int *a, int *b, const int **at, const int *n) {
    loop<<<1, 64>>>(a, (*at = n, **at));
    loop<<<1, 64>>>(b, (*at = n, **at));
}

struct Solver {
    int *a, *b, n;
    void step();
};

// CHECK-LABEL: define {{.*}} @_ZN6Solver4stepEv(
// CHECK: call i32 @llvm.smax.i32(i32 {{.*}}, i32 0)
// CHECK: [[EACH:%.*]] = shl {{.*}}i64 {{.*}}, 40
// CHECK: [[AMOUNT:%.*]] = {{or disjoint|add.*}} i64 [[EACH]], {{[0-9]+}}
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 [[AMOUNT]])
// O0-LABEL: define {{.*}} @_ZN6Solver4stepEv(
// O0: [[EACH:%.*]] = shl i64 {{.*}}, 40
// O0: [[AMOUNT:%.*]] = or i64 {{.*}}, [[EACH]]
// O0: call ptr @__kesco1_lane(i32 0, ptr {{.*}}, i64 [[AMOUNT]])
void Solver::step() {
    loop<<<1, 64>>>(a, n);
    loop<<<1, 64>>>(b, n);
}
