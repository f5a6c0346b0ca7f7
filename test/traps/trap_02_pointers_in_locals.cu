// Pointers that reach launches through locals, whose addresses cudaMalloc and its kin were given, are told apart when
// the program is compiled: nothing is asked when it runs.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

// CHECK-LABEL: "name": "every_allocator()", "lanes": 6,
// CHECK: "name": "fill", {{.*}}"writes": ["plain"]
// CHECK: "name": "fill", {{.*}}"writes": ["managed"]
// CHECK: "name": "fill", {{.*}}"writes": ["pinned"]
// CHECK: "name": "fill", {{.*}}"writes": ["mapped"]
// CHECK: "name": "fill", {{.*}}"writes": ["pitched"]
// CHECK: "name": "fill", {{.*}}"writes": ["cast"]
// CHECK: "guards": [],
void every_allocator(void) {
    int *plain, *managed, *pinned, *mapped, *pitched;
    void *cast;
    size_t pitch;
    CHECK(cudaMalloc(&plain, N * sizeof(int)));
    CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, N * sizeof(int)));
    CHECK(cudaHostAlloc((void **)&mapped, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaMallocPitch((void **)&pitched, &pitch, N * sizeof(int), 1));
    CHECK(cudaMalloc(&cast, N * sizeof(int)));
    fill<<<1, N>>>(plain, 1);
    fill<<<1, N>>>(managed, 2);
    fill<<<1, N>>>(pinned, 3);
    fill<<<1, N>>>(mapped, 4);
    fill<<<1, N>>>(pitched, 5);
    fill<<<1, N>>>((int *)cast, 6);
    show("plain", plain);
    show("managed", managed);
    show("pinned", pinned);
    show("mapped", mapped);
    show("pitched", pitched);
    show("cast", (int *)cast);
}

static cudaError_t allocate_to(int **out, int count) {
    return cudaMalloc(out, count * sizeof **out);
}

// CHECK-LABEL: "name": "out_of_a_helper()", "lanes": 2,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK: "guards": [],
void out_of_a_helper(void) {
    int *a, *b, *c;
    CHECK(allocate_to(&a, N));
    CHECK(allocate_to(&b, N));
    CHECK(allocate_to(&c, N));
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    add<<<1, N>>>(c, a, b);
    show("out of a helper", c);
}

struct state {
    int count;
    int *in, *out;
    int *both[2];
};

// CHECK-LABEL: "name": "in_structs_and_arrays()", "lanes": 4,
// CHECK: "guards": [],
void in_structs_and_arrays(void) {
    struct state s = {N, NULL, NULL, {NULL, NULL}}, copy;
    CHECK(cudaMalloc(&s.in, s.count * sizeof(int)));
    CHECK(cudaMalloc(&s.out, s.count * sizeof(int)));
    CHECK(cudaMalloc(&s.both[0], s.count * sizeof(int)));
    CHECK(cudaMalloc(&s.both[1], s.count * sizeof(int)));
    copy = s;
    fill<<<1, N>>>(copy.in, 1);
    fill<<<1, N>>>(copy.out, 2);
    fill<<<1, N>>>(copy.both[0], 3);
    fill<<<1, N>>>(copy.both[1], 4);
    show("in", s.in);
    show("out", s.out);
    show("both", s.both[1]);
}

// One variable that led to two allocations in turn, and two that lead to one.
// CHECK-LABEL: "name": "copied_about()", "lanes": 2,
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 2, "kind": "{{RAW|WAW}}"
// CHECK: "guards": [],
void copied_about(void) {
    int *p = allocate(), *first = p, *alias;
    fill<<<1, N>>>(p, 1);
    p = allocate();
    fill<<<1, N>>>(p, 2);
    alias = first;
    scale<<<1, N>>>(alias, 3);
    show("first", first);
    show("second", p);
}

int main(void) {
    APART(every_allocator);
    APART(out_of_a_helper);
    APART(in_structs_and_arrays);
    APART(copied_about);
    return 0;
}
