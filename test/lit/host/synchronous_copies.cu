// A synchronous copy lets the host wait for its own lane alone, as long as the host can see nothing of what else is
// in flight.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>%t.err
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WHY

#include <cstdio>

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(char *out, const char *in) { *out = *in; }

// CHECK-LABEL: "name": "result()", "lanes": 2,
// CHECK: "name": "memcpy DtoH", {{.*}}"lane": 0, {{.*}}"reads": ["a"], "writes": []
// CHECK: "waits": [],
// CHECK: "barriers": []
// IR-LABEL: define{{.*}} @_Z6resultv
// IR: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR: [[LANE:%.*]] = call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// IR-NEXT: [[SERIAL:%.*]] = call i32 @__kesco1_serial()
// IR-NEXT: [[IS_SERIAL:%.*]] = icmp ne i32 [[SERIAL]], 0
// IR-NEXT: br i1 [[IS_SERIAL]], label %[[IN_SERIAL:.*]], label %[[IN_LANES:[0-9]+]]
// IR: [[IN_SERIAL]]:
// IR-NEXT: [[OLD_ERROR:%.*]] = call i32 @cudaMemcpy(ptr {{.*}}, i64 noundef 64, i32 noundef 2)
// IR-NEXT: [[OLD_RESULT:%.*]] = call i32 @__kesco1_finish(i32 0, i32 3, i32 [[OLD_ERROR]])
// IR: [[IN_LANES]]:
// IR-NEXT: [[ERROR:%.*]] = call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr {{.*}}, i64 64, i32 2, ptr [[LANE]])
// IR-NEXT: [[NEW_RESULT:%.*]] = call i32 @__kesco1_finish(i32 0, i32 0, i32 [[ERROR]])
// IR: [[RESULT:%.*]] = phi i32 [ [[OLD_RESULT]], %[[IN_SERIAL]] ], [ [[NEW_RESULT]], %[[IN_LANES]] ]
// IR: icmp eq i32 [[RESULT]], 0
// IR-NOT: call i32 @cudaMemcpy(
// IR: ret i32
int result() {
    char *a, *b, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    bool right = cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost) == cudaSuccess;
    use<<<1, 1>>>(a, b);
    return right ? host[0] : 0;
}

// What is ordered by the host's waiting needs no wait of its own.
// CHECK-LABEL: "name": "covered()", "lanes": 2,
// CHECK: "waits": [],
void covered() {
    char *a, *b, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    use<<<1, 1>>>(b, a);
}

// The copy waits for all there is: the call stays.
// CHECK-LABEL: "name": "last()", "lanes": 2,
// CHECK-NOT: "kind": "copy"
// CHECK-LABEL: "name": "managed()"
// IR-LABEL: define{{.*}} @_Z4lastv
// IR: call void @__kesco1_leave()
// IR-NEXT: call i32 @cudaMemcpy(
void last() {
    char *a, *b, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    use<<<1, 1>>>(a, b);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(b);
}

// Behind the copy, the host may look at managed memory.
// CHECK: "barriers": [
// CHECK-NEXT: call to 'cudaMemcpy', behind which the host may touch 'b', and 'set' may still be at work on it
// WHY: [[#@LINE+8]]:{{.*}}launches before and after this point do not overlap: call to 'cudaMemcpy', behind which the host may touch 'b', and 'set' may still be at work on it;
void managed() {
    char *a, *b, *c, host[64];
    cudaMalloc(&a, 64);
    cudaMallocManaged(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(c);
}

// The host may fill the source of a copy that is still under way.
// CHECK-LABEL: "name": "source()"
// CHECK: "barriers": [
// CHECK-NEXT: behind which the host may touch 'in', and 'memcpy HtoD' may still be at work on it
void source() {
    char *a, *b, *in, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMallocHost(&in, 64);
    set<<<1, 1>>>(a);
    cudaMemcpyAsync(b, in, 64, cudaMemcpyHostToDevice);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(b);
}

// An asynchronous copy to pageable memory lets the host wait, too.
// CHECK-LABEL: "name": "pageable()"
// CHECK: "barriers": [
// CHECK-NEXT: call to 'cudaMemcpyAsync', behind which the host may touch 'b'
void pageable() {
    char *a, *b, *c, host[64];
    cudaMalloc(&a, 64);
    cudaMallocManaged(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
    cudaMemcpyAsync(host, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(c);
}

// To pinned memory it does not.
// CHECK-LABEL: "name": "pinned()"
// CHECK: "barriers": []
void pinned() {
    char *a, *b, *out;
    cudaMalloc(&a, 64);
    cudaMallocManaged(&b, 64);
    cudaMallocHost(&out, 64);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
    cudaMemcpyAsync(out, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(b);
}

// Where only the run will tell, it is looked at then: 16 is KESCO_GUARD_LOCKED.
// CHECK-LABEL: "name": "target(char*)", "lanes": 2,
// CHECK: "barriers": []
// IR-LABEL: define{{.*}} @_Z6targetPc
// IR: call void @__kesco1_guard_range(i32 {{[0-9]}}, i32 27, ptr {{.*}}, i64 64)
// IR-NEXT: call i32 @cudaMemcpyAsync(
void target(char *out) {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMallocManaged(&b, 64);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
    cudaMemcpyAsync(out, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(b);
}

// Where only the run will tell what memory a pointer leads to, it is looked at then: 4 is KESCO_GUARD_PLAIN.
// CHECK-LABEL: "name": "arguments(char*, char*, char*)", "lanes": 2,
// CHECK: "kind": "copy", "name": "memcpy DtoH"
// IR-LABEL: define{{.*}} @_Z9argumentsPcS_S_
// IR: call void @__kesco1_guard(i32 0, i32 7, ptr
// IR: call void @__kesco1_guard(i32 1, i32 6, ptr
// IR: call void @__kesco1_guard_range(i32 0, i32 15, ptr {{.*}}, i64 64)
void arguments(char *a, char *b, char *out) {
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaMemcpy(out, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(a);
}

// A memset and a copy within the device do not let the host wait, but for memory that it can touch.
// CHECK-LABEL: "name": "within(char*)", "lanes": 2,
// CHECK: "kind": "memset"
// CHECK: "name": "memcpy DtoD"
// IR-LABEL: define{{.*}} @_Z6withinPc
// IR: call i32 @cudaMemsetAsync(
// IR-NOT: {{@__kesco1_finish|@__kesco1_copied}}
// IR: call void @__kesco1_copied(ptr %
// IR-NEXT: call void @__kesco1_copied(ptr %
// IR: call i32 @cudaMemcpyAsync({{.*}}, i32 3, ptr
// IR: call i32 @__kesco1_finish(i32 {{[01]}}, i32 1,
void within(char *to) {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemset(a, 0, 64);
    set<<<1, 1>>>(b);
    cudaMemcpy(to, a, 64, cudaMemcpyDeviceToDevice);
}

// Memory that may be either of two: the host waits, as the program may rely on.
// CHECK-LABEL: "name": "either(int)", "lanes": 2,
// IR-LABEL: define{{.*}} @_Z6eitheri
// IR: [[SET:%.*]] = call i32 @cudaMemsetAsync(
// IR-NEXT: call i32 @__kesco1_finish(i32 {{[01]}}, i32 0, i32 [[SET]])
void either(int n) {
    char *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMallocManaged(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(c);
    cudaMemset(n ? a : b, 0, 64);
    set<<<1, 1>>>(c);
}

// Kernels that print do so where the host waits.
__attribute__((kesco_outputs(1))) __global__ void speak(char *out) { printf("%p\n", out); }
// CHECK-LABEL: "name": "printing()"
// CHECK: "barriers": [
// CHECK-NEXT: call to 'cudaMemcpy', behind which the host may touch 'printf'
void printing() {
    char *a, *b, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    speak<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(a);
}
