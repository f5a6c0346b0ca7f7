// Objects are called what the source calls them, where the function that is reported stands: through macros, helpers, members
// and results. Where two are alike, they say where they are allocated, or else used first; those of one place are numbered.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %kesco-host -O0 -S -emit-llvm %s -o /dev/null -fplugin-arg-kesco-report=r.json
// RUN: FileCheck %s --input-file=r.json
// RUN: not grep -E '"object(#[0-9]+)?"[],}]' r.json

#include <cstdio>
#include <cstdlib>

#define CHECK(CALL)                                                                                                    \
    do {                                                                                                               \
        cudaError_t Error = (CALL);                                                                                    \
        if (Error != cudaSuccess) {                                                                                    \
            printf("%s\n", cudaGetErrorString(Error));                                                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define ALLOCATE_BOTH(A, B)                                                                                            \
    do {                                                                                                               \
        CHECK(cudaMalloc(&A, 256));                                                                                    \
        CHECK(cudaMalloc(&B, 256));                                                                                    \
    } while (0)
#define MAKE_BOTH(A, B)                                                                                                \
    do {                                                                                                               \
        make<<<1, 64>>>(A);                                                                                            \
        make<<<1, 64>>>(B);                                                                                            \
    } while (0)

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { out[threadIdx.x] = 1; }
static void helper(float *p) { make<<<1, 64>>>(p); }
template <class T> static T *allocate() {
    T *p;
    CHECK(cudaMalloc(&p, 256));
    return p;
}
static void allocate_at(float **p) { CHECK(cudaMalloc((void **)p, 256)); }
struct Buffer {
    float *data_;
    Buffer() { CHECK(cudaMalloc(&data_, 256)); }
    void run() { make<<<1, 64>>>(data_); }
};
struct Pair {
    Buffer first, second;
    Pair() : first(), second() {}
};

// CHECK-LABEL: "name": "copies(float*, float*)"
// CHECK: "name": "memcpy HtoD", {{.*}}"reads": ["x"], "writes": ["left"]
// CHECK: "name": "memcpy HtoD", {{.*}}"reads": ["y"], "writes": ["right"]
void copies(float *x, float *y) {
    float *left, *right;
    ALLOCATE_BOTH(left, right);
    CHECK(cudaMemcpyAsync(left, x, 256, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(right, y, 256, cudaMemcpyHostToDevice));
    MAKE_BOTH(left, right);
}

// CHECK-LABEL: "name": "arguments(float*, float*)"
// CHECK: "writes": ["left"]
// CHECK: "writes": ["right"]
// CHECK: "writes": ["left"]
// CHECK: "writes": ["right"]
void arguments(float *left, float *right) {
    MAKE_BOTH(left, right);
    helper(left);
    helper(right);
}

// CHECK-LABEL: "name": "results()"
// CHECK: "writes": ["left"]
// CHECK: "writes": ["right"]
void results() {
    float *left = allocate<float>(), *right;
    allocate_at(&right);
    helper(left);
    helper(right);
}

// CHECK-LABEL: "name": "members()"
// CHECK: "writes": ["buffer.data_"]
// CHECK: "writes": ["both.first.data_"]
// CHECK: "writes": ["both.second.data_"]
void members() {
    Buffer buffer;
    Pair both;
    buffer.run();
    helper(both.first.data_);
    both.second.run();
}

// CHECK-LABEL: "name": "alike()"
// CHECK: "writes": ["p (names.cu:[[# @LINE+4]])"]
// CHECK: "writes": ["p (names.cu:[[# @LINE+7]])"]
void alike() {
    float *p;
    cudaMalloc(&p, 256);
    make<<<1, 64>>>(p);
    {
        float *p;
        cudaMalloc(&p, 256);
        make<<<1, 64>>>(p);
    }
}

// CHECK-LABEL: "name": "alike_in_members(
// CHECK: "writes": ["p (names.cu:[[# @LINE+7]])"]
// CHECK: "writes": ["p (names.cu:[[# @LINE+10]])"]
// CHECK: "writes": ["only"]
struct Two { float *a, *b; };
void alike_in_members(Two *t, float *only) {
    {
        float *p = t->a;
        make<<<1, 64>>>(p);
    }
    {
        float *p = t->b;
        make<<<1, 64>>>(p);
    }
    make<<<1, 64>>>(only);
}

// CHECK-LABEL: "name": "numbered(float**)"
// CHECK: "writes": ["p"]
// CHECK: "writes": ["p#2"]
void numbered(float **t) {
    for (float **each = t; each < t + 2; each++) {
        float *p = *each;
        make<<<1, 64>>>(p);
    }
}

struct Optional {
    float *p;
    float *&operator*() { return p; }
};
__device__ int table[64];
static void fill_table(const int *from) { cudaMemcpyToSymbolAsync(table, from, 256); }

// Operators, and the templates around CUDA's functions, are as the source has them.
// CHECK-LABEL: "name": "operators(Optional, float*)"
// CHECK: "writes": ["*x"]
void operators(Optional x, float *y) {
    make<<<1, 64>>>(*x);
    make<<<1, 64>>>(y);
}
// CHECK-LABEL: "name": "templates(int const*, int const*)"
// CHECK: "reads": ["mine"], "writes": ["table"]
// CHECK: "reads": ["yours"], "writes": ["table"]
void templates(const int *mine, const int *yours) {
    float *p;
    cudaMalloc(&p, 256);
    cudaMemcpyToSymbolAsync(table, mine, 256);
    fill_table(yours);
    make<<<1, 64>>>(p);
}

class Hidden {
    Buffer held_;
    float *spare_;

  public:
    float *data() { return held_.data_; }
    float *self() { return self(); }
    float *spare(int n) { return n > 0 ? spare_ : nullptr; }
    operator float *() { return data(); }
    void run() { make<<<1, 64>>>(data()); }
};

// A function that only returns a member is called as that, in the class and outside of it, wherever the name comes from.
// CHECK-LABEL: "name": "getters(Hidden&, Hidden*)"
// CHECK: "writes": ["x.held_.data_"]
// CHECK: "writes": ["y->held_.data_"]
// CHECK: "writes": ["x.held_.data_"]
// CHECK: "writes": ["y->held_.data_"]
// CHECK: "writes": ["x.self()"]
// CHECK: "writes": ["y->spare(1)"]
void getters(Hidden &x, Hidden *y) {
    make<<<1, 64>>>(x.data());
    make<<<1, 64>>>(y->data() + 64);
    make<<<1, 64>>>(x);
    y->run();
    make<<<1, 64>>>(x.self());
    make<<<1, 64>>>(y->spare(1));
}
