// Copies, memsets, prefetches, stream-ordered allocation and free are ops like launches: what they touch, and on
// which stream they come out.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }

// CHECK-LABEL: "name": "copies()", "lanes": 2,
// CHECK: "kind": "copy", "name": "memcpy HtoD", {{.*}}"reads": ["in"], "writes": ["a"]
// CHECK: "kind": "kernel", "name": "set", {{.*}}"writes": ["b"]
// CHECK: "kind": "copy", "name": "memcpy DtoD", {{.*}}"reads": ["a"], "writes": ["c"]
// CHECK: "kind": "copy", "name": "memcpy DtoH", {{.*}}"reads": ["b"], "writes": ["out"]
// CHECK: "barriers": []
// IR-LABEL: define{{.*}} @_Z6copiesv
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR: [[FIRST:%.*]] = call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// IR-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr {{.*}}, i64 noundef 64, i32 noundef 1, ptr noundef [[FIRST]])
// IR: [[SECOND:%.*]] = call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR-NEXT: call i32 @__cudaPushCallConfiguration({{.*}}, ptr noundef [[SECOND]])
// IR: [[THIRD:%.*]] = call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// IR-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr {{.*}}, i64 noundef 64, i32 noundef 3, ptr noundef [[THIRD]])
// IR: [[FOURTH:%.*]] = call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR-NEXT: call i32 @cudaMemcpyAsync(ptr {{.*}}, ptr {{.*}}, i64 noundef 64, i32 noundef 2, ptr noundef [[FOURTH]])
// IR: call void @__kesco1_leave()
void copies() {
    char *a, *b, *c, *in, *out;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    cudaMallocHost(&in, 64);
    cudaMallocHost(&out, 64);
    cudaMemcpyAsync(a, in, 64, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(b);
    cudaMemcpyAsync(c, a, 64, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(out, b, 64, cudaMemcpyDeviceToHost);
}

// CHECK-LABEL: "name": "rows()", "lanes": 2,
// CHECK: "name": "memcpy HtoD", {{.*}}"reads": ["in"], "writes": ["a"]
// CHECK: "kind": "memset", "name": "memset", {{.*}}"writes": ["b[rows 0..4, bytes 0..8)"]
// CHECK: "name": "memcpy DtoH", {{.*}}"reads": ["a"], "writes": ["in"]
// CHECK: "kind": "memset", "name": "memset", {{.*}}"writes": ["b[rows 0..4, bytes 0..8)", "b[rows 0..4, bytes 8..16)"]
// CHECK: "barriers": []
void rows() {
    char *a, *b, *in;
    size_t pitch;
    cudaMallocPitch(&a, &pitch, 16, 4);
    cudaMalloc(&b, 64);
    cudaMallocHost(&in, 64);
    cudaMemcpy2DAsync(a, pitch, in, 16, 16, 4, cudaMemcpyHostToDevice);
    cudaMemset2DAsync(b, 16, 0, 8, 4);
    cudaMemcpy3DParms cube = {};
    cube.srcPtr = make_cudaPitchedPtr(a, pitch, 16, 4);
    cube.dstPtr = make_cudaPitchedPtr(in, 16, 16, 4);
    cube.extent = make_cudaExtent(16, 4, 1);
    cube.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3DAsync(&cube);
    set<<<1, 1>>>(b);
    cudaMemsetAsync(b, 0, 64);
}

// CHECK-LABEL: "name": "pool()", "lanes": 2,
// CHECK: "kind": "allocate", "name": "allocate", {{.*}}"writes": ["a"]
// CHECK: "kind": "allocate", "name": "allocate", {{.*}}"writes": ["b"]
// CHECK: "kind": "kernel", {{.*}}"writes": ["a"]
// CHECK: "kind": "kernel", {{.*}}"writes": ["b"]
// CHECK: "kind": "free", "name": "free", {{.*}}"writes": ["a"]
// CHECK: "kind": "free", "name": "free", {{.*}}"writes": ["b"]
// CHECK: "waits": [],
// IR-LABEL: define{{.*}} @_Z4poolv
// IR: call i32 @__kesco1_allocate_async(ptr {{.*}}, i64 noundef 64, ptr noundef %{{.*}})
// IR: call i32 @cudaFreeAsync(ptr {{.*}}, ptr noundef %{{.*}})
void pool() {
    char *a, *b;
    cudaMallocAsync((void **)&a, 64, 0);
    cudaMallocAsync((void **)&b, 64, 0);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaFreeAsync(a, 0);
    cudaFreeAsync(b, 0);
}

// CHECK-LABEL: "name": "fetch()", "lanes": 2,
// CHECK: "kind": "prefetch", "name": "prefetch", {{.*}}"writes": ["a"]
// CHECK: "kind": "kernel", {{.*}}"writes": ["b"]
// CHECK: "kind": "kernel", {{.*}}"writes": ["a"]
void fetch() {
    char *a, *b;
    cudaMallocManaged(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemPrefetchAsync(a, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0);
    set<<<1, 1>>>(b);
    set<<<1, 1>>>(a);
}

// An op on another stream is a barrier, as a launch is; sync calls are on the default stream.
// CHECK-LABEL: "name": "other(CUstream_st*)",
// CHECK: "barriers": [
// CHECK-NEXT: launch on another stream
void other(cudaStream_t stream) {
    char *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1, 0, stream>>>(a);
    cudaMemsetAsync(b, 0, 64, stream);
    cudaMemset(b, 0, 64);
    set<<<1, 1>>>(c);
}

// A kind that only the run will tell may be any; a copy within the host, or of an array, is a barrier; copies without
// launches are left alone.
// CHECK-LABEL: "name": "unknown(cudaMemcpyKind, cudaArray*)",
// CHECK: "kind": "copy", "name": "memcpy", {{.*}}"reads": ["in"], "writes": ["b"]
// CHECK: "barriers": [
// CHECK-NEXT: call to 'cudaMemcpyAsync'
// CHECK-NEXT: call to 'cudaMemcpy3DAsync'
// CHECK: "copies_only()", "lanes": 0,
// CHECK: "serial": {"line": {{[0-9]+}}, "why": "copies and memsets stay as they are in
void unknown(cudaMemcpyKind kind, cudaArray_t array) {
    char *a, *b, *in;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMallocHost(&in, 64);
    set<<<1, 1>>>(a);
    cudaMemcpyAsync(b, in, 64, kind);
    set<<<1, 1>>>(b);
    cudaMemcpyAsync(in, in + 32, 32, cudaMemcpyHostToHost);
    set<<<1, 1>>>(a);
    cudaMemcpy3DParms cube = {};
    cube.srcArray = array;
    cube.dstPtr = make_cudaPitchedPtr(b, 16, 16, 4);
    cube.extent = make_cudaExtent(16, 4, 1);
    cube.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3DAsync(&cube);
    set<<<1, 1>>>(a);
}

void copies_only() {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemsetAsync(a, 0, 64);
    cudaMemsetAsync(b, 0, 64);
}
