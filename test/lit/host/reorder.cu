// An op that the plan issues later keeps its arguments where they are evaluated; its two calls move down. Where nothing
// is gained, with reorder=off or in one lane, launches are issued as the program says.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - \
// RUN:   -fplugin-arg-kesco-policy=fewest-predecessors | opt -passes=verify -S | FileCheck %s
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -fplugin-arg-kesco-reorder=off -fplugin-arg-kesco-report=%t.off.json \
// RUN:   | opt -passes=verify -S | FileCheck %s --check-prefix=OFF
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.off.json
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.one.ll -fplugin-arg-kesco-max-lanes=1 -fplugin-arg-kesco-report=%t.one.json
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.one.json
// RUN: %kesco-host -O2 -S -emit-llvm %s -o - -fplugin-arg-kesco-policy=fewest-predecessors | opt -passes=verify -disable-output

struct Large {
    float values[16];
};
__attribute__((kesco_outputs(1))) __global__ void first(float *out, const float *in, int n) { out[n] = in[n]; }
__attribute__((kesco_outputs(1))) __global__ void second(float *out, const float *in, int n) { out[n] = in[n]; }
__attribute__((kesco_outputs(1))) __global__ void third(float *out, const float *in, int n) { out[n] = in[n]; }
__attribute__((kesco_outputs(1))) __global__ void large(float *out, const float *in, Large l) { out[0] = l.values[0]; }

// CHECK-LABEL: define {{.*}}@_Z5movedi(
// CHECK: call void @{{.*}}device_stub__first
// second's arguments are read here,
// CHECK: [[A:%[0-9]+]] = load ptr, ptr %{{[0-9]+}}
// CHECK: [[B:%[0-9]+]] = load ptr, ptr %{{[0-9]+}}
// CHECK: [[N:%[0-9]+]] = load i32, ptr [[NP:%[0-9]+]]
// before the program changes n,
// CHECK: store i32 {{%[0-9]+}}, ptr [[NP]]
// CHECK: call void @{{.*}}device_stub__third
// and used here.
// CHECK: call i32 @__cudaPushCallConfiguration
// CHECK: call void @{{.*}}device_stub__second{{.*}}(ptr {{.*}}[[A]], ptr {{.*}}[[B]], i32 {{.*}}[[N]])
// CHECK: call void @__kesco1_leave

// OFF-LABEL: define {{.*}}@_Z5movedi(
// OFF: call void @{{.*}}device_stub__first
// OFF: call void @{{.*}}device_stub__second
// OFF: call void @{{.*}}device_stub__third
// OFF: call void @__kesco1_leave
// PLAN-LABEL: "name": "moved(int)"
// PLAN: {"id": 1, {{.*}}"order": 1,
// PLAN: {"id": 2, {{.*}}"order": 2,
void moved(int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    first<<<1, 1>>>(a, nullptr, n);
    second<<<1, 1>>>(b, a, n);
    n = n + 1;
    third<<<1, 1>>>(c, nullptr, n);
}

// A struct passed in memory could change before the moved call reads it, so its launch stays.
// OFF-LABEL: define {{.*}}@_Z5stays5Large(
// PLAN-LABEL: "name": "stays(Large)"
// CHECK-LABEL: define {{.*}}@_Z5stays5Large(
// CHECK: call void @{{.*}}device_stub__first
// CHECK: call void @{{.*}}device_stub__large
// CHECK: call void @{{.*}}device_stub__third
void stays(Large l) {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    first<<<1, 1>>>(a, nullptr, 1);
    large<<<1, 1>>>(b, a, l);
    third<<<1, 1>>>(c, nullptr, 1);
}

// A store that other threads or the device may see keeps its place among the launches.
// CHECK-LABEL: define {{.*}}@_Z6fencedPi(
// CHECK: call void @{{.*}}device_stub__first
// CHECK: call void @{{.*}}device_stub__second
// CHECK: store i32 1
// CHECK: call void @{{.*}}device_stub__third
void fenced(int *shared) {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    first<<<1, 1>>>(a, nullptr, 1);
    second<<<1, 1>>>(b, a, 1);
    *shared = 1;
    third<<<1, 1>>>(c, nullptr, 1);
}
