// Pointers that loops swap, that branches choose and that lead into the middle of memory: what they may lead to is
// known, so work on other memory runs beside theirs, and work on the same memory stays in order.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

KESCO_OUTPUTS(1) __global__ void step(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x] + from[(threadIdx.x + 1) % N];
}

// Two chains, each with its pair of vectors that change places.
// CHECK-LABEL: "name": "ping_pong(int)", "lanes": 2,
// CHECK: "waits": [],
// CHECK: "guards": [],
// CHECK-NEXT: "barriers": []
void ping_pong(int count) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(c, 2);
    for (int i = 0; i < count; i++) {
        int *swap = a;
        step<<<1, N>>>(b, a);
        step<<<1, N>>>(d, c);
        a = b;
        b = swap;
        swap = c;
        c = d;
        d = swap;
    }
    show("ping-pong a", a);
    show("ping-pong c", c);
}

// CHECK-LABEL: "name": "chosen(int)", "lanes": 3,
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 3, "kind": "WAW", "object": "a"},
// CHECK-NEXT: {"from": 1, "to": 3, "kind": "WAW", "object": "b"},
// CHECK-NEXT: {"from": 2, "to": 4, "kind": "WAW", "object": "c"}
// CHECK: "waits": [
// CHECK-NEXT: {"op": 3, "on": 1}],
// CHECK: "guards": [],
// CHECK-NEXT: "barriers": []
void chosen(int which) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *p;
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    fill<<<1, N>>>(c, 3);
    if (which == 0)
        p = a;
    else
        p = b;
    scale<<<1, N>>>(p, 4);
    scale<<<1, N>>>(c, 5);
    show("chosen a", a);
    show("chosen b", b);
    show("chosen c", c);
}

// CHECK-LABEL: "name": "interior(int, int)", "lanes": 1,
// CHECK: {"id": 1, {{.*}}"writes": ["a[part 0]"]
// CHECK: {"id": 2, {{.*}}"writes": ["b"]
// CHECK: {"id": 3, {{.*}}"reads": ["a[0..128)", "a[128..256)", "a[256..384)", "a[part 0]", "a[part 1]", {{.*}}], "writes": ["a[512..768)", "a[part 0]", "a[part 1]"
// CHECK: "placed": [0]
void interior(int offset, int count) {
    int *a, *b = allocate();
    CHECK(cudaMalloc(&a, 3 * N * sizeof *a));
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(a + offset, 2);
    fill<<<1, N>>>(b, 3);
    add<<<1, N>>>(&a[2 * N], a, a + N / 2);
    for (int i = 0; i < count; i++)
        scale<<<1, N>>>(a + i * offset, 5);
    scale<<<1, N>>>(b, 6);
    show("interior begin", a);
    show("interior end", a + 2 * N);
    show("interior other", b);
}

// A pointer that walks through a vector, and one that goes from one vector to another.
// CHECK-LABEL: "name": "walking(int)", "lanes": 2,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 3, "on": 0}],
// CHECK: "guards": [],
void walking(int count) {
    int *a, *b = allocate(), *p;
    CHECK(cudaMalloc(&a, 4 * N * sizeof *a));
    p = a;
    for (int i = 0; i < count; i++) {
        fill<<<1, N>>>(p, i);
        fill<<<1, N>>>(b, i);
        p += N;
    }
    step<<<1, N>>>(a + N, a + 3 * N);
    p = b;
    step<<<1, N>>>(a, p);
    show("walking", a);
    show("walking on", a + N);
}

int main(void) {
    APART(ping_pong, 5);
    APART(chosen, 0);
    APART(chosen, 1);
    APART(interior, N / 2, 2);
    APART(walking, 4);
    return 0;
}
