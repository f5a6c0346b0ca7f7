// Copies that the host makes or reads for at the call: before those, it waits for what they come after.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %kesco-host -O0 -S -emit-llvm -Xclang -fgpu-default-stream=per-thread -DCUDA_API_PER_THREAD_DEFAULT_STREAM %s -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=PER-THREAD

#include <cstdlib>

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }

// CHECK-LABEL: define{{.*}} @_Z7managedv
// CHECK: [[LANE:%.*]] = call ptr @__kesco1_lane(
// CHECK: call void @__kesco1_host_copy(ptr [[COPY:%.*]], i32 1, ptr [[FROM:%.*]])
// CHECK-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr noundef [[FROM]], i64 noundef 64, i32 noundef 1, ptr noundef [[COPY]])
// CHECK: ret void
void managed() {
    char *a, *b, *c;
    cudaMallocManaged(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(c);
    cudaMemcpyAsync(b, a, 64, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(b);
}

// It may be anything.
// CHECK-LABEL: define{{.*}} @_Z7unknownPKc
// CHECK: call void @__kesco1_host_copy(ptr [[COPY:%.*]], i32 1, ptr [[FROM:%.*]])
// CHECK-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr noundef [[FROM]], i64 noundef 64, i32 noundef 1, ptr noundef [[COPY]])
// CHECK: ret void
void unknown(const char *from) {
    char *b, *c;
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(c);
    cudaMemcpyAsync(b, from, 64, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(b);
}

// The kind, and where from, stand in the struct.
// CHECK-LABEL: define{{.*}} @_Z6slicesPcS_
// CHECK: getelementptr i8, ptr {{.*}}, i64 152
// CHECK-NEXT: [[KIND:%.*]] = load i32, ptr
// CHECK-NEXT: getelementptr i8, ptr {{.*}}, i64 32
// CHECK-NEXT: [[FROM:%.*]] = load ptr, ptr
// CHECK-NEXT: call void @__kesco1_host_copy(ptr [[COPY:%.*]], i32 [[KIND]], ptr [[FROM]])
// CHECK-NEXT: {{call|invoke}} i32 @cudaMemcpy3DAsync(ptr {{.*}}, ptr noundef [[COPY]])
// CHECK: ret void
void slices(char *to, char *from) {
    char *c;
    cudaMemcpy3DParms asked = {};
    cudaMalloc(&c, 64);
    asked.srcPtr = {from, 8, 8, 8};
    asked.dstPtr = {to, 8, 8, 8};
    asked.extent = {4, 4, 1};
    asked.kind = cudaMemcpyHostToDevice;
    set<<<1, 1>>>(c);
    cudaMemcpy3DAsync(&asked);
    set<<<1, 1>>>(to);
}

// CHECK-LABEL: define{{.*}} @_Z7at_oncePKc
// CHECK: call void @__kesco1_host_copy(ptr [[COPY:%.*]], i32 1, ptr [[FROM:%.*]])
// CHECK: call i32 @cudaMemcpy(
// CHECK: call i32 @cudaMemcpyAsync(ptr {{.*}}, i32 1, ptr [[COPY]])
// CHECK: ret void
void at_once(const char *from) {
    char *b, *c;
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(c);
    cudaMemcpy(b, from, 64, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(b);
}

// Memory that no kernel writes without being seen, and copies that the device makes.
// CHECK-LABEL: define{{.*}} @_Z6othersPc
// CHECK-NOT: @__kesco1_host_copy
// CHECK: ret void
void others(char *from) {
    char *a, *b, *c, *pinned, stack[64], *heap = (char *)malloc(64);
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    cudaMallocHost(&pinned, 64);
    set<<<1, 1>>>(c);
    cudaMemcpyAsync(b, pinned, 64, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(b, stack, 64, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(a, heap, 64, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(a, from, 64, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(b, from, 64, cudaMemcpyDefault);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
}

// A barrier, at which the region is closed.
// CHECK-LABEL: define{{.*}} @_Z6withinPcS_
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: call void @__kesco1_host_copy(ptr null, i32 0, ptr [[FROM:%.*]])
// CHECK-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr noundef [[FROM]], i64 noundef 64, i32 noundef 0, ptr noundef null)
// CHECK: ret void
// PER-THREAD-LABEL: define{{.*}} @_Z6withinPcS_
// PER-THREAD: call void @__kesco1_host_copy(ptr inttoptr (i32 2 to ptr), i32 0, ptr
// PER-THREAD-NEXT: call i32 @cudaMemcpyAsync_ptsz(
void within(char *to, char *from) {
    char *b, *c;
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(c);
    cudaMemcpyAsync(to, from, 64, cudaMemcpyHostToHost);
    set<<<1, 1>>>(b);
}
