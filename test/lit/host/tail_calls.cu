// Nothing stands between a call that must be a tail call and the return: the region is left before it.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll && opt -passes=verify -disable-output %t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %kesco-host -O2 -S -emit-llvm %s -o - | opt -passes=verify -disable-output

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }

static int sum(char *a, char *b) { return *a + *b; }

// CHECK-LABEL: define {{.*}}@_Z4seenPcS_(
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: musttail call {{.*}}@_ZL3sumPcS_(
// CHECK-NEXT: ret
int seen(char *a, char *b) {
    char *c, *d;
    cudaMalloc(&c, 64), cudaMalloc(&d, 64);
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(d);
    [[clang::musttail]] return sum(a, b);
}

// What acts on the default stream.
// CHECK-LABEL: define {{.*}}@_Z6actionv(
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: musttail call {{.*}}@cudaDeviceSynchronize()
// CHECK-NEXT: ret
cudaError_t action() {
    char *c, *d;
    cudaMalloc(&c, 64), cudaMalloc(&d, 64);
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(d);
    [[clang::musttail]] return cudaDeviceSynchronize();
}

// What would be an op.
// CHECK-LABEL: define {{.*}}@_Z2opPvim(
// CHECK: call void @__kesco1_leave()
// CHECK-NEXT: musttail call {{.*}}@cudaMemset(
// CHECK-NEXT: ret
cudaError_t op(void *a, int value, size_t size) {
    char *c, *d;
    cudaMalloc(&c, 64), cudaMalloc(&d, 64);
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(d);
    [[clang::musttail]] return cudaMemset(a, value, size);
}
