// Loops and branches: what a loop carries from pass to pass is waited for, and no wait is made that is known on all ways.
// RUN: for o in 0 1 2 3; do %kesco-host -O$o -S -emit-llvm %s -o %t.$o.ll -fplugin-arg-kesco-report=%t.$o.json \
// RUN:   && opt -passes=verify -disable-output %t.$o.ll && cmp %t.0.json %t.$o.json || exit 1; done
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=IR
// RUN: %kesco-host -c %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %kesco-host -c %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=PLACED --implicit-check-not="ops get"

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(float *out, const float *a, const float *b) { *out = *a + *b; }
__global__ void unknown(float *out);
void unknown_function();

// Each pass overwrites what the pass before read.
// CHECK-LABEL: "name": "carried(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"writes": ["a"]
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"writes": ["b"]
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"writes": ["c"]
// CHECK: "edges": [
// CHECK-DAG: {"from": 0, "to": 2, "kind": "RAW", "object": "a"}
// CHECK-DAG: {"from": 1, "to": 2, "kind": "RAW", "object": "b"}
// CHECK-DAG: {"from": 2, "to": 0, "kind": "WAR", "object": "a"}
// CHECK-DAG: {"from": 2, "to": 1, "kind": "WAR", "object": "b"}
// CHECK: "waits": [
// CHECK-NEXT: {"op": 1, "on": 2},
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK-NEXT: "records": [1, 2],
// Opened in front of the first launch alone, which closes nothing in later passes; closed behind the loop.
// IR-LABEL: define {{.*}}@_Z7carriedi(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR-NEXT: call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// IR-NOT: __kesco1_{{[^i]}}
// IR: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR-NOT: __kesco1_{{[^i]}}
// IR: call ptr @__kesco1_origin(ptr {{[^)]*}}@{{[^)]+}})
// IR-DAG: call void @__kesco1_passed(i32 0)
// IR-DAG: call void @__kesco1_align()
// IR-NOT: __kesco1_{{[^i]}}
// IR: call void @__kesco1_leave()
// IR-NEXT: ret void
void carried(int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    for (int i = 0; i < n; ++i) {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
        use<<<1, 1>>>(c, a, b);
    }
}

// Two chains that take turns in two buffers each stay two chains.
// CHECK-LABEL: "name": "ping_pong(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: "waits": [],
void ping_pong(int n) {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    for (int i = 0; i < n; ++i) {
        use<<<1, 1>>>(a, b, b);
        use<<<1, 1>>>(c, d, d);
        float *t = a;
        a = b;
        b = t;
        t = c;
        c = d;
        d = t;
    }
}

// Branches that exclude each other share a lane, and what follows waits for what may have run.
// CHECK-LABEL: "name": "either(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0,
// CHECK: {"id": 1, {{.*}}"lane": 1,
// CHECK: {"id": 2, {{.*}}"lane": 1,
// CHECK: {"id": 3, {{.*}}"lane": 0,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 3, "on": 1},
// CHECK-NEXT: {"op": 3, "on": 2}],
void either(int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    make<<<1, 1>>>(a);
    if (n)
        make<<<1, 1>>>(b);
    else
        make<<<2, 1>>>(b);
    use<<<1, 1>>>(c, a, b);
}

// A chain through branches stays one lane, and the function as it was.
// CHECK-LABEL: "name": "chain(int)", "lanes": 1,
// IR-LABEL: define {{.*}}@_Z5chaini(
// IR-NOT: __kesco1_{{[^i]}}
// IR: {{^}}}
void chain(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    make<<<1, 1>>>(a);
    switch (n) {
    case 1:
        use<<<1, 1>>>(b, a, a);
        break;
    case 2:
        use<<<1, 1>>>(b, a, b);
        [[fallthrough]];
    default:
        use<<<1, 1>>>(a, b, a);
    }
    while (n--)
        use<<<1, 1>>>(a, b, a);
}

// A barrier in the loop joins what is in flight, in each pass.
// CHECK-LABEL: "name": "joined(int)", "lanes": 2,
// CHECK: "waits": [],
// CHECK: {"line": [[#@LINE+17]], "why": "call to unknown function 'unknown_function()'"}
// IR-LABEL: define {{.*}}@_Z6joinedi(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR-NEXT: call ptr @__kesco1_lane(i32 0, ptr {{[^)]*}}@{{[^)]+}})
// IR-NOT: call void @__kesco1_enter
// IR: call ptr @__kesco1_lane(i32 1, ptr {{[^)]*}}@{{[^)]+}})
// IR: call void @__kesco1_leave()
// IR-NEXT: call void @_Z16unknown_functionv()
// IR-NOT: __kesco1_{{[^i]}}
// IR: {{^}}}
void joined(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    for (int i = 0; i < n; ++i) {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
        unknown_function();
    }
}

// Beyond some size, control flow is not analysed: the run places the ops where it knows what they access.
// CHECK-LABEL: "name": "large(int)", "lanes": 1,
// CHECK: "placed": [0]
// PLACED: loops.cu:[[#@LINE+10]]:13: remark: 257 ops get their lanes when the program issues them, by the bytes that each accesses: with branches or loops between them, no more than 256 are planned
#define FOUR(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define LAUNCHES FOUR(FOUR(FOUR(make<<<1, 1>>>(a); make<<<1, 1>>>(b); make<<<1, 1>>>(a); make<<<1, 1>>>(b);)))
void large(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    // clang-format off
    do
        // The first launch.
        make<<<1, 1>>>(a);
    while (--n);
    LAUNCHES
    // clang-format on
}

// And else they stay serial.
// CHECK-LABEL: "name": "large_and_unknown(int)", "lanes": 1,
// CHECK-NOT: "placed"
// REMARK: loops.cu:[[#@LINE+6]]:16: remark: 257 launches with branches or loops between them stay serial: more than 256 are not analysed; split the function
void large_and_unknown(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    do
        unknown<<<1, 1>>>(a);
    while (--n);
    // clang-format off
    LAUNCHES
    // clang-format on
}
