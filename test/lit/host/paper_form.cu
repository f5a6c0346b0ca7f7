// The paper's own form: trailing parameters `int outputs = 1, int priority = 1`, read at each launch.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: %kesco-host -c %s -o /dev/null -Rpass-missed=kesco 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: kernel 'copy' keeps its order to all others: what the kernel writes is unknown: the argument for 'outputs' is no constant; give it a number; so does 1 more here [
// REMARK: kernel 'copy' keeps its order to all others: what the kernel writes is unknown: 'outputs' is 3, but the kernel has fewer pointer parameters

__global__ void axpby(float *Y, int n, float alpha, float *X, float beta, int outputs = 1, int priority = 1) {
    Y[n] = alpha * X[n] + beta * Y[n];
}
__global__ void copy(float *y, const float *x, int outputs = 1);
// Used in the kernel, a parameter of that name is the kernel's own and says nothing.
__global__ void dense(float *y, const float *x, int outputs = 1) { y[outputs] = x[0]; }
__global__ void dense_again(float *y, const float *x, int outputs = 1) { y[outputs] = x[0]; }
__global__ void dense_again(float *y, const float *x, int outputs);
__global__ void required(float *y, int outputs);
__global__ void another_type(float *y, unsigned outputs = 1);

// CHECK: "name": "axpby", {{.*}}"reads": ["b"], "writes": ["a"], "priority": 1
// CHECK: "name": "axpby", {{.*}}"reads": [], "writes": ["a", "b"], "priority": 5
// CHECK: "name": "copy", {{.*}}"reads": ["b"], "writes": ["a"], "priority": 1
// CHECK: "name": "copy", {{.*}}"writes": ["*"]
// CHECK: "name": "copy", {{.*}}"writes": ["*"]
// CHECK: "name": "copy", {{.*}}"writes": ["*"]
// CHECK: "name": "dense", {{.*}}"writes": ["*"]
// CHECK: "name": "dense_again", {{.*}}"writes": ["*"]
// CHECK: "name": "required", {{.*}}"writes": ["*"]
// CHECK: "name": "another_type", {{.*}}"writes": ["*"]
void launches(int runtime) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    axpby<<<1, 1>>>(a, 0, 1.0f, b, 2.0f);
    axpby<<<1, 1>>>(a, 0, 1.0f, b, 2.0f, 2, 5);
    copy<<<1, 1>>>(a, b);
    copy<<<1, 1>>>(a, b, runtime);
    copy<<<1, 1>>>(a, b, 3);
    copy<<<1, 1>>>(a, b, -1);
    dense<<<1, 1>>>(a, b);
    dense_again<<<1, 1>>>(a, b);
    required<<<1, 1>>>(a, 1);
    another_type<<<1, 1>>>(a);
}
