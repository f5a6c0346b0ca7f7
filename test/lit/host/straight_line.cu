// Two independent kernels and one that needs both: two lanes, one wait, which the default stream makes, at every -O level, with and without -g.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 1 2 3; do for g in "" -g; do \
// RUN:   %kesco-host -O$o $g -S -emit-llvm %s -o %t/$o$g.ll -fplugin-arg-kesco-report=%t/$o$g.json || exit 1; \
// RUN:   FileCheck --input-file=%t/$o$g.json --check-prefix=PLAN %s || exit 1; \
// RUN:   FileCheck --input-file=%t/$o$g.ll %s || exit 1; \
// RUN:   opt -passes=verify -disable-output %t/$o$g.ll || exit 1; \
// RUN:   cmp %t/0.json %t/$o$g.json || exit 1; \
// RUN: done; done

#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void square(float *out, const float *in) { out[threadIdx.x] = in[0]; }
KESCO_OUTPUTS(1) __global__ void reduce(float *out, const float *a, const float *b) { *out = *a + *b; }

// PLAN-LABEL: "name": "straight()", "lanes": 2,
// PLAN: {"id": 0, "kind": "kernel", "name": "square", "line": [[#LINE:]], "lane": 0, "order": 0, "reads": ["x"], "writes": ["x1"], "priority": 1, "zone": 0, "region": 0}
// PLAN: {"id": 1, "kind": "kernel", "name": "square", "line": [[#LINE+1]], "lane": 1, "order": 1, "reads": ["y"], "writes": ["y1"]
// PLAN: {"id": 2, "kind": "kernel", "name": "reduce", "line": [[#LINE+2]], "lane": 0, "order": 2, "reads": ["x1", "y1"], "writes": ["res"]
// PLAN: {"from": 0, "to": 2, "kind": "RAW", "object": "x1"}
// PLAN: {"from": 1, "to": 2, "kind": "RAW", "object": "y1"}
// PLAN: "waits": [
// PLAN-NEXT: {"op": 2, "on": 1}],
// PLAN-NEXT: "records": [1],
// PLAN: "barriers": []

// CHECK-LABEL: define {{.*}}@_Z8straightv(
// CHECK: call void @__kesco1_enter(ptr null, ptr {{.*}})
// CHECK: [[A:%[0-9]+]] = {{.*}}call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// CHECK: call i32 @__cudaPushCallConfiguration({{.*}}, ptr {{(noundef )?}}[[A]])
// CHECK: [[B:%[0-9]+]] = {{.*}}call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// CHECK: call i32 @__cudaPushCallConfiguration({{.*}}, ptr {{(noundef )?}}[[B]])
// CHECK: [[C:%[0-9]+]] = {{.*}}call ptr @__kesco1_origin(ptr {{[^)]*}}@{{[^)]+}})
// CHECK: call i32 @__cudaPushCallConfiguration({{.*}}, ptr {{(noundef )?}}[[C]])
// CHECK: call void @__kesco1_passed(i32 0)
// CHECK: call void @__kesco1_leave_by_next()
// CHECK: [[DONE:%[0-9]+]] = {{.*}}call i32 @cudaDeviceSynchronize
// CHECK: call void @__kesco1_leave_behind(i32 {{(noundef )?}}[[DONE]])
void straight() {
    float *x, *y, *x1, *y1, *res;
    cudaMalloc(&x, 4);
    cudaMallocManaged(&y, 4);
    cudaMalloc((void **)&x1, 4);
    cudaMalloc(&y1, 4);
    cudaMalloc(&res, 4);
    square<<<1, 1>>>(x1, x);
    square<<<1, 1>>>(y1, y);
    reduce<<<1, 1>>>(res, x1, y1);
    cudaDeviceSynchronize();
}
