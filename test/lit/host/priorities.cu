// Tasks of different priority: the higher one is issued first where launches may change places, and its lanes are streams
// of a higher priority. No task waits for another.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: opt -passes=verify -disable-output %t.ll
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.one.ll -fplugin-arg-kesco-max-lanes=1 && not grep '__kesco1_[^i]' %t.one.ll

#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void low(float *out, const float *in) { *out = *in; }
KESCO_OUTPUTS(1) KESCO_PRIORITY(3) __global__ void high(float *out, const float *in) { *out = *in; }
KESCO_OUTPUTS(1) KESCO_PRIORITY(2) __global__ void middle(float *out, const float *in) { *out = *in; }

// IR: [[LEVELS:@[0-9.]+]] = private unnamed_addr constant [3 x i8] c"\02\01\00"
// IR: [[TASKS:@[0-9.]+]] = private constant {{.*}} { i32 3, i32 0, ptr [[LEVELS]],

// CHECK-LABEL: "name": "tasks()", "lanes": 3, "levels": [2, 1, 0],
// CHECK: {"id": 0, {{.*}}"name": "low", {{.*}}"lane": 2, "order": 4, {{.*}}"priority": 1, "zone": 0,
// CHECK: {"id": 1, {{.*}}"name": "low", {{.*}}"lane": 2, "order": 5, {{.*}}"zone": 0,
// CHECK: {"id": 2, {{.*}}"name": "middle", {{.*}}"lane": 1, "order": 2, {{.*}}"priority": 2, "zone": 1,
// CHECK: {"id": 3, {{.*}}"name": "middle", {{.*}}"lane": 1, "order": 3, {{.*}}"zone": 1,
// CHECK: {"id": 4, {{.*}}"name": "high", {{.*}}"lane": 0, "order": 0, {{.*}}"priority": 3, "zone": 2,
// CHECK: {"id": 5, {{.*}}"name": "high", {{.*}}"lane": 0, "order": 1, {{.*}}"zone": 2,
// CHECK: "waits": [],
// IR-LABEL: define {{.*}}@_Z5tasksv(
// IR: call void @__kesco1_enter(ptr null, ptr nonnull [[TASKS]])
// IR: device_stub__high
// IR: device_stub__high
// IR: device_stub__middle
// IR: device_stub__middle
// IR: device_stub__low
// IR: device_stub__low
// IR: call void @__kesco1_leave()
void tasks() {
    float *a, *b, *c, *d, *e, *f;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    cudaMalloc(&e, 4);
    cudaMalloc(&f, 4);
    low<<<1, 1>>>(a, b);
    low<<<1, 1>>>(b, a);
    middle<<<1, 1>>>(c, d);
    middle<<<1, 1>>>(d, c);
    high<<<1, 1>>>(e, f);
    high<<<1, 1>>>(f, e);
}

// A task has the priority of its most urgent kernel.
// CHECK-LABEL: "name": "mixed()", "lanes": 2, "levels": [1, 0],
// CHECK: {"id": 0, {{.*}}"lane": 1,
// CHECK: {"id": 1, {{.*}}"lane": 0,
// CHECK: {"id": 2, {{.*}}"lane": 0,
void mixed() {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    middle<<<1, 1>>>(a, b);
    low<<<1, 1>>>(c, d);
    high<<<1, 1>>>(d, c);
}

// Equal priorities need no levels.
// IR-LABEL: define {{.*}}@_Z5equalv(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
void equal() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    high<<<1, 1>>>(a, nullptr);
    high<<<1, 1>>>(b, nullptr);
}
