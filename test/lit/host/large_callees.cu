// Callees that are too large to be seen through, or call themselves, cost only what stands across them: small helpers
// beside them are still seen through.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

__attribute__((kesco_outputs(1))) __global__ void known(float *out) { *out = 1; }

template <int N> int large(int x) {
    return large<N - 1>(x + 1) * large<N - 1>(x - 1);
}
template <> int large<0>(int x) {
    return x;
}
static int recursive(int x) {
    return x ? recursive(x - 1) + 1 : 0;
}
static float *allocate() {
    float *p;
    cudaMalloc(&p, 4);
    return p;
}

// CHECK-LABEL: "name": "mixed(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"region": 1}
// CHECK: {"id": 3, {{.*}}"region": 2}
// CHECK: "barriers": [
// CHECK-NEXT: {"line": [[#@LINE+7]], "why": "call to function 'int large<{{[0-9]+}}>(int)', which calls itself or is too large to inline"},
// CHECK: {"line": [[#@LINE+8]], "why": "c{{.*}}"}
int mixed(int n) {
    int sum = large<13>(n);
    float *a = allocate(), *b = allocate();
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
    sum += large<13>(n);
    known<<<1, 1>>>(a);
    sum += recursive(n);
    known<<<1, 1>>>(b);
    return sum;
}

#define TEN(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
// A function that has grown large still has launches: what they are made of is seen through.
// CHECK-LABEL: "name": "grown(int)", "lanes": 2,
// CHECK: "barriers": []
void grown(int n) {
    float *a = allocate(), *b = allocate();
    TEN(TEN(TEN(TEN(n = n * 3 + 1;))))
    known<<<1, 1>>>(a);
    known<<<1, 1>>>(b);
}
