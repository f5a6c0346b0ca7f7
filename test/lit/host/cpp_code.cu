// Templates, lambdas, members, macros, and launches that must clean up behind an exception.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.0.ll -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -std=c++17 -O3 -g -S -emit-llvm %s -o %t.3.ll -fplugin-arg-kesco-report=%t.3.json
// RUN: opt -passes=verify -disable-output %t.0.ll && opt -passes=verify -disable-output %t.3.ll
// RUN: cmp %t.0.json %t.3.json
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=IR

#include <vector>

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

template <class T> __attribute__((kesco_outputs("out"))) __global__ void fill(int n, T *out) { out[n] = 1; }
namespace deep {
static __attribute__((kesco_outputs(1))) __global__ void hidden(float *out) { *out = 1; }
} // namespace deep
extern "C" __attribute__((kesco_outputs(1))) __global__ void c_name(float *out) { *out = 1; }
struct Solver {
    float *a, *b;
    __attribute__((kesco_outputs(1))) static __global__ void member(float *out) { *out = 1; }
    void run() {
        member<<<1, 1>>>(a);
        member<<<1, 1>>>(b);
    }
};

// CHECK-LABEL: "name": "cleans_up()", "lanes": 4,
// CHECK: "name": "fill", {{.*}}"writes": ["a"]
// CHECK: "name": "fill", {{.*}}"writes": ["b"]
// CHECK: "name": "hidden", {{.*}}"writes": ["c"]
// CHECK: "name": "c_name", {{.*}}"writes": ["d"]
// IR-LABEL: define {{.*}}@_Z9cleans_upv(
// IR: call void @__kesco1_enter(ptr null, ptr {{.*}})
// IR: invoke i32 @__cudaPushCallConfiguration({{.*}}, ptr noundef %
// IR: invoke void @{{.*}}device_stub__fill
// IR: landingpad
// IR: call void @__kesco1_leave
void cleans_up() {
    std::vector<int> host(8);
    float *a, *c, *d;
    double *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 8);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    fill<<<1, 1>>>(0, a);
    fill<double><<<1, 1>>>(0, b);
    LAUNCH(deep::hidden, c);
    LAUNCH(c_name, d);
}

// A call that might throw, for all that C++ knows, still allocates, or checks, as any other.
struct Guard {
    ~Guard();
};
// CHECK-LABEL: "name": "cleans_up_directly()", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"writes": ["a"]
// CHECK: {"id": 1, {{.*}}"writes": ["b"]
void cleans_up_directly() {
    Guard guard;
    float *a, *b;
    cudaMalloc((void **)&a, 4);
    cudaMalloc((void **)&b, 4);
    c_name<<<1, 1>>>(a);
    cudaGetLastError();
    c_name<<<1, 1>>>(b);
}

// CHECK-DAG: "name": "in_lambda()::{{.*}}::operator()() const", "lanes": 2,
void in_lambda() {
    auto work = [] {
        float *a, *b;
        cudaMalloc(&a, 4);
        cudaMalloc(&b, 4);
        c_name<<<1, 1>>>(a);
        c_name<<<1, 1>>>(b);
    };
    work();
}

// Members of an object that others may see are told apart at run time.
// CHECK-DAG: "name": "Solver::run()", "lanes": 2,
void solve(Solver &s) {
    s.run();
}
