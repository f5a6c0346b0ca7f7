// Launches on streams that the program gives: those on one stream are a region, which is closed before any on another.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json && opt -passes=verify -disable-output %t.ll
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR
// RUN: %kesco-host -O3 -S -emit-llvm %s -o - | opt -passes=verify -disable-output

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
#define TWO float *__restrict__ a, float *__restrict__ b

// CHECK-LABEL: "name": "argument(CUstream_st*, float*, float*)", "lanes": 2,
// IR-LABEL: define {{.*}}@_Z8argumentP11CUstream_stPfS1_(
// IR: [[S:%.*]] = load ptr, ptr
// IR: call void @__kesco1_enter(ptr [[S]], ptr {{.*}})
// IR: call void @__kesco1_leave()
// IR-NEXT: ret void
void argument(cudaStream_t stream, TWO) {
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1, 0, stream>>>(b);
}

// CHECK-LABEL: "name": "two(CUstream_st*, CUstream_st*, float*, float*)", "lanes": 1,
// CHECK: {"id": 1, {{.*}}"region": 1}
// CHECK: "why": "launch on another stream"
// IR-LABEL: define {{.*}}@_Z3twoP11CUstream_stS0_PfS1_(
// IR-NOT: __kesco1_{{[^i]}}
// IR: {{^}}}
void two(cudaStream_t first, cudaStream_t second, TWO) {
    make<<<1, 1, 0, first>>>(a);
    make<<<1, 1, 0, second>>>(b);
}

// CHECK-LABEL: "name": "mixed(CUstream_st*, float*, float*)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"region": 1}
// CHECK: {"id": 3, {{.*}}"lane": 0, {{.*}}"region": 2}
// CHECK: {"id": 4, {{.*}}"lane": 1, {{.*}}"region": 2}
// IR-LABEL: define {{.*}}@_Z5mixedP11CUstream_stPfS1_(
// IR: call void @__kesco1_enter(ptr null,
// IR: call void @__kesco1_leave()
// IR-NEXT: call i32 @__cudaPushCallConfiguration(
// IR: call void @__kesco1_enter(ptr null,
// IR: call void @__kesco1_leave()
// IR-NEXT: ret void
void mixed(cudaStream_t stream, TWO) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// In each pass another stream: the runtime sees that.
// CHECK-LABEL: "name": "round_robin(CUstream_st**, int, float*, float*)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// IR-LABEL: define {{.*}}@_Z11round_robinPP11CUstream_stiPfS2_(
// IR: call void @__kesco1_enter(ptr %{{.*}},
// IR: call void @__kesco1_enter(ptr %{{.*}},
void round_robin(cudaStream_t *streams, int n, TWO) {
    for (int i = 0; i < n; ++i) {
        make<<<1, 1, 0, streams[i % 3]>>>(a);
        make<<<1, 1, 0, streams[i % 3]>>>(b);
    }
}

// A member is loaded anew behind a copy to the host, which may have changed it: it counts as one stream, and the runtime sees
// whether it is.
// CHECK-LABEL: "name": "Members::run(float*, float const*)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"region": 0}
// CHECK: {"id": 4, {{.*}}"region": 0}
// CHECK-NOT: "launch on another stream"
// IR-LABEL: define {{.*}}@_ZN7Members3runEPfPKf(
// IR-COUNT-5: call void @__kesco1_enter(ptr %{{.*}},
struct Members {
    cudaStream_t stream;
    float *a, *b;
    void run(float *to, const float *from);
};
void Members::run(float *to, const float *from) {
    cudaMemcpyAsync(a, from, sizeof *a, cudaMemcpyHostToDevice, stream);
    make<<<1, 1, 0, stream>>>(a);
    make<<<1, 1, 0, stream>>>(b);
    cudaMemcpyAsync(to, a, sizeof *a, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(to + 1, b, sizeof *b, cudaMemcpyDeviceToHost, stream);
}

// A member that the function itself changes in between most likely is another stream then.
// CHECK-LABEL: "name": "in_turns(Members*, CUstream_st*, CUstream_st*, float*)", "lanes": 1,
// CHECK: "why": "launch on another stream"
void in_turns(Members *m, cudaStream_t one, cudaStream_t two, float *to) {
    m->stream = one;
    cudaMemcpyAsync(to, m->a, sizeof *to, cudaMemcpyDeviceToHost, m->stream);
    make<<<1, 1, 0, m->stream>>>(m->a);
    m->stream = two;
    cudaMemcpyAsync(to + 1, m->b, sizeof *to, cudaMemcpyDeviceToHost, m->stream);
    make<<<1, 1, 0, m->stream>>>(m->b);
}
