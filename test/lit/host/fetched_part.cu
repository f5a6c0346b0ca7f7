// Where of all that ops use of managed memory the bytes are known, each op has its own fetched; else all of the allocation,
// for the first one.
// RUN: %vgpu-kesco -O1 -c %s -o %t.o -fplugin-arg-kesco-across-calls=off -fplugin-arg-kesco-show=ir 2>&1 | FileCheck %s

__global__ void square(float *values) {
    values[threadIdx.x] *= values[threadIdx.x];
}

__global__ void fill(float *values) {
    values[threadIdx.x] = 1;
}

__global__ void add(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

__global__ void gather(float *to, const float *from, const int *where) {
    to[threadIdx.x] = from[where[threadIdx.x]];
}

// CHECK-LABEL: define {{.*}}@_Z3onev(
// CHECK: call void @__kesco1_fetch_part(i32 [[A:[01]]], ptr {{[^,]*}}, i32 0, i64 0, i64 {{%[0-9]+}})
// CHECK-NEXT: call void @_Z21__device_stub__squarePf
// CHECK: call void @__kesco1_fetch_part(i32 {{[01]}}, ptr {{[^,]*}}, i32 0, i64 0, i64 {{%[0-9]+}})
// CHECK-NEXT: call void @_Z21__device_stub__squarePf
// CHECK-COUNT-2: call void @__kesco1_fetch_part(i32 [[A]], ptr {{[^,]*}}, i32 0, i64 {{%[0-9]+}}, i64 {{%[0-9]+}})
// CHECK-NEXT: call void @_Z18__device_stub__addPfPKf
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

// Each of several ops says what it uses, and whether it overwrites that; of one, nobody knows which bytes it uses.
// CHECK-LABEL: define {{.*}}@_Z4morev(
// CHECK-NOT: @__kesco1_fetch(
// CHECK-COUNT-2: call void @__kesco1_fetch_part({{.*}}, i32 0, i64
// CHECK-NEXT: call void @_Z18__device_stub__addPfPKf
// CHECK-COUNT-2: call void @__kesco1_fetch_part({{.*}}, i32 0, i64
// CHECK-NEXT: call void @_Z18__device_stub__addPfPKf
// CHECK-COUNT-1: call void @__kesco1_fetch_part({{.*}}, i32 1, i64
// CHECK: call void @__kesco1_fetch(
// CHECK: call void @_Z21__device_stub__gatherPfPKfPKi
// CHECK: call void @__kesco1_fetch_part({{.*}}, i32 1, i64
// CHECK-NEXT: call void @_Z19__device_stub__fillPf
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
    fill<<<1, 256>>>(b);
    cudaDeviceSynchronize();
}

// Where one op may use any byte, the first one fetches all.
// CHECK-LABEL: define {{.*}}@_Z7unknownv(
// CHECK: call void @__kesco1_fetch(i32 {{[01]}}, ptr
// CHECK-NOT: @__kesco1_fetch(
// CHECK: call void @_Z21__device_stub__gatherPfPKfPKi
// CHECK: ret void
void unknown() {
    float *a, *b, *from;
    int *where;
    cudaMallocManaged(&a, 256 * sizeof *a);
    cudaMallocManaged(&b, 256 * sizeof *b);
    cudaMallocManaged(&from, 4096 * sizeof *from);
    cudaMalloc(&where, 256 * sizeof *where);
    add<<<1, 256>>>(b, from);
    gather<<<1, 256>>>(a, from, where);
    cudaDeviceSynchronize();
}

// In a loop, each pass says what it uses.
// CHECK-LABEL: define {{.*}}@_Z4loopi(
// CHECK-COUNT-2: call void @__kesco1_fetch_part({{.*}}, i32 0, i64
// CHECK-NEXT: call void @_Z18__device_stub__addPfPKf
// CHECK: call void @__kesco1_fetch_part({{.*}}, i32 0, i64
// CHECK-NEXT: call void @_Z21__device_stub__squarePf
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
