// Where one op alone uses managed memory, once, and by a known range, that range is fetched; else all of the allocation.
// RUN: %vgpu-kesco -O1 -c %s -o %t.o -fplugin-arg-kesco-show=ir 2>&1 | FileCheck %s

__global__ void square(float *values) {
    values[threadIdx.x] *= values[threadIdx.x];
}

__global__ void add(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

__global__ void gather(float *to, const float *from, const int *where) {
    to[threadIdx.x] = from[where[threadIdx.x]];
}

// CHECK-LABEL: define {{.*}}@_Z3onev(
// CHECK: call void @__kesco1_fetch(i32 [[A:[01]]], ptr
// CHECK: call void @_Z21__device_stub__squarePf(
// CHECK: call void @__kesco1_fetch_part(i32 {{[01]}}, ptr {{[^,]*}}, i64 0, i64 {{%[0-9]+}})
// CHECK-NEXT: call void @_Z21__device_stub__squarePf(
// CHECK: call void @__kesco1_fetch_part(i32 [[A]], ptr {{[^,]*}}, i64 {{%[0-9]+}}, i64 {{%[0-9]+}})
// CHECK-NEXT: call void @_Z18__device_stub__addPfPKf(
// CHECK: ret void
void one() {
    float *a, *b, *from;
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&b, 256 * sizeof *b);
    cudaMallocManaged(&from, 4096 * sizeof *from);
    square<<<1, 256>>>(a);
    square<<<1, 256>>>(b);
    add<<<1, 256>>>(a, from);
    cudaDeviceSynchronize();
}

// Two ops may use more than the first one; of one, nobody knows which bytes it uses.
// CHECK-LABEL: define {{.*}}@_Z4morev(
// CHECK-COUNT-4: call void @__kesco1_fetch(
// CHECK-NOT: @__kesco1_fetch
// CHECK: ret void
void more() {
    float *a, *b, *two, *unknown;
    int *where;
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&b, 256 * sizeof *b);
    cudaMallocManaged(&two, 4096 * sizeof *two);
    cudaMallocManaged(&unknown, 4096 * sizeof *unknown);
    cudaMalloc(&where, 256 * sizeof *where);
    add<<<1, 256>>>(a, two);
    add<<<1, 256>>>(b, two + 512);
    gather<<<1, 256>>>(a, unknown, where);
    square<<<1, 256>>>(b);
    cudaDeviceSynchronize();
}

// An op in a loop may use more in another pass, too.
// CHECK-LABEL: define {{.*}}@_Z4loopi(
// CHECK-NOT: @__kesco1_fetch_part
// CHECK: ret void
void loop(int n) {
    float *a, *b, *from;
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&b, 256 * sizeof *b);
    cudaMallocManaged(&from, 4096 * sizeof *from);
    for (int i = 0; i < n; i++) {
        add<<<1, 256>>>(a, from + i);
        square<<<1, 256>>>(b);
    }
    cudaDeviceSynchronize();
}
