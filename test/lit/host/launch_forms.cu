// Launches in forms that are understood, and in some that are not: those end a region.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.0.ll -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -std=c++17 -O2 -S -emit-llvm %s -o %t.2.ll -fplugin-arg-kesco-report=%t.2.json
// RUN: opt -passes=verify -disable-output %t.0.ll && opt -passes=verify -disable-output %t.2.ll
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json

struct Four {
    long values[4];
};
struct Empty {};
struct Many {
    int n;
    const float *a, *b;
};
__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }
__attribute__((kesco_outputs("out"))) __global__ void in_registers(long2 pair, float *out, const float *in) {
    *out = *in + pair.x;
}
__attribute__((kesco_outputs("out"))) __global__ void in_memory(Four four, float *out, const float *in) {
    *out = *in + four.values[0];
}
__attribute__((kesco_outputs("out"))) __global__ void unseen(long2 pair, float *out, const float *in);
__attribute__((kesco_outputs("out"))) __global__ void unseen_empty(Empty none, float *out, const float *in, long2 pair);
__attribute__((kesco_outputs("out"))) __global__ void unseen_plain(int n, float *out, const float *in);

// The default stream has two names; the per-thread default stream is another.
// CHECK-LABEL: "name": "streams()", "lanes": 2,
// CHECK: {"id": 1, {{.*}}"region": 0}
// CHECK: "barriers": [
// CHECK-NEXT: {"line": [[#@LINE+10]], "why": "launch on another stream"}
// CHECK-NEXT: {"line": [[#@LINE+10]], "why": "launch on another stream"}
// CHECK-NEXT: {"line": [[#@LINE+10]], "why": "launch on another stream"}
// CHECK-NEXT: {"line": [[#@LINE+10]], "why": "launch on another stream"}]
void streams() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1, 0, cudaStreamLegacy>>>(a, nullptr);
    known<<<1, 1, 0, nullptr>>>(b, nullptr);
    known<<<1, 1, 0, cudaStreamPerThread>>>(a, nullptr);
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1, 0, cudaStreamPerThread>>>(b, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// Arguments that take several registers, or stand in memory, leave the others where they belong. Where they cannot
// be told apart, because the kernel is defined elsewhere, every pointer may be any: also where a parameter with no
// argument and one with two make as many arguments as parameters.
// CHECK: "name": "split_arguments()"
// CHECK: "name": "in_registers", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "in_memory", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "unseen_plain", {{.*}}"reads": ["b"], "writes": ["a"]
// CHECK: "name": "unseen", {{.*}}"reads": ["*"], "writes": ["*"]
// CHECK: "name": "unseen_empty", {{.*}}"reads": ["*"], "writes": ["*"]
void split_arguments() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    in_registers<<<1, 1>>>(long2{}, a, b);
    in_memory<<<1, 1>>>(Four{}, a, b);
    unseen_plain<<<1, 1>>>(1, a, b);
    unseen<<<1, 1>>>(long2{}, a, b);
    unseen_empty<<<1, 1>>>(Empty{}, a, b, long2{});
}

// CHECK-LABEL: "name": "through_pointer(void (*)(float*, float const*))", "lanes": 1,
// CHECK: "why": "launch in an unusual form"
// CHECK: "why": "launch in an unusual form"
void through_pointer(void (*kernel)(float *, const float *)) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a, nullptr);
    kernel<<<1, 1>>>(b, nullptr);
    known<<<1, 1>>>(b, nullptr);
    auto constant = known;
    constant<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
}

// What is evaluated for a launch may be a barrier.
int count();
// CHECK-LABEL: "name": "evaluates()", "lanes": 1,
// CHECK: "barriers": [
// CHECK-NEXT: "why": "call to unknown function 'count()'"}
void evaluates() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a, nullptr);
    known<<<count(), 1>>>(b, nullptr);
}
