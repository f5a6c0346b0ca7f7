// Waits in helpers are put off as those are that stand in the function itself: in helpers of helpers, for a stream that is
// handed on, in members and destructors, and beside variables that clean up.
// RUN: %kesco-host -O0 -fplugin-arg-kesco-sync-elision=on -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s
// RUN: %kesco-host -O2 -S -emit-llvm %s -o %t.ll -Rpass-missed=kesco 2>%t.remarks && FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK

#include <cstdio>
#include <cstdlib>
#include <vector>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

static void check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define CHECK(call) check(call, __FILE__, __LINE__)

static void sync() { CHECK(cudaDeviceSynchronize()); }
static void by_another() { sync(); }
static void by_others() { by_another(); }
static void wait_for(cudaStream_t stream) { CHECK(cudaStreamSynchronize(stream)); }

// CHECK-LABEL: define {{.*}}@_Z8straightPiS_(
// CHECK: call i32 @__kesco1_synchronize(
void straight(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceSynchronize());
}

// CHECK-LABEL: define {{.*}}@_Z6helpedPiS_(
// CHECK: call i32 @__kesco1_synchronize(
void helped(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    sync();
    set<<<1, 1>>>(b, 1);
    sync();
}

// CHECK-LABEL: define {{.*}}@_Z6nestedPiS_(
// CHECK: call i32 @__kesco1_synchronize(
void nested(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    by_others();
    set<<<1, 1>>>(b, 1);
    by_others();
}

// CHECK-LABEL: define {{.*}}@_Z6streamP11CUstream_stPiS1_(
// CHECK: call i32 @__kesco1_synchronize(
void stream(cudaStream_t s, int *a, int *b) {
    set<<<1, 1, 0, s>>>(a, 1);
    wait_for(s);
    set<<<1, 1, 0, s>>>(b, 1);
    wait_for(s);
}

struct Device {
    cudaStream_t stream;
    void sync() { CHECK(cudaDeviceSynchronize()); }
};
struct Solver {
    Device device;
    int *a, *b;
    void sync() { device.sync(); }
    void solve();
    void solve_on_stream();
};
// CHECK-LABEL: define {{.*}}@_ZN6Solver5solveEv(
// CHECK: call i32 @__kesco1_synchronize(
void Solver::solve() {
    set<<<1, 1>>>(a, 1);
    sync();
    set<<<1, 1>>>(b, 1);
    sync();
}

// CHECK-LABEL: define {{.*}}@_Z8cleanupsPiS_i(
// CHECK: call i32 @__kesco1_synchronize(
int cleanups(int *a, int *b, int n) {
    std::vector<int> results(n);
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 1);
    sync();
    set<<<1, 1>>>(a, 1);
    sync();
    return results[0];
}

struct Scope {
    ~Scope() { cudaDeviceSynchronize(); }
};
// CHECK-LABEL: define {{.*}}@_Z6scopesPiS_(
// CHECK: call i32 @__kesco1_synchronize(
void scopes(int *a, int *b) {
    {
        Scope scope;
        set<<<1, 1>>>(a, 1);
    }
    {
        Scope scope;
        set<<<1, 1>>>(b, 1);
    }
}

// A stream that is read anew each time is most likely the same: the run looks.
// CHECK-LABEL: define {{.*}}@_ZN6Solver15solve_on_streamEv(
// CHECK: call i32 @__kesco1_synchronize(ptr %{{.*}}, i32 5)
void Solver::solve_on_stream() {
    set<<<1, 1, 0, device.stream>>>(a, 1);
    cudaStreamSynchronize(device.stream);
    set<<<1, 1, 0, device.stream>>>(b, 1);
    cudaStreamSynchronize(device.stream);
}

// Elements of an array may be different streams; the wait for one stays, and says so.
// CHECK-LABEL: define {{.*}}@_Z11on_elementsPP11CUstream_stPiS2_i(
// CHECK-NOT: __kesco1_synchronize
// REMARK: :[[@LINE+4]]:9: remark: {{.*}} call to 'cudaStreamSynchronize', where the launches may go to several streams (keep a stream in a local variable);
void on_elements(cudaStream_t *streams, int *a, int *b, int n) {
    for (int i = 0; i < n; i++) {
        set<<<1, 1, 0, streams[i]>>>(a, 1);
        cudaStreamSynchronize(streams[i]);
        set<<<1, 1, 0, streams[i]>>>(b, 1);
    }
}

// CHECK-LABEL: define {{.*}}
// REMARK: :[[@LINE+3]]:5: remark: {{.*}} call to 'cudaStreamSynchronize', for what may be another stream than that of the launches;
void another(cudaStream_t other, int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    cudaStreamSynchronize(other);
    set<<<1, 1>>>(b, 1);
}

// REMARK: :[[@LINE+3]]:5: remark: {{.*}} call to 'cudaStreamSynchronize', for the per-thread default stream, which is left alone;
void per_thread(int *a, int *b) {
    set<<<1, 1, 0, cudaStreamPerThread>>>(a, 1);
    cudaStreamSynchronize(cudaStreamPerThread);
    set<<<1, 1, 0, cudaStreamPerThread>>>(b, 1);
}

#define TEN(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
static int compute_and_wait(int n) {
    TEN(TEN(n = n * 3 + 1;))
    cudaDeviceSynchronize();
    return n;
}
// REMARK: :[[@LINE+3]]:9: remark: {{.*}} call to 'cudaDeviceSynchronize', in a helper that does more than that;
int with_much_else(int *a, int *b, int n) {
    set<<<1, 1>>>(a, 1);
    n = compute_and_wait(n);
    set<<<1, 1>>>(b, 1);
    return n;
}
