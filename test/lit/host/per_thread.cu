// Regions on the per-thread default stream fork from it, whichever way it is asked for.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o - -Xclang -fgpu-default-stream=per-thread | FileCheck %s --check-prefixes=CHECK,PERTHREAD
// RUN: %kesco-host -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,LEGACY

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }

// CHECK-LABEL: define {{.*}}@_Z14default_streamPfS_(
// PERTHREAD: call void @__kesco1_enter(ptr {{.*}}inttoptr (i32 2 to ptr), ptr {{.*}})
// LEGACY: call void @__kesco1_enter(ptr null, ptr {{.*}})
void default_stream(float *__restrict__ a, float *__restrict__ b) {
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
}

// CHECK-LABEL: define {{.*}}@_Z10per_threadPfS_(
// CHECK: call void @__kesco1_enter(ptr {{.*}}inttoptr (i32 2 to ptr), ptr {{.*}})
void per_thread(float *__restrict__ a, float *__restrict__ b) {
    known<<<1, 1, 0, cudaStreamPerThread>>>(a);
    known<<<1, 1, 0, cudaStreamPerThread>>>(b);
}

// CHECK-LABEL: define {{.*}}@_Z6legacyPfS_(
// CHECK: call void @__kesco1_enter(ptr {{.*}}inttoptr (i64 1 to ptr), ptr {{.*}})
void legacy(float *__restrict__ a, float *__restrict__ b) {
    known<<<1, 1, 0, cudaStreamLegacy>>>(a);
    known<<<1, 1, 0, cudaStreamLegacy>>>(b);
}

// A stream that the program made may be 0 all the same, and another one each time.
// CHECK-LABEL: define {{.*}}@_Z5givenP11CUstream_stPfS1_(
// PERTHREAD: icmp eq ptr %{{.*}}, null
// PERTHREAD: [[STREAM:%.*]] = select i1 %{{.*}}, ptr inttoptr (i32 2 to ptr), ptr
// PERTHREAD: call void @__kesco1_enter(ptr {{.*}}[[STREAM]], ptr {{.*}})
// LEGACY-NOT: select
// LEGACY: call void @__kesco1_enter(ptr {{[^,]*}}%{{.*}}, ptr {{.*}})
// CHECK: call void @__kesco1_enter(
void given(cudaStream_t stream, float *__restrict__ a, float *__restrict__ b) {
    known<<<1, 1, 0, stream>>>(a);
    known<<<1, 1, 0, stream>>>(b);
}
