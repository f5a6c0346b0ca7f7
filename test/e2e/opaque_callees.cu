// Functions that call themselves stand between launches that overlap across them: what they see, and what they do where
// they come back into the program, is as in the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 1 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 8 %t/serial %t/kesco || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <streambuf>
#include <vector>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void scale(int *a, int f) { a[threadIdx.x] *= f; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static int *allocate() {
    int *p;
    return cudaMalloc(&p, N * sizeof(int)) == cudaSuccess ? p : NULL;
}

static int first(const int *p) {
    int v = 0;
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}

static void halve(std::vector<int> &v, size_t from, size_t to) {
    if (to - from < 2)
        return;
    halve(v, from, (from + to) / 2);
    halve(v, (from + to) / 2, to);
    v.push_back(v[from] + v[to - 1]);
}

// CHECK: "name": "told({{.*}})", "lanes": 2,
// CHECK: "barriers": []
// CHECK: "name": "computed()", "lanes": 2,
// CHECK: "barriers": []
// CHECK: "name": "managed()", "lanes": 2,
// CHECK: "why": "call to 'cudaDeviceSynchronize'
// CHECK-NEXT: "why": "call to 'cudaDeviceSynchronize'
// CHECK-NEXT: "why": "call to 'cudaDeviceSynchronize'
// CHECK-NEXT: "why": "call to 'cudaDeviceSynchronize'
static void computed() {
    int *a = allocate(), *b = allocate();
    std::vector<int> v = {1, 2, 3, 4, 5, 6, 7};
    set<<<1, N>>>(a, 3);
    halve(v, 0, v.size());
    set<<<1, N>>>(b, v.back());
    halve(v, 0, v.size());
    scale<<<1, N>>>(b, (int)v.size());
    scale<<<1, N>>>(a, v[7]);
    add<<<1, N>>>(a, a, b);
    printf("computed %d\n", first(a));
}

// Puts what is written into device memory.
struct Device : std::streambuf {
    cudaStream_t stream = NULL;
    int *memory = NULL, count = 0;
    int sync() override {
        scale<<<1, N, 0, stream>>>(memory, ++count + 1);
        return 0;
    }
    int overflow(int c) override { return c; }
};

static void tell(std::ostream &out, int n) {
    if (n)
        tell(out, n - 1);
    else
        (out << "told").flush();
}

void told(std::ostream &out, int *a, cudaStream_t stream) {
    int *b = allocate();
    set<<<1, N, 0, stream>>>(a, 5);
    set<<<1, N, 0, stream>>>(b, 7);
    tell(out, 3);
    add<<<1, N, 0, stream>>>(a, a, b);
    tell(out, 2);
    scale<<<1, N, 0, stream>>>(b, 3);
    scale<<<1, N, 0, stream>>>(a, 2);
    tell(out, 1);
    cudaStreamSynchronize(stream);
    printf("told %d %d\n", first(a), first(b));
}

// Too large to be inlined to where it reads.
template <int D> static long sum(const int *p, int i) { return sum<D - 1>(p, 2 * i) + sum<D - 1>(p, 2 * i + 1); }
template <> long sum<0>(const int *p, int i) { return p[i % N]; }

// What the host reads behind a wait is there, though it reads where nobody sees.
static void managed() {
    int *a, *b;
    cudaMallocManaged(&a, N * sizeof *a);
    cudaMallocManaged(&b, N * sizeof *b);
    for (int i = 1; i < 4; i++) {
        set<<<1, N>>>(a, i);
        set<<<1, N>>>(b, 2 * i);
        cudaDeviceSynchronize();
        long total = sum<13>(a, 0);
        set<<<1, N>>>(b, (int)total);
        add<<<1, N>>>(a, a, b);
        cudaDeviceSynchronize();
        printf("managed %ld\n", sum<13>(a, 0));
    }
}

int main() {
    computed();
    Device buffer;
    buffer.memory = allocate();
    std::ostream out(&buffer);
    told(out, buffer.memory, buffer.stream);
    cudaStreamCreateWithFlags(&buffer.stream, cudaStreamNonBlocking);
    told(out, buffer.memory, buffer.stream);
    managed();
    return cudaDeviceSynchronize() != cudaSuccess;
}
