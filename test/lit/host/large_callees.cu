// Callees that are too large to be inlined, or call themselves, are seen through all the same where they only compute;
// small helpers beside them are inlined still.
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
// CHECK: {"id": 2, {{.*}}"region": 0}
// CHECK: {"id": 3, {{.*}}"region": 0}
// CHECK: "barriers": []
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
