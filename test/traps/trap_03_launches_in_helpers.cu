// Launches in helpers, templates, lambdas and member functions run beside those of the function that calls these.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

static void fill_vector(int *out, int value) {
    fill<<<1, N>>>(out, value);
    CHECK(cudaGetLastError());
}

static void fill_and_scale(int *out, int value, int factor) {
    fill_vector(out, value);
    scale<<<1, N>>>(out, factor);
}

// CHECK-LABEL: "name": "helpers()", "lanes": 3,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 5, "on": 3},
// CHECK-NEXT: {"op": 6, "on": 4}],
// CHECK: "barriers": []
void helpers(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill_and_scale(a, 1, 2);
    fill_and_scale(b, 3, 4);
    fill_vector(c, 5);
    add<<<1, N>>>(a, a, b);
    add<<<1, N>>>(a, a, c);
    show("helpers", a);
}

template <class T> KESCO_OUTPUTS(1) __global__ void fill_any(T *out, T value) {
    out[threadIdx.x] = value + (T)threadIdx.x;
}

template <int Factor> KESCO_OUTPUTS(1) __global__ void add_times(int *out, const int *in) {
    out[threadIdx.x] += Factor * in[threadIdx.x];
}

template <class T> static void launch_fill(T *out, T value) {
    fill_any<T><<<1, N>>>(out, value);
}

template <int Factor> static void launch_add_times(int *out, const int *in) {
    add_times<Factor><<<1, N>>>(out, in);
}

// CHECK-LABEL: "name": "templates()", "lanes": 3,
// CHECK: "barriers": []
void templates(void) {
    int *a = allocate(), *b = allocate();
    unsigned *c = (unsigned *)allocate();
    launch_fill(a, 1);
    launch_fill(b, 2);
    launch_fill<unsigned>(c, 3);
    launch_add_times<5>(a, b);
    launch_add_times<6>(a, (int *)c);
    show("templates", a);
}

// CHECK-LABEL: "name": "lambdas()", "lanes": 3,
// CHECK: "barriers": []
void lambdas(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), base = 7;
    auto by_reference = [&](int *out) { fill<<<1, N>>>(out, base++); };
    auto by_value = [a, b, c](int factor) {
        scale<<<1, N>>>(a, factor);
        scale<<<1, N>>>(b, factor);
        scale<<<1, N>>>(c, factor);
    };
    by_reference(a);
    by_reference(b);
    by_reference(c);
    by_value(3);
    add<<<1, N>>>(a, a, b);
    add<<<1, N>>>(a, a, c);
    show("lambdas", a);
}

class Solver {
  public:
    Solver() : left(allocate()), right(allocate()), result(allocate()) {
    }

    void start(int value) {
        fill<<<1, N>>>(left, value);
        fill<<<1, N>>>(right, value + 1);
    }

    void step() {
        scale<<<1, N>>>(left, 2);
        scale<<<1, N>>>(right, 3);
    }

    void finish() const {
        add<<<1, N>>>(result, left, right);
    }

    const int *get() const {
        return result;
    }

  private:
    int *left, *right, *result;
};

// CHECK-LABEL: "name": "members()", "lanes": 2,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 6, "on": 5}],
// CHECK: "barriers": []
void members(void) {
    Solver solver;
    solver.start(4);
    solver.step();
    solver.step();
    solver.finish();
    show("members", solver.get());
}

// A helper of no single body is a barrier, and what it launches comes in the program's order.
__attribute__((weak)) void replaceable(int *out) {
    scale<<<1, N>>>(out, 5);
}

// CHECK-LABEL: "name": "one_that_stays()", "lanes": 2,
// CHECK: "why": "call to function 'replaceable(int*)', which another definition may replace"
void one_that_stays(void) {
    int *a = allocate(), *b = allocate();
    fill_vector(a, 1);
    fill_vector(b, 2);
    replaceable(a);
    fill_vector(b, 3);
    add<<<1, N>>>(a, a, b);
    show("one that stays", a);
}

/* Twice the vector, in one of two ways. */
static void twice(int *out, int *spare, int value, cudaStream_t stream) {
    if (__builtin_constant_p(value)) {
        fill<<<1, N, 0, stream>>>(out, value);
    } else {
        fill<<<1, N, 0, stream>>>(spare, value);
        add<<<1, N, 0, stream>>>(out, spare, spare);
        add<<<1, N, 0, stream>>>(spare, out, out);
        scale<<<1, N, 0, stream>>>(out, 0);
        fill<<<1, N, 0, stream>>>(out, value);
    }
    scale<<<1, N, 0, stream>>>(out, 2);
}

// Which way a question to the optimiser leads is not known: -O0 takes another than -O2.
// CHECK-LABEL: "name": "optimised_or_not()", "lanes": 4,
// CHECK-COUNT-11: "kind": "kernel"
// CHECK: "barriers": []
void optimised_or_not(void) {
    int *a = allocate(), *b = allocate(), *spare = allocate();
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, N, 0, stream>>>(b, 1);
    fill<<<1, N, 0, stream>>>(spare, 1);
    twice(a, spare, 3, stream);
    fill<<<1, N, 0, stream>>>(spare, 5);
    add<<<1, N, 0, stream>>>(b, b, spare);
    CHECK(cudaStreamSynchronize(stream));
    show("optimised or not", a);
    show("optimised or not", b);
    CHECK(cudaStreamDestroy(stream));
}

int main(void) {
    APART(helpers);
    APART(templates);
    APART(lambdas);
    APART(members);
    APART(one_that_stays);
    APART(optimised_or_not);
    return 0;
}
