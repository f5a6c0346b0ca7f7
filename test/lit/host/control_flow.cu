// Launches in branches and loops are scheduled together.
// RUN: for o in 0 1 2 3; do %kesco-host -O$o -S -emit-llvm %s -o %t.$o.ll -fplugin-arg-kesco-report=%t.$o.json \
// RUN:   && opt -passes=verify -disable-output %t.$o.ll && cmp %t.0.json %t.$o.json || exit 1; done
// RUN: FileCheck %s --input-file=%t.0.json

__attribute__((kesco_outputs(1))) __global__ void known(float *out, const float *in) { *out = *in; }

// CHECK-LABEL: "name": "loop(int)", "lanes": 2,
// CHECK: {"id": 0, {{.*}}"lane": 0, {{.*}}"writes": ["a"], {{.*}}"region": 0}
// CHECK: {"id": 1, {{.*}}"lane": 1, {{.*}}"writes": ["b"], {{.*}}"region": 0}
// CHECK: {"id": 2, {{.*}}"lane": 0, {{.*}}"reads": ["b"], {{.*}}"region": 0}
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK: "barriers": []
void loop(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    for (int i = 0; i < n; ++i) {
        known<<<1, 1>>>(a, nullptr);
        known<<<1, 1>>>(b, nullptr);
    }
    known<<<1, 1>>>(a, b);
}

// A branch that only looks constant to the copy: the original's blocks stay apart.
// CHECK-LABEL: "name": "folded(int)", "lanes": 2,
// CHECK: "waits": [],
void folded(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    const bool yes = true;
    if (yes)
        known<<<1, 1>>>(a, nullptr);
    else
        n = 3;
    if (sizeof(int) == 4 && yes)
        known<<<1, 1>>>(b, nullptr);
    if (n == 5)
        return;
    switch (n) {
    case 1:
        known<<<1, 1>>>(a, nullptr);
        break;
    default:
        known<<<1, 1>>>(b, nullptr);
        known<<<1, 1>>>(a, nullptr);
    }
}

// CHECK-LABEL: "name": "jumps(int)", "lanes": 2,
// CHECK: "waits": [],
void jumps(int n) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
again:
    known<<<1, 1>>>(a, nullptr);
    known<<<1, 1>>>(b, nullptr);
    if (--n)
        goto again;
    if (n ? true : (known<<<1, 1>>>(a, nullptr), false))
        known<<<n ? 1 : 2, 1>>>(n ? a : b, nullptr);
    known<<<1, 1>>>(b, nullptr);
}
