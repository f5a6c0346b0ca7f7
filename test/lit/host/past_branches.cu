// A region goes on past branches that leave or come back without touching the device: error-check macros, early returns,
// reports, loops over host data. Where control leaves early, the region ends on that way too.
// RUN: for o in 0 1 2 3; do %kesco-host -std=c++17 -O$o -S -emit-llvm %s -o %t.$o.ll -fplugin-arg-kesco-report=%t.$o.json \
// RUN:   && opt -passes=verify -disable-output %t.$o.ll && cmp %t.0.json %t.$o.json || exit 1; done
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=IR
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=STOPS

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                              \
    do {                                                                                                         \
        cudaError_t e = (call);                                                                                  \
        if (e != cudaSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                           \
            exit(1);                                                                                             \
        }                                                                                                        \
    } while (0)

static inline void check_inline(cudaError_t code, const char *file, int line, bool abort = true) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort)
            exit(code);
    }
}

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }
void unknown_function();

// CHECK-LABEL: "name": "macros()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: "barriers": []
// The region ends before exit too: what a handler of atexit does on another stream comes behind it, as serially.
// IR-LABEL: define {{.*}}@_Z6macrosv(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR: call void @__kesco1_leave(
// IR-NEXT: call void @exit(
// IR: invoke void @_ZL12check_inline
// IR: call void @__kesco1_leave(
// IR-NEXT: call void @exit(
// IR: call void @__kesco1_leave_by_next(
// IR-NEXT: call {{.*}}@cudaDeviceSynchronize(
// IR: landingpad
// IR-NEXT: cleanup
// IR-NEXT: call void @__kesco1_leave(
// IR-NEXT: resume
// IR: {{^}}}
int macros() {
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, 4));
    CHECK(cudaMalloc(&b, 4));
    CHECK(cudaMalloc(&c, 4));
    known<<<1, 1>>>(a, nullptr);
    CHECK(cudaGetLastError());
    known<<<1, 1>>>(b, nullptr);
    check_inline(cudaPeekAtLastError(), __FILE__, __LINE__);
    known<<<1, 1>>>(c, b);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}

// CHECK-LABEL: "name": "detours(int*, int)", "lanes": 3,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 2, {{.*}}"region": 0}
// CHECK: {"id": 3, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: "barriers": []
int detours(int *host, int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    known<<<1, 1>>>(a, nullptr);
    if (n > 3)
        return -1;
    known<<<1, 1>>>(b, nullptr);
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += host[i];
    known<<<1, 1>>>(c, nullptr);
    float *p = sum > 5 ? a : b;
    if (sum > 100)
        printf("large\n");
    known<<<1, 1>>>(p, c);
    return sum;
}

// The passes of a loop follow one another without a barrier, whatever ways they take.
// CHECK-LABEL: "name": "passes(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK: "barriers": []
void passes(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    for (int i = 0; i < n; ++i) {
        known<<<1, 1>>>(a, nullptr);
        if (i == 3)
            continue;
        if (i == 5)
            break;
        known<<<1, 1>>>(b, nullptr);
    }
    known<<<1, 1>>>(a, b);
}

// A detour with a barrier in it joins what is in flight on that way, and the region goes on.
// CHECK-LABEL: "name": "stops(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 3, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: "why": "call to unknown function 'unknown_function()'"
// STOPS-LABEL: define {{.*}}@_Z5stopsi(
// STOPS: call void @__kesco1_enter(
// STOPS: call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// STOPS: call void @__kesco1_leave(
// STOPS-NEXT: call void @_Z16unknown_functionv(
// STOPS: call void @__kesco1_enter(
// STOPS-NEXT: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// STOPS-NOT: call void @__kesco1_enter(
// STOPS: {{^}}}
void stops(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a, nullptr);
    if (n)
        unknown_function();
    known<<<1, 1>>>(b, nullptr);
    if (n > 1)
        known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
