// What the runtime is told of each op: where it stands itself, be it in a helper or a header, and where the function that
// is scheduled calls that. A profile tells ops apart by both.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %kesco-host -O1 -S -emit-llvm app.cu -o app.ll && FileCheck app.cu --input-file=app.ll
// RUN: %kesco-host -c app.cu -o /dev/null -fplugin-arg-kesco-profile=profile -Rpass-missed=kesco 2>&1 | FileCheck app.cu --check-prefix=PROFILE

//--- helper.h
static void launch(float *p, float *q) {
    fill<<<1, 1>>>(p);
    fill<<<1, 1>>>(q);
}
//--- app.cu
__attribute__((kesco_outputs(1))) __global__ void fill(float *out) { *out = 1; }
#include "helper.h"

// CHECK-DAG: [[RUNS:@[0-9.]+]] = private unnamed_addr constant {{.*}} c"run(float*, float*, float*, float*, float*)\00"
// CHECK-DAG: [[APP:@[0-9.]+]] = private unnamed_addr constant {{.*}} c"app.cu\00"
// CHECK-DAG: [[HELPER:@[0-9.]+]] = private unnamed_addr constant {{.*}} c"./helper.h\00"
// CHECK-DAG: { ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr } { ptr {{@[0-9.]+}}, ptr {{@[0-9.]+}}, ptr [[RUNS]], ptr [[HELPER]], i32 2, i32 14, i32 0, i32 0, i32 {{-?[0-9]+}}, i32 0, i32 0, ptr null }
// CHECK-DAG: { ptr {{@[0-9.]+}}, ptr {{@[0-9.]+}}, ptr [[RUNS]], ptr [[HELPER]], i32 3, i32 14, i32 0, i32 0, i32 {{-?[0-9]+}}, i32 1, i32 0, ptr null }
// CHECK-DAG: { ptr {{@[0-9.]+}}, ptr {{@[0-9.]+}}, ptr [[RUNS]], ptr [[HELPER]], i32 2, i32 15, i32 0, i32 0, i32 {{-?[0-9]+}}, i32 2, i32 0, ptr null }
// CHECK-DAG: { ptr {{@[0-9.]+}}, ptr {{@[0-9.]+}}, ptr [[RUNS]], ptr [[APP]], i32 16, i32 16, i32 0, i32 0, i32 {{-?[0-9]+}}, i32 4, i32 0, ptr null }
// CHECK-DAG: private constant { i32, i32, ptr, ptr, ptr, i32, i32, i32, ptr, ptr, i32, i32 } { i32 5, i32 0, ptr null, ptr [[RUNS]], ptr [[APP]], i32 14,
// PROFILE: helper.h:{{.*}} remark: in 'run(float*, float*, float*, float*, float*)', where it is inlined: 5 ops stay serial: by the profile they take 15.0 microseconds
void run(float *__restrict__ a, float *__restrict__ b, float *__restrict__ c, float *__restrict__ d, float *__restrict__ e) {
    launch(a, b);
    launch(c, d);
    fill<<<1, 1>>>(e);
}
//--- profile
{"version": 1, "ops": [
  {"function": "run(float*, float*, float*, float*, float*)", "file": "./helper.h", "line": 2, "call_line": 14, "kind": "kernel", "name": "fill", "count": 1, "mean_us": 1},
  {"function": "run(float*, float*, float*, float*, float*)", "file": "./helper.h", "line": 3, "call_line": 14, "kind": "kernel", "name": "fill", "count": 1, "mean_us": 2},
  {"function": "run(float*, float*, float*, float*, float*)", "file": "./helper.h", "line": 2, "call_line": 15, "kind": "kernel", "name": "fill", "count": 1, "mean_us": 3},
  {"function": "run(float*, float*, float*, float*, float*)", "file": "./helper.h", "line": 3, "call_line": 15, "kind": "kernel", "name": "fill", "count": 1, "mean_us": 4},
  {"function": "run(float*, float*, float*, float*, float*)", "file": "app.cu", "line": 16, "call_line": 16, "kind": "kernel", "name": "fill", "count": 1, "mean_us": 5}]}
