// Pointers in structs that are passed by value, in memory or in pieces, are told apart like plain ones.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.0.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-report=%t.0.json
// RUN: %kesco-host -std=c++17 -O2 -S -emit-llvm %s -o %t.2.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fplugin-arg-kesco-report=%t.2.json
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=IR

struct Pair {
    float *left, *right;
};
struct Base {
    float *based;
};
struct Large : Base {
    int n;
    Pair pairs[2];
    struct {
        float *anonymous;
    };
    char room[64];
};
struct Copied {
    float *in, *out;
    int n;
    Copied(float *in, float *out) : in(in), out(out), n(0) {}
    Copied(const Copied &other) : in(other.in), out(other.out), n(0) {}
};

// SUMMARY: K _Z5small4Pair
// SUMMARY: P 0 0 r
// SUMMARY: P 0 8 w
__global__ void small(Pair p) { *p.right = *p.left; }
// SUMMARY: K _Z5large5Large
// SUMMARY: P 0 0 r
// SUMMARY: P 0 40 w
// SUMMARY: P 0 48 r
__global__ void large(Large l) { *l.pairs[1].right = *l.based + *l.anonymous; }
// SUMMARY: K _Z6copied6Copied
// SUMMARY: P 0 0 r
// SUMMARY: P 0 8 w
__global__ void copied(Copied c) { *c.out = *c.in; }
// SUMMARY: K _Z4eachIZ7lambdasvEUliE_EvT_i
// SUMMARY: P 0 0 w
// SUMMARY: K _Z4eachIZ7lambdasvEUliE0_EvT_i
// SUMMARY: P 0 0 w
// SUMMARY: P 0 16 r
// SUMMARY: K _Z4eachI7FunctorEvT_i
// SUMMARY: P 0 0 w
template <class F> __global__ void each(F f, int n) { f(n); }
struct Functor {
    float *to;
    long a, b, c;
    __device__ void operator()(int i) const { to[i] = 0; }
};

// Built once, passed to several launches.
// CHECK-LABEL: "name": "pieces()", "lanes": 2,
// CHECK: "reads": ["a"], "writes": ["b"]
// CHECK: "reads": ["a"], "writes": ["c"]
// CHECK: "reads": ["c"], "writes": ["b"]
// CHECK: "guards": [],
void pieces() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    Pair p = {a, b};
    small<<<1, 1>>>(p);
    p.right = c;
    small<<<1, 1>>>(p);
    small<<<1, 1>>>(Pair{p.right, b});
}

// CHECK-LABEL: "name": "in_memory()", "lanes": 2,
// CHECK: "reads": ["a", "c"], "writes": ["b"]
// CHECK: "reads": ["a", "b"], "writes": ["c"]
// CHECK: "reads": ["a"], "writes": ["d"]
// CHECK: "guards": [],
void in_memory() {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    Large l = {};
    l.based = a;
    l.pairs[1].right = b;
    l.anonymous = c;
    large<<<1, 1>>>(l);
    Large m = l;
    m.pairs[1].right = c;
    m.anonymous = b;
    large<<<1, 1>>>(m);
    l.pairs[1].right = d;
    l.anonymous = a;
    large<<<1, 1>>>(l);
}

// A struct with a copy constructor of its own is passed by its address.
// CHECK-LABEL: "name": "by_address()", "lanes": 2,
// CHECK: "reads": ["a"], "writes": ["b"]
// CHECK: "reads": ["a"], "writes": ["c"]
// CHECK: "guards": [],
void by_address() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    copied<<<1, 1>>>(Copied(a, b));
    copied<<<1, 1>>>(Copied(a, c));
}

// CHECK-LABEL: "name": "lambdas()", "lanes": 3,
// CHECK: "reads": [], "writes": ["a"]
// CHECK: "reads": ["a"], "writes": ["b"]
// CHECK: "reads": [], "writes": ["c"]
// CHECK: "reads": [], "writes": ["d"]
// CHECK: "guards": [],
void lambdas() {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    each<<<1, 1>>>([=] __device__(int i) { a[i] = 0; }, 4);
    int n = 3;
    each<<<1, 1>>>([=] __device__(int i) { b[i] = n + *a; }, 4);
    each<<<1, 1>>>(Functor{c}, 4);
    Functor f = {d};
    each<<<1, 1>>>(f, 4);
}

// Through helpers, by value and by reference.
static void help(Large l, Pair p) {
    large<<<1, 1>>>(l);
    small<<<1, 1>>>(p);
}
static void fill(Pair &p, float *to) { p.right = to; }
// CHECK-LABEL: "name": "helped()", "lanes": 2,
// CHECK: "reads": ["a"], "writes": ["b"]
// CHECK: "reads": ["a"], "writes": ["c"]
// CHECK: "guards": [],
void helped() {
    float *a, *b, *c;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    Large l = {};
    l.based = l.anonymous = a;
    l.pairs[1].right = b;
    Pair p = {a, nullptr};
    fill(p, c);
    help(l, p);
}

// What is in a caller's struct is told apart at run time: the guard gets the member.
// CHECK-LABEL: "name": "given(Large const&, Pair)", "lanes": 2,
// CHECK: "reads": ["l.based", "l.anonymous"], "writes": ["l.pairs[1].right"]
// CHECK: "reads": ["p.left"], "writes": ["p.right"]
// CHECK: {"a": "l.based", "b": "l.pairs[1].right"},
// IR-LABEL: define {{.*}}@_Z5givenRK5Large4Pair(
// IR: [[RIGHT:%.*]] = getelementptr i8, ptr [[COPY:%.*]], i64 40
// IR-NEXT: [[LOADED:%.*]] = load ptr, ptr [[RIGHT]]
// IR-NEXT: call void @__kesco1_guard(i32 {{.*}}, i32 {{.*}}, ptr [[LOADED]])
// IR: call void @_Z20__device_stub__large5Large(ptr noundef byval(%struct.Large) align 8 [[COPY]])
// IR: call void @__kesco1_guard(i32 {{.*}}, i32 {{.*}}, ptr [[LEFT:%.*]])
// IR-NEXT: call void @__kesco1_guard(i32 {{.*}}, i32 {{.*}}, ptr [[RIGHT:%.*]])
// IR-NEXT: call void @_Z20__device_stub__small4Pair(ptr [[LEFT]], ptr [[RIGHT]])
void given(const Large &l, Pair p) {
    large<<<1, 1>>>(l);
    small<<<1, 1>>>(p);
}

// Where no allocation gives a name, the launch does: the struct's and the member's, or that of what a lambda captures.
// SUMMARY: K _Z4eachIZ5namedPfS0_4PairS0_EUliE_EvT_i
// SUMMARY: P 0 0 w
// CHECK-LABEL: "name": "named(float*, float*, Pair, float*)",
// CHECK: "reads": ["p.left"], "writes": ["p.right"]
// CHECK: "reads": ["left"], "writes": ["right"]
// CHECK: "reads": [], "writes": ["z"]
void named(float *x, float *y, Pair p, float *z) {
    small<<<1, 1>>>(p);
    small<<<1, 1>>>(Pair{x + 1, y});
    auto f = [=] __device__(int i) { z[i] = 0; };
    each<<<1, 1>>>(f, 4);
}

// A pointer that the host holds as a number, or half of one, is not followed.
struct Number {
    unsigned long address;
    int n;
};
// SUMMARY: K _Z6number6Number
// SUMMARY: P 0 0 w
__global__ void number(Number x) { *(int *)x.address = x.n; }
// CHECK-LABEL: "name": "numbers(Number)", "lanes": 1,
// CHECK: "reads": [], "writes": ["*"]
void numbers(Number x) {
    number<<<1, 1>>>(x);
    number<<<1, 1>>>(x);
}
