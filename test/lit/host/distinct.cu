// What KESCO_DISTINCT claims needs no guard, and parts of one buffer are objects of their own: for what comes from the claimed
// variables behind the claim, within its function, and for nothing else.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s distinct.cu
// RUN: %kesco-host -O0 -S -emit-llvm distinct.cu -o distinct.ll -fplugin-arg-kesco-report=distinct.json -Rpass=kesco \
// RUN:   -Rpass-missed=kesco -Rpass-analysis=kesco 2>remarks
// RUN: opt -passes=verify -disable-output distinct.ll && not grep __kesco_distinct distinct.ll
// RUN: FileCheck distinct.cu --input-file=distinct.ll --check-prefix=IR
// RUN: FileCheck distinct.cu --input-file=remarks --check-prefix=REMARK
// RUN: FileCheck distinct.cu --input-file=distinct.json
// RUN: %kesco-host -O2 -S -emit-llvm distinct.cu -o - -fplugin-arg-kesco-report=O2.json | opt -passes=verify -S | not grep __kesco_distinct
// RUN: cmp distinct.json O2.json
// RUN: kesco-report -o page.html distinct.json && FileCheck distinct.cu --input-file=page.html --check-prefix=PAGE

// Whoever does not run the plugin, or has it off, has nothing of it.
// RUN: %kesco-host -O1 -S -emit-llvm distinct.cu -o - -fplugin-arg-kesco-off | not grep 'call .*__kesco'
// RUN: %cuda-host -std=c++11 -O0 -S -emit-llvm -Wall -Wextra -Werror distinct.cu -o - | not grep __kesco

#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void make(float *out) { *out = 1; }

// REMARK: remark: 2 kernels run on 2 lanes with 0 waits, distinct as KESCO_DISTINCT(a, b) (line [[# @LINE + 18]]) claims [-Rpass=kesco]
// IR-LABEL: define {{.*}}@_Z9argumentsPfS_(
// IR-NOT: __kesco1_guard
// IR: call void @__kesco1_claimed(ptr [[CLAIM:@[0-9]+]], i32 2, ptr [[A:%[0-9]+]], i64 -9223372036854775808, i64 -9223372036854775808)
// IR-NEXT: call void @_Z19__device_stub__makePf(ptr noundef [[A]])
// IR-NOT: __kesco1_guard
// IR: call void @__kesco1_claimed(ptr [[CLAIM]], i32 3, ptr {{.*}}, i64 -9223372036854775808,
// IR-NOT: __kesco1_guard
// IR: {{^}}}
// CHECK-LABEL: "arguments(float*, float*)", "lanes": 2
// CHECK: "waits": [],
// CHECK: "guards": [],
// CHECK: "claims": [
// CHECK-NEXT: {"line": [[# @LINE + 5]], "a": "a", "b": "b"}]
// PAGE: <h3>Claims</h3>
// PAGE: <li><a href="distinct.cu#L[[# @LINE + 3]]">distinct.cu:[[# @LINE + 3]]</a> a, b<code>KESCO_DISTINCT(a, b);</code></li>

void arguments(float *a, float *b) {
    KESCO_DISTINCT(a, b);
    make<<<1, 1>>>(a + 1);
    make<<<1, 1>>>(b);
}

// The whole is under no claim, though it is where the first half is.
// CHECK-LABEL: "halves(float*, int)", "lanes": 2
// CHECK: "writes": ["buffer", "buffer[part 0]", "buffer[part 1]"]
// CHECK: "writes": ["buffer[part 0]"]
// CHECK: "writes": ["buffer[part 1]"]
// CHECK: "writes": ["buffer", "buffer[part 0]", "buffer[part 1]"]
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 0},
// CHECK-NEXT: {"op": 3, "on": 2}],
// CHECK: "guards": [],
void halves(float *buffer, int n) {
    float *const low = buffer, *const high = buffer + n;
    make<<<1, 1>>>(buffer);
    KESCO_DISTINCT(low, high);
    make<<<1, 1>>>(low);
    make<<<1, 1>>>(high);
    make<<<1, 1>>>(buffer);
}

// A third pointer is compared with both of them, and they are not with each other: they have one number.
// IR-LABEL: define {{.*}}@_Z5thirdPfS_S_(
// IR: call void @__kesco1_guard{{.*}}(i32 [[NUMBER:[0-9]+]], i32 3,
// IR: call void @__kesco1_guard{{.*}}(i32 [[NUMBER]], i32 {{[23]}},
// IR: call void @__kesco1_guard{{.*}}(i32 2, i32 {{[23]}},
// CHECK-LABEL: "third(float*, float*, float*)", "lanes": 3
// CHECK: "guards": [
// CHECK-NEXT: {"a": "a", "b": "c"},
// CHECK-NEXT: {"a": "b", "b": "c"}],
// REMARK: remark: 3 kernels run on 3 lanes with 0 waits, serially where pointers lead to the same memory (2 checked at run time), distinct as KESCO_DISTINCT(a, b)
// REMARK: 'a' and 'c', and 1 other pair, may be the same memory, which is checked at run time; KESCO_DISTINCT(a, c) claims that they do not overlap
void third(float *a, float *b, float *c) {
    KESCO_DISTINCT(a, b);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    make<<<1, 1>>>(c);
}

// Members and references.
struct Pair {
    float *first, *second;
};
// CHECK-LABEL: "members(Pair const&)", "lanes": 2
// CHECK: "guards": [],
void members(const Pair &p) {
    KESCO_DISTINCT(p.first, p.second);
    make<<<1, 1>>>(p.first);
    make<<<1, 1>>>(p.second);
}

// CHECK-LABEL: "set_anew(float*, float*, float*)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "{{a|b}}", "b": "{{a|b}}"}],
void set_anew(float *a, float *b, float *c) {
    KESCO_DISTINCT(a, b);
    a = c;
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// CHECK-LABEL: "branch(float*, float*, bool)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "a", "b": "b"}],
void branch(float *a, float *b, bool are_distinct) {
    if (are_distinct)
        KESCO_DISTINCT(a, b);
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// What comes before the claim.
// CHECK-LABEL: "late(float*, float*)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "a", "b": "b"}],
void late(float *a, float *b) {
    make<<<1, 1>>>(a);
    KESCO_DISTINCT(a, b);
    make<<<1, 1>>>(b);
}

// A claim ends with its function, though the members have the same values behind it.
static inline void step(Pair &p) {
    KESCO_DISTINCT(p.first, p.second);
    make<<<1, 1>>>(p.first);
}
// CHECK-LABEL: "caller(Pair&)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "p.first", "b": "p.second"}],
void caller(Pair &p) {
    step(p);
    make<<<1, 1>>>(p.second);
}

// Ops of all passes are in flight: this pass's `a` may be what `b` is in the next one. With a claim before the loop, it is not.
// CHECK-LABEL: "passes(float*, float*, int)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "left", "b": "right"}],
// REMARK: remark: KESCO_DISTINCT(left, right) (line [[# @LINE + 4]]) holds in one pass of its loop alone, and ops of several passes may be in flight: make the claim before the loop
void passes(float *a, float *b, int n) {
    for (int i = 0; i < n; ++i) {
        float *left = a + i, *right = b + i;
        KESCO_DISTINCT(left, right);
        make<<<1, 1>>>(left);
        make<<<1, 1>>>(right);
    }
}
// CHECK-LABEL: "again(float*, float*, int)", "lanes": 2
// CHECK: "guards": [
// CHECK-NEXT: {"a": "left", "b": "right"}],
void again(float *a, float *b, int n) {
    for (int i = 0; i < n; ++i) {
        float *left = a, *right = b;
        KESCO_DISTINCT(left, right);
        make<<<1, 1>>>(left);
        make<<<1, 1>>>(right);
    }
}
// CHECK-LABEL: "before(float*, float*, int)", "lanes": 2
// CHECK: "guards": [],
void before(float *a, float *b, int n) {
    KESCO_DISTINCT(a, b);
    for (int i = 0; i < n; ++i) {
        make<<<1, 1>>>(a);
        make<<<1, 1>>>(b);
    }
}
// CHECK-LABEL: "waiting(float*, float*, int)", "lanes": 2
// CHECK: "guards": [],
extern void unseen();
void waiting(float *a, float *b, int n) {
    for (int i = 0; i < n; ++i) {
        float *left = a, *right = b;
        KESCO_DISTINCT(left, right);
        make<<<1, 1>>>(left);
        make<<<1, 1>>>(right);
        unseen();
    }
}
