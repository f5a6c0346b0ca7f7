// Helpers that launch are seen through: functions, members, lambdas, templates, helpers of helpers. They stay what they
// are for their other callers.
// RUN: for o in 0 1 2 3; do for g in "" -g; do %kesco-host -std=c++17 -O$o $g -S -emit-llvm %s -o %t.$o.ll \
// RUN:   -fplugin-arg-kesco-report=%t.$o.json && opt -passes=verify -disable-output %t.$o.ll \
// RUN:   && cmp %t.0.json %t.$o.json || exit 1; done; done
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR

#include <cstdio>
#include <cstdlib>

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *a, const float *b) { *out = *a + *b; }

static void check() {
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "failed\n");
        exit(1);
    }
}
static void launch_make(float *out) {
    make<<<1, 1>>>(out);
    check();
}
static void launch_twice(float *a, float *b) {
    launch_make(a);
    launch_make(b);
}

// CHECK-LABEL: "name": "functions()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"line": [[#@LINE+17]], "source": "{{.*}}helpers.cu:[[#@LINE-9]]", "lane": 0, {{.*}}"writes": ["a"], {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"line": [[#@LINE+16]], "source": "{{.*}}helpers.cu:[[#@LINE-10]]", "lane": 1, {{.*}}"writes": ["b"], {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"line": [[#@LINE+16]], "lane": 0, {{.*}}"reads": ["a", "b"], {{.*}}"region": 0}
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK: "barriers": []
// IR-LABEL: define {{.*}}@_Z9functionsv(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR: call void @{{.*}}device_stub__make
// IR: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR: call void @{{.*}}device_stub__make
// IR: call ptr @__kesco1_origin(
void functions() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    launch_twice(a, b);
    use<<<1, 1>>>(c, a, b);
}

// A helper is a function like any other: one that launches twice has a plan of its own, one that launches once has none.
// CHECK-LABEL: "name": "launch_twice(float*, float*)", "lanes": 2,
// CHECK: {"a": "a", "b": "b"}
// IR-LABEL: define {{.*}}@_ZL12launch_twicePfS_(
// IR: call void @__kesco1_enter(
// IR: {{^}}}
// IR-LABEL: define {{.*}}@_ZL11launch_makePf(
// IR-NOT: __kesco1
// IR: {{^}}}

struct Solver {
    float *left, *right, *sum;
    Solver() {
        cudaMalloc(&left, 4);
        cudaMalloc(&right, 4);
        cudaMalloc(&sum, 4);
    }
    void prepare() { launch_twice(left, right); }
    void step() {
        use<<<1, 1>>>(left, left, left);
        use<<<1, 1>>>(right, right, right);
    }
    void run(int n) {
        prepare();
        for (int i = 0; i < n; ++i)
            step();
        use<<<1, 1>>>(sum, left, right);
    }
};
// CHECK-LABEL: "name": "members(int)", "lanes": 2,
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"writes": ["this->left"]
// CHECK: {"id": 3, {{.*}}"lane": 1, {{.*}}"writes": ["this->right"]
// CHECK: "waits": [
// CHECK-NEXT: {"op": 4, "on": 1},
// CHECK-NEXT: {"op": 4, "on": 3}],
// CHECK-NEXT: "records": [1, 3],
// CHECK-NEXT: "guards": [],
void members(int n) { Solver().run(n); }

// CHECK-LABEL: "name": "lambdas(float*, float*)", "lanes": 2,
void lambdas(float *__restrict__ a, float *__restrict__ b) {
    auto go = [&](float *p) { make<<<1, 1>>>(p); };
    go(a);
    go(b);
}

template <class Body> static void repeat(int n, Body body) {
    for (int i = 0; i < n; ++i)
        body(i);
}
// CHECK-LABEL: "name": "templates(float*, float*, int)", "lanes": 2,
void templates(float *__restrict__ a, float *__restrict__ b, int n) {
    repeat(n, [&](int) {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
    });
}

// Recursion ends what is inlined: its call is a barrier, since it launches.
// CHECK-LABEL: "name": "recursive(float*, float*, int)", "lanes": 2,
// CHECK: {"id": 2, {{.*}}"region": 0}
// CHECK: "why": "call to function 'recursive(float*, float*, int)', which calls itself and launches a kernel (line [[@LINE+2]])"
void recursive(float *__restrict__ a, float *__restrict__ b, int n) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    if (n)
        recursive(a, b, n - 1);
    make<<<1, 1>>>(a);
}

// Another body may take this one's place when the program is linked.
__attribute__((weak)) void replaceable(float *p) { make<<<1, 1>>>(p); }
// CHECK-LABEL: "name": "calls_replaceable(float*, float*)", "lanes": 1,
// CHECK: "why": "call to function 'replaceable(float*)', which another definition may replace"
void calls_replaceable(float *a, float *b) {
    make<<<1, 1>>>(a);
    replaceable(b);
    make<<<1, 1>>>(a);
}
