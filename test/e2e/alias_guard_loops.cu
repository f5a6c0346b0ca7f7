// Pointers from arrays and vectors, in loops, on the default stream and on the program's own: concurrent as long as they
// lead to different memory, serial and right from the pass on in which they do not.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json --check-prefix=PLAN && sh %compare 30 %t/serial %t/kesco && \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 >/dev/null | grep -v 'a region gets' | uniq | FileCheck %s || exit 1; \
// RUN: done

#include <kesco.h>

#include <cstdio>
#include <vector>

#define N 64

KESCO_OUTPUTS(1) __global__ void fill(int *out, int value) {
    out[threadIdx.x] = value + threadIdx.x;
}
KESCO_OUTPUTS(1) __global__ void subtract(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] - 3 * b[threadIdx.x];
}

static void show(int *const *vectors, int count, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    for (int i = 0; i < count; ++i) {
        int host[N], sum = 0;
        cudaMemcpy(host, vectors[i], sizeof host, cudaMemcpyDeviceToHost);
        for (int j = 0; j < N; ++j)
            sum = sum * 31 + host[j];
        printf("%d ", sum);
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

// PLAN-LABEL: "name": "on_stream(int*, int*, int*, CUstream_st*)", "lanes": 2,
// PLAN: "waits": [
// PLAN-NEXT: {"op": 2, "on": 1}],
// PLAN: "guards": [
// PLAN-NEXT: {"a": "a", "b": "b"},
// PLAN-NEXT: {"a": "a", "b": "c"},
// PLAN-NEXT: {"a": "b", "b": "c"}],
void on_stream(int *a, int *b, int *c, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, 5);
    fill<<<1, N, 0, stream>>>(b, 7);
    subtract<<<1, N, 0, stream>>>(c, a, b);
}

// PLAN-LABEL: "name": "from_arrays(int* const*, int* const*, int, CUstream_st*)", "lanes": 8,
// PLAN: "waits": [],
// PLAN: "guards": [
// PLAN-NEXT: {"a": "in[i]", "b": "out[i]"},
void from_arrays(int *const *out, int *const *in, int count, cudaStream_t stream) {
    for (int i = 0; i < count; ++i) {
        fill<<<1, N, 0, stream>>>(in[i], 5 * i);
        fill<<<1, N, 0, stream>>>(out[i], 7 * i);
    }
}

// PLAN-LABEL: "name": "from_vectors(std::vector<{{.*}}"lanes": 8,
// PLAN: "waits": [
// PLAN: "guards": [
// PLAN-NEXT: {"a": "out[i]", "b": "in[i]"},
void from_vectors(std::vector<int *> &out, const std::vector<int *> &in, cudaStream_t stream) {
    for (size_t i = 0; i < in.size(); ++i) {
        fill<<<1, N, 0, stream>>>(out[i], static_cast<int>(i));
        fill<<<1, N, 0, stream>>>(in[i], 3);
        subtract<<<1, N, 0, stream>>>(out[i], out[i], in[i]);
    }
}

// Elements of one array, by numbers that the compiler does not know.
// PLAN-LABEL: "name": "by_number(int* const*, int const*, int, CUstream_st*)", "lanes": 2,
// PLAN: "guards": [
void by_number(int *const *all, const int *numbers, int count, cudaStream_t stream) {
    for (int i = 0; i + 1 < count; i += 2) {
        int *left = all[numbers[i]], *right = all[numbers[i + 1]];
        fill<<<1, N, 0, stream>>>(left, i);
        fill<<<1, N, 0, stream>>>(right, i + 1);
    }
}

struct Tree {
    Tree *next;
    int *data;
};

// Members of objects that lead on to one another.
// PLAN-LABEL: "name": "along_a_list(Tree const*, int*, CUstream_st*)", "lanes": 2,
// PLAN: "guards": [
void along_a_list(const Tree *list, int *last, cudaStream_t stream) {
    for (const Tree *each = list; each; each = each->next) {
        fill<<<1, N, 0, stream>>>(each->data, 9);
        fill<<<1, N, 0, stream>>>(last, 11);
    }
}

// What is called in this way is not seen through.
static void (*volatile run_on_stream)(int *, int *, int *, cudaStream_t) = on_stream;
static void (*volatile run_arrays)(int *const *, int *const *, int, cudaStream_t) = from_arrays;
static void (*volatile run_vectors)(std::vector<int *> &, const std::vector<int *> &, cudaStream_t) = from_vectors;
static void (*volatile run_by_number)(int *const *, const int *, int, cudaStream_t) = by_number;
static void (*volatile run_list)(const Tree *, int *, cudaStream_t) = along_a_list;

static void say(const char *what) {
    fprintf(stderr, "%s\n", what);
}

static void run(cudaStream_t stream) {
    int *p[6];
    for (int *&each : p)
        cudaMalloc(&each, 2 * N * sizeof *each);

    // CHECK: arguments
    // CHECK-NEXT: region begins
    // CHECK-NEXT: arguments, twice the same
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    // CHECK-NEXT: arguments, one inside of another
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    say("arguments");
    run_on_stream(p[0], p[1], p[2], stream);
    show(p, 3, stream);
    say("arguments, twice the same");
    run_on_stream(p[0], p[0], p[2], stream);
    show(p, 3, stream);
    say("arguments, one inside of another");
    run_on_stream(p[0], p[1], p[0] + N / 2, stream);
    show(p, 3, stream);

    // CHECK-NEXT: arrays
    // CHECK-NEXT: region begins
    // CHECK-NEXT: arrays with one in both, in different passes
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    // CHECK-NEXT: arrays that are the same
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    int *shared[] = {p[3], p[1], p[4]};
    say("arrays");
    run_arrays(p, p + 3, 3, stream);
    show(p, 6, stream);
    say("arrays with one in both, in different passes");
    run_arrays(p, shared, 3, stream);
    show(p, 6, stream);
    say("arrays that are the same");
    run_arrays(p, p, 3, stream);
    show(p, 6, stream);

    // CHECK-NEXT: vectors
    // CHECK-NEXT: region begins
    // CHECK-NEXT: vectors with one in both
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    std::vector<int *> left(p, p + 3), right(p + 3, p + 6);
    say("vectors");
    run_vectors(left, right, stream);
    show(p, 6, stream);
    say("vectors with one in both");
    right[2] = p[0] + N / 4;
    run_vectors(left, right, stream);
    show(p, 6, stream);

    // CHECK-NEXT: numbers
    // CHECK-NEXT: region begins
    // CHECK-NEXT: numbers, one on both sides
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    const int apart[] = {0, 3, 1, 4, 2, 5, 0, 3}, mixed[] = {0, 3, 1, 4, 3, 5, 0, 3};
    say("numbers");
    run_by_number(p, apart, 8, stream);
    show(p, 6, stream);
    say("numbers, one on both sides");
    run_by_number(p, mixed, 8, stream);
    show(p, 6, stream);

    // CHECK-NEXT: list
    // CHECK-NEXT: region begins
    // CHECK-NEXT: list with the last one
    // CHECK-NEXT: region begins
    // CHECK-NEXT: the rest behind it: two pointers may share an allocation
    Tree third = {nullptr, p[2]}, second = {&third, p[1]}, first = {&second, p[0]};
    say("list");
    run_list(&first, p[5], stream);
    show(p, 6, stream);
    say("list with the last one");
    run_list(&first, p[2], stream);
    show(p, 6, stream);
}

// CHECK: arguments
// CHECK-NEXT: region begins
// CHECK-NEXT: arguments, twice the same
// CHECK-COUNT-7: the rest behind it: two pointers may share an allocation
// CHECK-NOT: two pointers
int main() {
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    run(0);
    run(own);
    return 0;
}
