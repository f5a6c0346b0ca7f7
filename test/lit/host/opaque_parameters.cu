// A parameter that may lead to further memory conflicts with everything, however the pointer or handle is wrapped.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.json

typedef cudaTextureObject_t Texture;
struct Base {
    float *data;
};
struct Derived : Base {
    int n;
};
struct Reference {
    float &value;
};
struct Bound {
    int n;
    cudaTextureObject_t texture;
};
struct Incomplete;
struct Plain {
    int n;
};

__attribute__((kesco_outputs(1))) __global__ void surface(float *out, cudaSurfaceObject_t s);
__attribute__((kesco_outputs(1))) __global__ void renamed(float *out, Texture t);
__attribute__((kesco_outputs(1))) __global__ void bound(float *out, const Bound *b);
__attribute__((kesco_outputs(1))) __global__ void derived(float *out, Derived *d);
__attribute__((kesco_outputs(1))) __global__ void reference(float *out, Reference r);
__attribute__((kesco_outputs(1))) __global__ void member(float *out, int Plain::*m);
__attribute__((kesco_outputs(1))) __global__ void function(float *out, void (*f)(float *));
__attribute__((kesco_outputs(1))) __global__ void incomplete(float *out, Incomplete *i);
__attribute__((kesco_outputs(1))) __global__ void plain(float *out, const Plain *p);

// REMARK: kernel 'surface' keeps its order to all others: parameter 's' may lead to memory that the annotation does not name
// CHECK: "name": "surface", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "renamed", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "bound", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "derived", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "reference", {{.*}}"writes": ["*"]
// CHECK: "name": "member", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "function", {{.*}}"writes": ["*"]
// CHECK: "name": "incomplete", {{.*}}"writes": ["a", "*"]
// CHECK: "name": "plain", {{.*}}"reads": ["b"], "writes": ["a"]
// REMARK: kernel 'reference' keeps its order to all others: the allocation behind argument 'a' is unknown: a parameter of the kernel, which is defined elsewhere, may be passed in pieces; pass the members of structs as parameters of their own
void all(Incomplete *unseen) {
    float *a;
    Plain *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    surface<<<1, 1>>>(a, 0);
    renamed<<<1, 1>>>(a, 0);
    bound<<<1, 1>>>(a, nullptr);
    derived<<<1, 1>>>(a, nullptr);
    reference<<<1, 1>>>(a, Reference{*a});
    member<<<1, 1>>>(a, &Plain::n);
    function<<<1, 1>>>(a, nullptr);
    incomplete<<<1, 1>>>(a, unseen);
    plain<<<1, 1>>>(a, b);
}
