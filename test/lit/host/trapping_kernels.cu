// A kernel that may trap keeps its order to what lets the host wait, which has to tell of the trap; to what writes where the
// host can see it; and to others that may trap. To all else it does not.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: for o in 0 2; do \
// RUN:   %kesco-host -O$o -S -emit-llvm %s -o %t.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:     -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>%t.err && \
// RUN:   %check-report %t.json && FileCheck %s --input-file=%t.json && FileCheck %s --input-file=%t.ll --check-prefix=IR && \
// RUN:   FileCheck %s --input-file=%t.err --check-prefix=WHY || exit 1; \
// RUN: done

#include <cstdio>

// SUMMARY: K _Z3setPc
// SUMMARY: P 0 0 w
__global__ void set(char *out) {}
// SUMMARY: K _Z3getPcS_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
__global__ void get(char *out, char *in) {}
// SUMMARY: K _Z5checkPc
// SUMMARY: P 0 0 r
// SUMMARY: F t
__global__ void check(char *in) {}
// SUMMARY: K _Z5emptyv
// SUMMARY: F t
__global__ void empty() {}
// SUMMARY: K _Z3sayv
// SUMMARY: F p
__global__ void say() {}

// Which way a copy goes does not matter, if the host waits for it.
// CHECK-LABEL: "name": "waits()", "lanes": 3,
// CHECK: "name": "check", {{.*}}"reads": ["a"], "writes": ["kernel may trap"]
// CHECK: "name": "memcpy DtoH", {{.*}}"reads": ["b", "kernel may trap"], "writes": []
// CHECK: "name": "memcpy HtoD", {{.*}}"reads": ["kernel may trap"], "writes": ["b"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 1, "to": 3, "kind": "RAW", "object": "b"},
// CHECK-NEXT: {"from": 2, "to": 3, "kind": "RAW", "object": "kernel may trap"},
// CHECK: "waits": [
// CHECK-NEXT: {"op": 3, "on": {{[12]}}}],
// CHECK: "barriers": []
// WHY: [[#@LINE+8]]:{{.*}}kernel 'check' may trap, so it keeps its order to 'memcpy DtoH' (line [[#@LINE+9]]) and 1 more, as to whatever lets the host wait, whatever it can see, and kernels that may trap, too; where that is an assert, -DNDEBUG leaves it out
void waits() {
    char *a, *b, *c, host[64];
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(b);
    check<<<1, 1>>>(a);
    cudaMemcpy(host, b, 64, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, host, 64, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(b);
}

// Memory of the device alone: who writes it does not wait, be it a copy, a memset, or a new allocation.
// CHECK-LABEL: "name": "plain()", "lanes": 3,
// CHECK: "edges": [
// CHECK-NOT: kernel may trap
// CHECK: "guards": [],
// CHECK-NEXT: "barriers": []
void plain() {
    char *a, *b, *c, *in;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMallocHost(&in, 64);
    set<<<1, 1>>>(a);
    check<<<1, 1>>>(a);
    cudaMemcpyAsync(b, in, 64, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, 32);
    cudaMallocAsync((void **)&c, 64, 0);
    get<<<1, 1>>>(c, b);
    cudaFreeAsync(c, 0);
}

// What the host can see, it sees in order. What is only read there shows nothing.
// CHECK-LABEL: "name": "visible()", "lanes": 4,
// CHECK: "id": 0, {{.*}}"reads": ["kernel may trap"], "writes": ["managed"]
// CHECK: "id": 1, {{.*}}"reads": ["a"], "writes": ["kernel may trap"]
// CHECK: "id": 2, {{.*}}"reads": ["kernel may trap"], "writes": ["pinned"]
// CHECK: "id": 3, {{.*}}"name": "memcpy DtoH", {{.*}}"reads": ["b", "kernel may trap"], "writes": ["out"]
// CHECK: "id": 4, {{.*}}"name": "say", {{.*}}"reads": ["kernel may trap"], "writes": ["printf"]
// CHECK: "id": 5, {{.*}}"reads": ["in"], "writes": ["c"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAR", "object": "kernel may trap"},
// CHECK-NEXT: {"from": 1, "to": 2, "kind": "RAW", "object": "kernel may trap"},
// CHECK-NEXT: {"from": 1, "to": 3, "kind": "RAW", "object": "kernel may trap"},
// CHECK-NEXT: {"from": 1, "to": 4, "kind": "RAW", "object": "kernel may trap"}],
void visible() {
    char *a, *b, *c, *managed, *pinned, *out, *in;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    cudaMallocManaged(&managed, 64);
    cudaMallocHost(&pinned, 64);
    cudaMallocHost(&out, 64);
    cudaMallocHost(&in, 64);
    set<<<1, 1>>>(managed);
    check<<<1, 1>>>(a);
    set<<<1, 1>>>(pinned);
    cudaMemcpyAsync(out, b, 64, cudaMemcpyDeviceToHost);
    say<<<1, 1>>>();
    get<<<1, 1>>>(c, in);
}

// Of two, the program is told of the first; one that touches no memory is no exception.
// CHECK-LABEL: "name": "two()", "lanes": 2,
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAW", "object": "kernel may trap"},
// CHECK-NEXT: {"from": 1, "to": 2, "kind": "WAW", "object": "kernel may trap"}],
void two() {
    char *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    check<<<1, 1>>>(a);
    empty<<<1, 1>>>();
    check<<<1, 1>>>(b);
    set<<<1, 1>>>(c);
}

// A memset of memory that the host can touch lets it wait, one of other memory does not.
// CHECK-LABEL: "name": "sets()", "lanes": 2,
// CHECK: "id": 2, {{.*}}"reads": ["kernel may trap"], "writes": ["managed"]
// CHECK: "id": 3, {{.*}}"reads": [], "writes": ["b"]
// CHECK: {"from": 1, "to": 2, "kind": "RAW", "object": "kernel may trap"}
void sets() {
    char *a, *b, *managed;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMallocManaged(&managed, 64);
    set<<<1, 1>>>(b);
    check<<<1, 1>>>(a);
    cudaMemset(managed, 0, 64);
    cudaMemset(b, 0, 64);
    set<<<1, 1>>>(a);
}

// Where only the run will tell, it is looked at then: 4 is KESCO_GUARD_PLAIN. Who keeps its order to the kernel anyway is
// not asked.
// CHECK-LABEL: "name": "arguments(char*, char*, char*)", "lanes": 2,
// CHECK-NOT: "reads": ["kernel may trap"
// CHECK: "barriers": []
// IR-LABEL: define{{.*}} @_Z9argumentsPcS_S_
// IR: call void @__kesco1_guard(i32 0, i32 3, ptr
// IR: call void @__kesco1_guard(i32 {{[0-9]}}, i32 1, ptr
// IR: call void @__kesco1_guard(i32 {{[0-9]}}, i32 6, ptr
// IR: call void @__kesco1_guard(i32 0, i32 3, ptr
void arguments(char *checked, char *read, char *set_only) {
    get<<<1, 1>>>(checked, read);
    set<<<1, 1>>>(set_only);
    check<<<1, 1>>>(checked);
}

// Host memory is none of the device's alone, whichever it is.
// CHECK-LABEL: "name": "target(char*)"
// CHECK: "name": "memcpy DtoH", {{.*}}"reads": ["b", "kernel may trap"], "writes": ["out"]
void target(char *out) {
    char *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    check<<<1, 1>>>(a);
    cudaMemcpyAsync(out, b, 64, cudaMemcpyDeviceToHost);
    set<<<1, 1>>>(c);
}

// Around a loop, and on either way past it.
// CHECK-LABEL: "name": "loop(int)"
// CHECK-DAG: {"from": 0, "to": 1, "kind": "WAR", "object": "kernel may trap"}
// CHECK-DAG: {"from": 1, "to": 0, "kind": "RAW", "object": "kernel may trap"}
// CHECK-DAG: {"from": 1, "to": 3, "kind": "RAW", "object": "kernel may trap"}
// CHECK: "barriers"
void loop(int rounds) {
    char *a, *b, *c, *managed;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    cudaMallocManaged(&managed, 64);
    for (int i = 0; i < rounds; ++i) {
        set<<<1, 1>>>(managed);
        if (i & 1)
            check<<<1, 1>>>(a);
        set<<<1, 1>>>(c);
    }
    set<<<1, 1>>>(managed + 32);
    set<<<1, 1>>>(b);
}
