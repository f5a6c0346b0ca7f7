// In the passes of an unrolled loop, its variable is the value that it has there, or so much more than the one that nobody
// knows; in allocations, launches and what helpers are given alike.
// RUN: for o in 0 2; do %kesco-host -O$o -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json \
// RUN:   && FileCheck %s --input-file=%t.json && not grep kesco.passes %t.ll || exit 1; done

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { out[threadIdx.x] = 1; }
static void at(float **p, int i) { make<<<1, 64>>>(p[i]); }
static void allocate(float **p) { cudaMalloc((void **)p, 256); }
static float *allocated() {
    float *p;
    cudaMalloc(&p, 256);
    return p;
}
static void both(float **p) {
    for (int i = 0; i < 2; i++)
        make<<<1, 64>>>(p[i]);
}

// CHECK-LABEL: "name": "constant(float* (*) [4])"
// CHECK: "writes": ["t[1][5]"]
// CHECK: "writes": ["t[1][3]"]
// CHECK: "writes": ["t[2][5]"]
// CHECK: "writes": ["t[2][3]"]
void constant(float *(*t)[4]) {
    for (int i = 0; i < 2; i++)
        for (int j = 6; j > 2; j -= 2)
            make<<<1, 64>>>(t[i + 1][j - 1]);
}

// CHECK-LABEL: "name": "allocations()"
// CHECK: "writes": ["a[0]"]
// CHECK: "writes": ["b[0]"]
// CHECK: "writes": ["c[0]"]
// CHECK: "writes": ["a[1]"]
// CHECK: "writes": ["b[1]"]
// CHECK: "writes": ["c[1]"]
void allocations() {
    float *a[2], *b[2], *c[2];
    for (int i = 0; i < 2; i++) {
        cudaMalloc(&a[i], 256);
        allocate(&b[i]);
        c[i] = allocated();
    }
    for (int i = 0; i < 2; i++) {
        make<<<1, 64>>>(a[i]);
        make<<<1, 64>>>(b[i]);
        make<<<1, 64>>>(c[i]);
    }
}

// CHECK-LABEL: "name": "helpers(float**, float**)"
// CHECK: "writes": ["x[1]"]
// CHECK: "writes": ["x[2]"]
// CHECK: "writes": ["x[0]"]
// CHECK: "writes": ["y[0]"]
// CHECK: "writes": ["y[1]"]
void helpers(float **x, float **y) {
    for (int k = 0; k < 2; k++)
        at(x, k + 1);
    at(x, 0);
    both(y);
}

// CHECK-LABEL: "name": "some_at_once(float**, int)"
// CHECK: "writes": ["t[k]"]
// CHECK: "writes": ["t[k + 1]"]
// CHECK: "writes": ["t[k + 3]"]
void some_at_once(float **t, int n) {
    for (int k = 0; k < n; k++)
        make<<<1, 64>>>(t[k]);
}

// CHECK-LABEL: "name": "from_anywhere(float**, int)"
// CHECK: "writes": ["t[2 * i]"]
// CHECK: "writes": ["t[2 * (i - 1)]"]
void from_anywhere(float **t, int first) {
    for (int i = first; i > first - 2; i--)
        make<<<1, 64>>>(t[2 * i]);
}

// What else changes in a pass than the loop's step, or has the same name, is not its variable.
// CHECK-LABEL: "name": "others(float**, Task*)"
// CHECK: "writes": ["t[i]"]
// CHECK: "writes": ["t[i]#2"]
// CHECK: "writes": ["tasks[0].i"]
// CHECK: "writes": ["tasks[1].i"]
struct Task { float *i; };
void others(float **t, Task *tasks) {
    for (int i = 0; i < 4; i++) {
        make<<<1, 64>>>(t[i]);
        i++;
    }
    for (int i = 0; i < 2; i++)
        make<<<1, 64>>>(tasks[i].i);
}

// Instances of a template have one place.
// CHECK-LABEL: "name": "void from<1>(float**)"
// CHECK: "writes": ["t[i + 1]"]
template <int N> void from(float **t) {
    for (int i = N; i < 4; i++)
        make<<<1, 64>>>(t[i]);
}
template void from<1>(float **);
template void from<2>(float **);
