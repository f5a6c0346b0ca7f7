// Which pointers lead to which allocation: what can be followed is told apart, all else conflicts with everything.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.0.ll -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -O2 -S -emit-llvm %s -o %t.2.ll -fplugin-arg-kesco-report=%t.2.json
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json

#include <array>

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }
void keep(float **address);
struct Pair {
    float *left, *right;
};

// Interior pointers lead into the allocation that they come from.
// CHECK-LABEL: "name": "interior()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: {"id": 1, {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: {"id": 2, {{.*}}"reads": ["b"], "writes": ["c"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAW", "object": "a"}],
void interior() {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    known<<<1, 1>>>(a, b);
    known<<<1, 1>>>(a + 8, b);
    known<<<1, 1>>>(&c[3], b);
}

// However many steps lead there.
// CHECK-LABEL: "name": "far_inside(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["a"]
void far_inside(int n) {
    float *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    float *q = a + n;
    if (n > 3)
        q = q + n;
    known<<<1, 1>>>(q + 2, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// A pointer that is allocated anew leads to what it led to before only where nobody has looked whether that failed.
// CHECK-LABEL: "name": "anew(float*, float*)", "lanes": 3,
// CHECK: "edges": [
// CHECK-NEXT: {"from": 1, "to": 3, "kind": "WAW", "object": "right"}],
void anew(float *left, float *right) {
    known<<<1, 1>>>(left, nullptr);
    known<<<1, 1>>>(right, nullptr);
    if (cudaMalloc(&left, 64) == cudaSuccess)
        known<<<1, 1>>>(left, nullptr);
    cudaMalloc(&right, 64);
    known<<<1, 1>>>(right, nullptr);
}

// A copied pointer is the same pointer; a swap swaps. Objects are named where they are allocated.
// CHECK-LABEL: "name": "copied()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"reads": [], "writes": ["a"]
// CHECK: {"id": 1, {{.*}}"reads": [], "writes": ["b"]
// CHECK: {"id": 2, {{.*}}"reads": ["a"], "writes": ["b"]
void copied() {
    float *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    float *q = a;
    known<<<1, 1>>>(a, nullptr);
    q = b;
    known<<<1, 1>>>(q, nullptr);
    float *t = a;
    a = b;
    b = t;
    known<<<1, 1>>>(a, b);
}

// Members of a local struct are told apart.
// CHECK-LABEL: "name": "members()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"reads": [], "writes": ["p.left"]
// CHECK: {"id": 1, {{.*}}"reads": [], "writes": ["p.right"]
void members() {
    Pair p;
    cudaMalloc(&p.left, 64);
    cudaMalloc(&p.right, 64);
    known<<<1, 1>>>(p.left, nullptr);
    known<<<1, 1>>>(p.right, nullptr);
}

// Arguments, globals, and locals whose address another function has are told apart at run time: the guard.
// CHECK-LABEL: "name": "arguments(float*, float*)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["a"]
// CHECK: {"id": 1, {{.*}}"writes": ["b"]
// CHECK: "guards": [
// CHECK-NEXT: {"a": "a", "b": "b"}],
void arguments(float *a, float *b) {
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
float *global;
// CHECK-LABEL: "name": "from_global()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["global"]
// CHECK: {"id": 1, {{.*}}"writes": ["a"]
// CHECK: {"id": 2, {{.*}}"writes": ["global"]
// CHECK: {"from": 0, "to": 2, "kind": "WAW", "object": "global"}
// CHECK: {"a": "global", "b": "a"}
void from_global() {
    float *a;
    cudaMalloc(&a, 64);
    known<<<1, 1>>>(global, nullptr);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(global + 1, nullptr);
}
// CHECK-LABEL: "name": "escaped()", "lanes": 2,
// CHECK: {"a": "a", "b": "b"}
void escaped() {
    float *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    keep(&a);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
// What is only read needs no guard.
// CHECK-LABEL: "name": "only_read(float const*, float const*)", "lanes": 2,
// CHECK: "guards": [
// CHECK-NOT: {"a": "x", "b": "y"}
// CHECK: "barriers": []
void only_read(const float *x, const float *y) {
    float *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    known<<<1, 1>>>(a, x);
    known<<<1, 1>>>(b, y);
}
// Unknown places that one pointer may come from are one object.
// CHECK-LABEL: "name": "two_places(float*, float*, float*, int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"writes": ["n ? a : b"]
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"writes": ["c"]
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"writes": ["n ? a : b"]
// CHECK: {"id": 3, {{.*}}"lane": 0, {{.*}}"writes": ["n ? a : b"]
// CHECK: "guards": [
// CHECK-NEXT: {"a": "n ? a : b", "b": "c"}],
void two_places(float *a, float *b, float *c, int n) {
    known<<<1, 1>>>(n ? a : b, nullptr);
    known<<<1, 1>>>(c, nullptr);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
// `restrict` is believed.
// CHECK-LABEL: "name": "restricted(float*, float*)", "lanes": 2,
// CHECK: "guards": [],
void restricted(float *__restrict__ a, float *__restrict__ b) {
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// It says nothing of where pointers lead that are loaded from there.
// CHECK-LABEL: "name": "loaded_from_restricted(float**, float**)", "lanes": 2,
// CHECK: {"a": "*a", "b": "*b"}],
void loaded_from_restricted(float **__restrict__ a, float **__restrict__ b) {
    known<<<1, 1>>>(*a, nullptr);
    known<<<1, 1>>>(*b, nullptr);
}
// An unknown pointer beside a device variable that a kernel names conflicts with everything.
// CHECK-LABEL: "name": "beside_variable(float*, float*)", "lanes": 1,
// CHECK: {"id": 0, {{.*}}"writes": ["*"]
// CHECK: {"id": 1, {{.*}}"writes": ["variable", "*"]
__device__ float variable;
__attribute__((kesco_outputs(1))) __global__ void names_variable(float *out) { variable = 1; }
void beside_variable(float *a, float *b) {
    known<<<1, 1>>>(a, nullptr);
    names_variable<<<1, 1>>>(b);
}

// A pointer that depends on a branch leads into either object, a pointer from an earlier iteration into the same one.
// CHECK-LABEL: "name": "chosen(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["b", "a"]
// CHECK: {"id": 1, {{.*}}"writes": ["c"]
// CHECK: {"id": 2, {{.*}}"writes": ["a"]
// CHECK: {"from": 0, "to": 2, "kind": "WAW", "object": "a"}
void chosen(int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    float *p = n ? a : b;
    known<<<1, 1>>>(p, nullptr);
    known<<<1, 1>>>(c, nullptr);
    known<<<1, 1>>>(a, nullptr);
}
// CHECK-LABEL: "name": "carried(int)", "lanes": 1,
// CHECK: {"id": 0, {{.*}}"writes": ["fresh"]
// CHECK: {"id": 1, {{.*}}"writes": ["fresh"]
void carried(int n) {
    float *previous = nullptr, *fresh;
    for (int i = 0; i < n; ++i) {
        cudaMalloc(&fresh, 64);
        known<<<1, 1>>>(previous, nullptr);
        known<<<1, 1>>>(fresh, nullptr);
        previous = fresh;
    }
}

// The same within the launch itself, where the choice takes blocks of its own.
// CHECK-LABEL: "name": "chosen_in_the_launch(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["b", "a"]
// CHECK: {"id": 1, {{.*}}"writes": ["c"]
void chosen_in_the_launch(int n) {
    float *a, *b, *c;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMalloc(&c, 64);
    known<<<n ? 1 : 2, 1>>>(n > 3 ? a : b, nullptr);
    known<<<1, 1>>>(c, nullptr);
}

// If the second allocation fails unseen, the local still leads to the first.
// CHECK-LABEL: "name": "twice()", "lanes": 1,
// CHECK: {"id": 0, {{.*}}"writes": ["a (objects.cu:[[# @LINE+4]])"]
// CHECK: {"id": 1, {{.*}}"writes": ["a (objects.cu:[[# @LINE+3]])", "a (objects.cu:[[# @LINE+5]])"]
void twice() {
    float *a, *b;
    cudaMalloc(&a, 64);
    b = a;
    cudaMalloc(&a, 64);
    known<<<1, 1>>>(b, nullptr);
    known<<<1, 1>>>(a, nullptr);
}

// What a variable had before it was given memory is none, whatever else keeps the array in one piece.
// CHECK-LABEL: "name": "freed_in_turn()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["all[0]"]
// CHECK: {"id": 1, {{.*}}"writes": ["all[1]"]
// CHECK: "guards": [],
void freed_in_turn() {
    float *all[2];
    cudaMalloc(&all[0], 64);
    cudaMalloc(&all[1], 64);
    known<<<1, 1>>>(all[0], nullptr);
    known<<<1, 1>>>(all[1], nullptr);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaFree(all[i]);
}

// The pitch may lie beside the pointer; what an allocation that failed would have stored is not there.
// CHECK-LABEL: "name": "pitched(unsigned long)", "lanes": 2,
// CHECK: "edges": [],
// CHECK: "guards": [],
// CHECK-LABEL: "name": "volumes(cudaExtent)", "lanes": 2,
// CHECK: "edges": [],
// CHECK: "guards": [],
// CHECK-LABEL: "name": "allocated_in_turn()", "lanes": 3,
// CHECK: "edges": [],
// CHECK: "guards": [],
void pitched(size_t width) {
    struct {
        float *data;
        size_t pitch;
    } images[2];
    for (auto &image : images)
        cudaMallocPitch((void **)&image.data, &image.pitch, width, 4);
    known<<<1, 1>>>(images[0].data, nullptr);
    known<<<1, 1>>>(images[1].data, nullptr);
}
void volumes(cudaExtent extent) {
    cudaPitchedPtr volumes[2];
    for (auto &volume : volumes)
        cudaMalloc3D(&volume, extent);
    known<<<1, 1>>>((float *)volumes[0].ptr, nullptr);
    known<<<1, 1>>>((float *)volumes[1].ptr, nullptr);
}

// A loop over a list or an array of the library's makes as many passes as those have elements.
void allocated_in_turn() {
    float *a, *b, *c;
    for (float **each : {&a, &b})
        cudaMalloc(each, 64);
    for (float **each : std::array<float **, 1>{&c})
        cudaMalloc(each, 64);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
    known<<<1, 1>>>(c, nullptr);
}
