// prefetch=on: before the first kernels of a region that use memory that may be managed, and before a call behind which
// the host reads such memory in a loop.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -fplugin-arg-kesco-prefetch=on | opt -passes=verify -S | FileCheck %s
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: @__kesco1_prefetch

__attribute__((kesco_outputs(1))) __global__ void set(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *in) { *out = *in; }

// CHECK-LABEL: define {{.*}}@_Z5lanesi(
// CHECK: call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// CHECK: [[A:%.*]] = load ptr
// CHECK: call void @__kesco1_prefetch(i32 0, ptr [[A]])
// CHECK: call void @_Z18__device_stub__setPf(ptr {{.*}}[[A]])
// CHECK: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// CHECK: call void @__kesco1_prefetch(i32 1, ptr
// CHECK-NOT: call void @__kesco1_prefetch(
// CHECK: call void @__kesco1_leave_by_next()
// CHECK-NEXT: [[B:%.*]] = load ptr, ptr [[VARIABLE:%.*]], align
// CHECK-NEXT: call void @__kesco1_prefetch_host(ptr null, ptr [[B]])
// CHECK-NEXT: call {{.*}}@cudaDeviceSynchronize()
float lanes(int n) {
    float *a, *b, *plain, sum = 0;
    cudaMallocManaged(&a, 4 * n);
    cudaMallocManaged(&b, 4 * n);
    cudaMalloc(&plain, 4 * n);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    use<<<1, 1>>>(plain, a);
    use<<<1, 1>>>(b, a);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        sum += b[i];
    return sum;
}

// One lane: the region stays as it is, beside the fetching.
// CHECK-LABEL: define {{.*}}@_Z3onei(
// CHECK-NOT: @__kesco1_enter
// CHECK: call void @__kesco1_prefetch_device(ptr null, ptr
// CHECK-NEXT: call void @_Z18__device_stub__setPf(
// CHECK-NOT: @__kesco1_prefetch_device
// CHECK-NOT: @__kesco1_prefetch_host
// CHECK: ret float
float one(int n) {
    float *a;
    cudaMallocManaged(&a, 4 * n);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    return a[0];
}

// The program does it itself.
// CHECK-LABEL: define {{.*}}@_Z3owni(
// CHECK-NOT: @__kesco1_prefetch
// CHECK: ret void
void own(int n) {
    float *a;
    cudaMallocManaged(&a, 4 * n);
    cudaMemPrefetchAsync(a, 4 * n, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0);
    set<<<1, 1>>>(a);
}
