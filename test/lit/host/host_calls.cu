// Functions of the program's own between launches: small ones are seen through, pure ones are no barrier, others are.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.0.ll \
// RUN:   -fplugin-arg-kesco-policy=fewest-predecessors -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -std=c++17 -O2 -S -emit-llvm %s -o %t.2.ll \
// RUN:   -fplugin-arg-kesco-policy=fewest-predecessors -fplugin-arg-kesco-report=%t.2.json
// RUN: opt -passes=verify -disable-output %t.0.ll && opt -passes=verify -disable-output %t.2.ll
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }

static __attribute__((noinline)) float *allocate() {
    float *p;
    cudaMalloc(&p, 4);
    return p;
}
static float *allocate_by_another() { return allocate(); }
// CHECK-LABEL: "name": "nested_helpers()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["a"]
// CHECK: {"id": 1, {{.*}}"writes": ["b"]
// CHECK: "barriers": []
void nested_helpers() {
    float *a = allocate_by_another(), *b = allocate_by_another();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// The linker may choose another body for a weak function.
__attribute__((weak)) void replaceable() {}
// CHECK-LABEL: "name": "weak()", "lanes": 1,
// CHECK: "why": "call to function 'replaceable()', which another definition may replace"
void weak() {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    replaceable();
    known<<<1, 1>>>(b, nullptr);
}

static void launches(float *p) { known<<<1, 1>>>(p, nullptr); }
static void leads_to_launches(float *p) { launches(p); }
static int recursive(int n) { return n ? n * recursive(n - 1) : 1; }
// CHECK-LABEL: "name": "stays_a_call()", "lanes": 2,
// CHECK: "barriers": []
void stays_a_call() {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    leads_to_launches(b);
    known<<<1, 1>>>(b, nullptr);
    recursive(4);
    known<<<1, 1>>>(a, nullptr);
}

// Another thread may be told so to wait for the stream: what was launched must have reached it.
struct Wide {
    long words[3];
};
// CHECK-LABEL: "name": "wakes_others(CUstream_st*, std::atomic<Wide>&)", "lanes": 2,
// CHECK: "barriers": [
// CHECK-NEXT: "why": "call to unknown function '__atomic_store'"},
// CHECK-NEXT: "why": "call to unknown function 'write'"},
// CHECK-NEXT: "why": "call to unknown function 'funlockfile'"}]
void wakes_others(cudaStream_t stream, std::atomic<Wide> &flag) {
    float *a = allocate(), *b = allocate();
    known<<<1, 1, 0, stream>>>(a, nullptr);
    known<<<1, 1, 0, stream>>>(b, nullptr);
    flag.store(Wide{{1, 2, 3}});
    known<<<1, 1, 0, stream>>>(a, nullptr);
    known<<<1, 1, 0, stream>>>(b, nullptr);
    write(1, "", 1);
    known<<<1, 1, 0, stream>>>(a, nullptr);
    known<<<1, 1, 0, stream>>>(b, nullptr);
    funlockfile(stdout);
    known<<<1, 1, 0, stream>>>(a, nullptr);
}

// A function that only reads might see what a launch is followed by, so launches stay in order; one that does not even
// read sees nothing. Neither ends the region.
__attribute__((pure)) int reads();
__attribute__((const)) int computes(int n);
// CHECK-LABEL: "name": "pure_calls()", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 1,
// CHECK: {"id": 2, {{.*}}"order": 2,
// CHECK: "barriers": []
void pure_calls() {
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    known<<<reads(), 1>>>(c, nullptr);
}
// CHECK-LABEL: "name": "const_calls()", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 2,
// CHECK: {"id": 2, {{.*}}"order": 1,
// CHECK: "barriers": []
void const_calls() {
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    known<<<computes(1), 1>>>(c, nullptr);
}

// What the host writes where others may see it keeps its place among the launches; what it writes to itself does not.
struct Large {
    int values[32];
};
void look(const Large *large);
// CHECK-LABEL: "name": "shared_block(Large*)", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 1,
void shared_block(Large *large) {
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    memset(large, 0, sizeof *large);
    known<<<1, 1>>>(c, nullptr);
}
// CHECK-LABEL: "name": "escaped_block()", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 1,
void escaped_block() {
    Large large;
    look(&large);
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    large.values[3] = 1;
    known<<<1, 1>>>(c, nullptr);
}
// CHECK-LABEL: "name": "private_block(int)", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 2,
void private_block(int n) {
    int large[32];
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, a);
    large[n] = 1;
    known<<<1, 1>>>(c, nullptr);
}

// A fence holds for the launches right before and behind it; those further on are free again.
// CHECK-LABEL: "name": "one_fence(int*)", "lanes": 3,
// CHECK: {"id": 0, {{.*}}"order": 0,
// CHECK: {"id": 1, {{.*}}"order": 1,
// CHECK: {"id": 2, {{.*}}"order": 3,
// CHECK: {"id": 3, {{.*}}"order": 2,
void one_fence(int *shared) {
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    *shared = 1;
    known<<<1, 1>>>(b, nullptr);
    known<<<1, 1>>>(a, b);
    known<<<1, 1>>>(c, nullptr);
}

// CHECK-LABEL: "name": "atomics(std::atomic<int>&)", "lanes": 1,
// CHECK: "barriers": [
// CHECK-NEXT: {"line": [[#@LINE+5]], "why": "volatile or atomic access to host memory"}
// CHECK-NEXT: {"line": [[#@LINE+6]], "why": "volatile or atomic access to host memory"}]
void atomics(std::atomic<int> &flag) {
    float *a = allocate(), *b = allocate(), *c = allocate();
    known<<<1, 1>>>(a, nullptr);
    flag.store(1, std::memory_order_release);
    known<<<1, 1>>>(b, nullptr);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    known<<<1, 1>>>(c, nullptr);
}

// A volatile variable of the function's own is nobody else's either: it keeps launches in order, and no more.
// CHECK-LABEL: "name": "own_volatile(void (*)())", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"order": 1,
// CHECK: "barriers": []
void own_volatile(void (*other)()) {
    float *a = allocate(), *b = allocate();
    void (*volatile next)() = other;
    known<<<1, 1>>>(a, nullptr);
    next = nullptr;
    known<<<1, 1>>>(b, nullptr);
    if (next)
        known<<<1, 1>>>(a, b);
}

// One that others are told of is shared with them.
void tell(volatile int *);
// CHECK-LABEL: "name": "shown_volatile()", "lanes": 1,
// CHECK: {"line": [[#@LINE+6]], "why": "volatile or atomic access to host memory"}
void shown_volatile() {
    float *a = allocate(), *b = allocate();
    volatile int shown = 0;
    tell(&shown);
    known<<<1, 1>>>(a, nullptr);
    shown = 1;
    known<<<1, 1>>>(b, nullptr);
}

// What sorts calls the program back: no barrier where what it compares by is in sight, and does nothing else.
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int launching_order(const void *a, const void *b) {
    known<<<1, 1>>>(nullptr, nullptr);
    return order(a, b);
}
static int ending_order(const void *a, const void *b) {
    if (*(const int *)a == 0)
        exit(1);
    return order(a, b);
}
// CHECK-LABEL: "name": "sorts(int*)", "lanes": 2,
// CHECK: "barriers": []
void sorts(int *numbers) {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    setenv("SORTED", "1", 1);
    qsort(numbers, 16, sizeof *numbers, order);
    known<<<1, 1>>>(b, nullptr);
}
// CHECK-LABEL: "name": "sorts_by_launches(int*)", "lanes": 1,
// CHECK: "why": "call to 'qsort', which calls back what may do more than compare"
void sorts_by_launches(int *numbers) {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    qsort(numbers, 16, sizeof *numbers, launching_order);
    known<<<1, 1>>>(b, nullptr);
}
// CHECK-LABEL: "name": "sorts_or_ends(int*)", "lanes": 1,
// CHECK: "why": "call to 'qsort', which calls back what may do more than compare"
void sorts_or_ends(int *numbers) {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    qsort(numbers, 16, sizeof *numbers, ending_order);
    known<<<1, 1>>>(b, nullptr);
}
// CHECK-LABEL: "name": "sorts_by_unknown(int*, int (*)(void const*, void const*))", "lanes": 1,
// CHECK: "why": "call to 'qsort', which calls back what may do more than compare"
void sorts_by_unknown(int *numbers, int (*given)(const void *, const void *)) {
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a, nullptr);
    qsort(numbers, 16, sizeof *numbers, given);
    known<<<1, 1>>>(b, nullptr);
}
