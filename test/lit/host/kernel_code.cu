// What a kernel's code touches beyond its parameters is found behind every kind of call, and in every kind of loop.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

#define KERNEL __attribute__((kesco_outputs(1))) __global__ void

__device__ int counter;
__device__ const int fixed[2] = {1, 2};

struct Counts {
    int n;
    __device__ void up() { again(); }
    __device__ void again() { counter = n; }
    __device__ int operator()(int x) const { return counter = x; }
};
struct Constructed {
    int n;
    __device__ Constructed() { counter = 1; }
};
template <class T> __device__ void store(T x) { counter = x; }

KERNEL member(int *out) { Counts().up(); }
KERNEL called(int *out) { *out = Counts()(1); }
KERNEL constructed(int *out) { Constructed c; }
KERNEL generic(int *out) { store(1); }
KERNEL lambda(int *out) { [] { counter = 1; }(); }
KERNEL twice(int *out) { counter = counter + 1; }
// CHECK: "name": "member", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "called", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "constructed", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "generic", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "lambda", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "twice", {{.*}}"writes": ["counter", "a"]

// Memory of a block's own and constants are nobody else's business.
KERNEL shared(int *out) {
    __shared__ int mine;
    extern __shared__ int given[];
    out[0] = mine = given[0] = fixed[0];
}
// CHECK: "name": "shared", {{.*}}"reads": [], "writes": ["a"]

KERNEL makes(int *out) { *out = *new int(1); }
KERNEL gives_back(int *out) { delete static_cast<int *>(nullptr); }
// CHECK: "name": "makes", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "gives_back", {{.*}}"writes": ["*", "a"]

KERNEL waits_first(int *flag) {
    while (*(volatile int *)flag == 0)
        ;
}
KERNEL waits_last(int *flag) {
    do {
    } while (*(volatile int *)flag == 0);
}
KERNEL waits_in_for(int *flag) {
    for (; atomicAdd(flag, 0) == 0;)
        ;
}
KERNEL reads_once(int *flag) {
    *flag = *(volatile int *)flag;
    while (*flag > 0)
        --*flag;
}
// CHECK: "name": "waits_first", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_last", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_in_for", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "reads_once", {{.*}}"reads": [], "writes": ["a"]

void all() {
    int *a;
    cudaMalloc(&a, 4);
    member<<<1, 1>>>(a);
    called<<<1, 1>>>(a);
    constructed<<<1, 1>>>(a);
    generic<<<1, 1>>>(a);
    lambda<<<1, 1>>>(a);
    twice<<<1, 1>>>(a);
    shared<<<1, 1>>>(a);
    makes<<<1, 1>>>(a);
    gives_back<<<1, 1>>>(a);
    waits_first<<<1, 1>>>(a);
    waits_last<<<1, 1>>>(a);
    waits_in_for<<<1, 1>>>(a);
    reads_once<<<1, 1>>>(a);
}
