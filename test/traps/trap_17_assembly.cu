// Assembly with registers of its own orders its kernel by what these were made of: operands, what it loads, what is handed
// out. Beside memory of no concern to it, all runs at once.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json -Rpass-missed=kesco 2>%t/remarks && \
// RUN:   FileCheck %s --input-file=%t/plan.json && FileCheck %s --input-file=%t/remarks --check-prefix=WHY && \
// RUN:   sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

__global__ void point(int **where, int *to) {
    *where = to;
}

// Adds one to what a pointer behind where leads to.
__global__ void through_loaded(int **where) {
    asm volatile("{\n\t.reg .u64 p;\n\t.reg .u32 v, t;\n\tld.global.u64 p, [%0];\n\tmov.u32 t, %%tid.x;\n\t"
                 "mad.wide.u32 p, t, 4, p;\n\tld.global.u32 v, [p];\n\tadd.u32 v, v, 1;\n\tst.global.u32 [p], v;\n\t}" ::"l"(where)
                 : "memory");
}

// CHECK-LABEL: "name": "loaded()", "lanes": 2,
// CHECK: {"from": 1, "to": 2, "kind": "WAW", "object": "*"}
// CHECK: {"from": 2, "to": 3, "kind": "WAW", "object": "*"}
// WHY: kernel 'through_loaded' keeps its order to all others: it writes memory that no argument names
void loaded(void) {
    int *a = allocate(), **where;
    CHECK(cudaMalloc(&where, sizeof *where));
    fill<<<1, N>>>(a, 1);
    point<<<1, 1>>>(where, a);
    through_loaded<<<1, N>>>(where);
    scale<<<1, N>>>(a, 3);
    show("loaded", a);
}

__global__ void through_handed_out(int **where) {
    int *p;
    asm volatile("{\n\t.reg .u64 q;\n\tld.global.u64 q, [%1];\n\tcvta.to.global.u64 %0, q;\n\t}" : "=l"(p) : "l"(where) : "memory");
    p[threadIdx.x] += 1;
}

// CHECK-LABEL: "name": "handed_out()", "lanes": 2,
// CHECK: {"from": 2, "to": 3, "kind": "WAW", "object": "*"}
// WHY: kernel 'through_handed_out' keeps its order to all others: it writes memory that no argument names
void handed_out(void) {
    int *a = allocate(), **where;
    CHECK(cudaMalloc(&where, sizeof *where));
    fill<<<1, N>>>(a, 1);
    point<<<1, 1>>>(where, a);
    through_handed_out<<<1, N>>>(where);
    scale<<<1, N>>>(a, 3);
    show("handed out", a);
}

struct pair {
    int *to;
    const int *from;
};

// Both pointers lie in a struct of the thread, which the assembly is told of.
__global__ void through_struct(int *out, const int *in) {
    struct pair s = {out, in};
    asm volatile("{\n\t.reg .u64 p<2>;\n\t.reg .u32 v, t;\n\tld.u64 p0, [%0];\n\tld.u64 p1, [%0+8];\n\tmov.u32 t, %%tid.x;\n\t"
                 "mad.wide.u32 p0, t, 4, p0;\n\tmad.wide.u32 p1, t, 4, p1;\n\tld.u32 v, [p1];\n\tst.u32 [p0], v;\n\t}" ::"l"(&s)
                 : "memory");
}

// CHECK-LABEL: "name": "in_struct()", "lanes": 2,
// CHECK: {"from": 0, "to": 1, "kind": "{{RAW|WAW}}", "object": "a"}
void in_struct(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 2);
    through_struct<<<1, N>>>(b, a);
    fill<<<1, N>>>(c, 5);
    scale<<<1, N>>>(b, 3);
    show("in struct", b);
    show("beside it", c);
}

// One of two, by a guard; then the other, by a jump.
__global__ void through_one(int *a, int *b, int which) {
    asm volatile("{\n\t.reg .u64 p;\n\t.reg .u32 v, t;\n\t.reg .pred q;\n\tsetp.eq.s32 q, %2, 0;\n\tmov.u64 p, %0;\n\t@!q mov.u64 p, %1;\n\t"
                 "mov.u32 t, %%tid.x;\n\tmad.wide.u32 p, t, 4, p;\n\tld.global.u32 v, [p];\n\tadd.u32 v, v, 7;\n\tst.global.u32 [p], v;\n\t"
                 "@q bra OTHER;\n\tmov.u64 p, %0;\n\tbra.uni GO;\nOTHER:\n\tmov.u64 p, %1;\nGO:\n\tmad.wide.u32 p, t, 4, p;\n\t"
                 "st.global.u32 [p], v;\n\t}" ::"l"(a),
                 "l"(b), "r"(which)
                 : "memory");
}

// CHECK-LABEL: "name": "chosen()", "lanes": 3,
// CHECK-DAG: {"from": 0, "to": 2, "kind": "WAW", "object": "a"}
// CHECK-DAG: {"from": 1, "to": 2, "kind": "WAW", "object": "b"}
void chosen(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 2);
    fill<<<1, N>>>(b, 3);
    through_one<<<1, N>>>(a, b, 1);
    fill<<<1, N>>>(c, 5);
    show("chosen a", a);
    show("chosen b", b);
    show("beside them", c);
}

// A pointer that the assembly puts into shared memory leads where all do that lie there.
__global__ void through_shared(int *a, int *b) {
    __shared__ int *all[N];
    all[threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("{\n\t.reg .u32 at;\n\tmov.u32 at, %0;\n\tst.shared.u64 [at+8], %1;\n\t}" ::"r"((unsigned)__cvta_generic_to_shared(all)),
                     "l"(b)
                     : "memory");
    __syncthreads();
    all[1][threadIdx.x] += 1;
}

// CHECK-LABEL: "name": "in_shared()", "lanes": 3,
// CHECK-DAG: {"from": 1, "to": 2, "kind": "WAW", "object": "b"}
void in_shared(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 2);
    fill<<<1, N>>>(b, 3);
    through_shared<<<1, N>>>(a, b);
    fill<<<1, N>>>(c, 5);
    show("shared a", a);
    show("shared b", b);
    show("beside", c);
}

// Only what is used counts.
__global__ void through_first(int *a, int *b) {
    asm volatile("{\n\t.reg .u64 p, q;\n\t.reg .u32 t;\n\tmov.u64 p, %0;\n\tmov.u64 q, %1;\n\tmov.u32 t, %%tid.x;\n\t"
                 "mad.wide.u32 p, t, 4, p;\n\tred.global.add.u32 [p], t;\n\t}" ::"l"(a),
                 "l"(b)
                 : "memory");
}

// CHECK-LABEL: "name": "unused()", "lanes": 2,
void unused(void) {
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, 2);
    through_first<<<1, N>>>(a, b);
    fill<<<1, N>>>(b, 3);
    scale<<<1, N>>>(b, 3);
    show("first", a);
    show("second", b);
}

int main(void) {
    APART(loaded);
    APART(handed_out);
    APART(in_struct);
    APART(chosen);
    APART(in_shared);
    APART(unused);
    return 0;
}
