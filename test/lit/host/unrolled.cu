// Loops with few passes around launches: each pass gets launches of its own. So do some passes in a row of
// loops that take pointers out of memory. Others stay loops.
// RUN: for o in 0 1 2 3; do for g in "" -g; do %kesco-host -std=c++17 -O$o $g -S -emit-llvm %s -o %t.$o.ll \
// RUN:   -fplugin-arg-kesco-report=%t.$o.json && opt -passes=verify -disable-output %t.$o.ll \
// RUN:   && cmp %t.0.json %t.$o.json || exit 1; done; done
// RUN: FileCheck %s --input-file=%t.0.json

#include <vector>

__attribute__((kesco_outputs(1))) __global__ void make(float *out, const float *in) { *out = *in; }
__attribute__((kesco_outputs(2))) __global__ void change(float *a, float *b) { *b = (*a += *b); }

// CHECK-LABEL: "name": "arrays()", "lanes": 10,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"reads": ["x[0]"], "writes": ["y[0]"]
// CHECK: {"id": 9, {{.*}}"lane": 9, {{.*}}"reads": ["x[9]"], "writes": ["y[9]"]
// CHECK: "waits": [],
// CHECK: "guards": [],
void arrays() {
    float *x[10], *y[10];
    for (int j = 0; j < 10; ++j) {
        cudaMalloc(&x[j], 4);
        cudaMalloc(&y[j], 4);
    }
    for (int j = 0; j < 10; ++j)
        make<<<1, 1>>>(y[j], x[j]);
    cudaDeviceSynchronize();
}

static void one(float *out, const float *in) {
    make<<<1, 1>>>(out, in);
    if (cudaGetLastError() != cudaSuccess)
        throw 1;
}
// CHECK-LABEL: "name": "nested(float**)", "lanes": 6,
// CHECK: {"id": 5, {{.*}}"lane": 5,
void nested(float **p) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            one(p[i * 3 + j], nullptr);
}

// A way out of the loop stays one.
// CHECK-LABEL: "name": "breaks(float**, int)", "lanes": 4,
// CHECK: {"id": 3,
// CHECK-NOT: {"id": 4,
void breaks(float **p, int n) {
    for (int i = 0; i < 4; ++i) {
        if (i == n)
            break;
        make<<<1, 1>>>(p[i], nullptr);
    }
}

// CHECK-LABEL: "name": "too_many(float*)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
void too_many(float *p) {
    for (int i = 0; i < 33; ++i)
        make<<<1, 1>>>(p + i, nullptr);
}

// CHECK-LABEL: "name": "unknown_count(float*, int)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
void unknown_count(float *p, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p + i, nullptr);
}

// Elements of an array lead to memory of their own most likely; the run looks.
// CHECK-LABEL: "name": "elements(float**, int)", "lanes": 1,
// CHECK: {"id": 3, {{.*}}"writes": ["p[i + 3]"]
// CHECK-NOT: {"id": 4,
// CHECK: "waits": [],
// CHECK: "placed": [0]
void elements(float **p, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[i], nullptr);
}

// CHECK-LABEL: "name": "many_elements(float**)", "lanes": 1,
// CHECK: {"id": 3,
// CHECK-NOT: {"id": 4,
void many_elements(float **p) {
    for (int i = 0; i < 40; ++i)
        make<<<1, 1>>>(p[i], nullptr);
}

// CHECK-LABEL: "name": "elements_of_vectors(std::vector<{{.*}}"lanes": 1,
// CHECK: "placed": [0]
void elements_of_vectors(std::vector<float *> &out, const std::vector<float *> &in) {
    for (size_t i = 0; i < out.size(); ++i)
        make<<<1, 1>>>(out[i], in[i]);
}

struct Task {
    float *out, *in;
    int size;
};

// CHECK-LABEL: "name": "members_of_elements(Task*, int)", "lanes": 1,
// CHECK: "placed": [0]
void members_of_elements(Task *tasks, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(tasks[i].out, tasks[i].in);
}

// The second loop goes on with what the first one made, element by element.
// CHECK-LABEL: "name": "two_loops(float**, float**, int)", "lanes": 1,
// CHECK: {"id": 0, {{.*}}"writes": ["p[i]"]
// CHECK: {"id": 3, {{.*}}"writes": ["p[i + 3]"]
// CHECK: {"id": 4, {{.*}}"reads": ["p[i]"]
// CHECK: {"id": 7, {{.*}}"reads": ["p[i + 3]"]
// CHECK-NOT: {"id": 8,
// CHECK: "waits": [],
void two_loops(float **p, float **q, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[i], nullptr);
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(q[i], p[i]);
}

// Each pass reads what the one before wrote: there is nothing to guard.
// CHECK-LABEL: "name": "chain(float**, int)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
// CHECK: "guards": [],
void chain(float **p, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[i + 1], p[i]);
}

// Copies are one with the kernels that work on the same elements, in their loop and in others.
// CHECK-LABEL: "name": "copies(float**, float**, float*, int)", "lanes": 4,
// CHECK: {"id": 0, "kind": "copy", {{.*}}"lane": 0, {{.*}}"writes": ["p[i]"]
// CHECK: {"id": 3, "kind": "copy", {{.*}}"lane": 3, {{.*}}"writes": ["p[i + 3]"]
// CHECK: {"id": 4, "kind": "kernel", {{.*}}"lane": 0, {{.*}}"reads": ["p[i]"], "writes": ["q[i]"]
// CHECK: {"id": 5, "kind": "copy", {{.*}}"lane": 0, {{.*}}"reads": ["q[i]"]
// CHECK: {"id": 11, "kind": "copy", {{.*}}"lane": 3, {{.*}}"reads": ["q[i + 3]"]
// CHECK-NOT: {"id": 12,
void copies(float **p, float **q, float *host, int n) {
    for (int i = 0; i < n; ++i)
        cudaMemcpyAsync(p[i], host + i, 4, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; ++i) {
        make<<<1, 1>>>(q[i], p[i]);
        cudaMemcpyAsync(host + i, q[i], 4, cudaMemcpyDeviceToHost);
    }
}

// Copies alone gain nothing.
// CHECK-LABEL: "name": "copies_alone(float**, float*, float*, int)",
// CHECK-NOT: "kind": "copy", {{.*}}"p[i + 1]"
void copies_alone(float **p, float *other, float *host, int n) {
    make<<<1, 1>>>(other, nullptr);
    for (int i = 0; i < n; ++i)
        cudaMemcpyAsync(p[i], host + i, 4, cudaMemcpyHostToDevice);
}

// What one pass gets, the next one gets as well: that is one object, and guards do not look for what is sure to
// be found.
// CHECK-LABEL: "name": "neighbours(float**, float*, int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["p[i]|p[i + 1]"]
// CHECK-NOT: {"id": 2,
// CHECK: "guards": [
// CHECK-NEXT: {"a": "p[i]|p[i + 1]", "b": "other"}],
void neighbours(float **p, float *other, int n) {
    for (int i = 0; i + 1 < n; ++i) {
        change<<<1, 1>>>(p[i], p[i + 1]);
        make<<<1, 1>>>(other, nullptr);
    }
}

// Four passes are one already.
// CHECK-LABEL: "name": "by_fours(float**, int)", "lanes": 1,
// CHECK: {"id": 3,
// CHECK-NOT: {"id": 4,
void by_fours(float **p, int n) {
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; ++j)
            make<<<1, 1>>>(p[i + j], nullptr);
}

// Which elements these are, nobody knows.
// CHECK-LABEL: "name": "by_number(float**, int const*, int)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
void by_number(float **p, const int *numbers, int n) {
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[numbers[i]], nullptr);
}

// Nothing comes past a barrier in each pass.
// CHECK-LABEL: "name": "separate(float**, int)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
void separate(float **p, int n) {
    for (int i = 0; i < n; ++i) {
        make<<<1, 1>>>(p[i], nullptr);
        cudaSetDevice(i);
    }
}

// Buffers that passes of a loop use in turn are different buffers, however many passes it makes.
// CHECK-LABEL: "name": "turns(int)", "lanes": 4,
// CHECK: {"id": 3, {{.*}}"lane": 3,
// CHECK-NOT: {"id": 4,
// CHECK: "guards": [],
void turns(int n) {
    float *p[4];
    for (int i = 0; i < 4; ++i)
        cudaMalloc(&p[i], 4);
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[i % 4], nullptr);
}

// Each pass is two turns further on.
// CHECK-LABEL: "name": "turns_by_mask(unsigned long)", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"lane": 1,
// CHECK-NOT: {"id": 2,
// CHECK: "guards": [],
void turns_by_mask(size_t n) {
    float *p[4];
    for (int i = 0; i < 4; ++i)
        cudaMalloc(&p[i], 4);
    for (size_t i = 1; i < n; i += 2)
        make<<<1, 1>>>(p[i & 3], nullptr);
}

// CHECK-LABEL: "name": "three_turns(int)", "lanes": 3,
void three_turns(int n) {
    float *p[3];
    for (int i = 0; i < 3; ++i)
        cudaMalloc(&p[i], 4);
    for (int i = 0; i < n; ++i)
        make<<<1, 1>>>(p[i % 3], nullptr);
}

// CHECK-LABEL: "name": "by_twos(int)", "lanes": 3,
void by_twos(int n) {
    float *p[3];
    for (int i = 0; i < 3; ++i)
        cudaMalloc(&p[i], 4);
    for (int i = 4; i < n; i += 2)
        make<<<1, 1>>>(p[i % 3], nullptr);
}

// The last pass could be with a negative number, as far as the header of the loop tells.
// CHECK-LABEL: "name": "backwards()", "lanes": 1,
void backwards() {
    float *p[3];
    for (int i = 0; i < 3; ++i)
        cudaMalloc(&p[i], 4);
    for (int i = 99; i >= 0; --i)
        make<<<1, 1>>>(p[i % 3], nullptr);
}

// Turns of what is no memory are no reason for copies.
// CHECK-LABEL: "name": "now_and_then(int)", "lanes": 1,
// CHECK: {"id": 0,
// CHECK-NOT: {"id": 1,
void now_and_then(int n) {
    float *p;
    cudaMalloc(&p, 4);
    for (int i = 0; i < n; ++i)
        if (i % 4 != 3)
            make<<<1, 1>>>(p, nullptr);
}

// A number that wraps around may do so in the middle of a turn.
// CHECK-LABEL: "name": "wraps(unsigned int)", "lanes": 1,
void wraps(unsigned n) {
    float *p[3];
    for (int i = 0; i < 3; ++i)
        cudaMalloc(&p[i], 4);
    for (unsigned i = 0; i != n; i += 2)
        make<<<1, 1>>>(p[i % 3], nullptr);
}

// A remainder of a negative number is none of these.
// CHECK-LABEL: "name": "negative(int, float**)", "lanes": 1,
void negative(int n, float **p) {
    for (int i = -5; i < n; ++i)
        make<<<1, 1>>>(p[i % 4], nullptr);
}
