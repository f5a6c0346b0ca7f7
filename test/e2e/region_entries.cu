// Functions that other units may enter, and that touch the device on some of their ways, are called where a region is open, on
// ways that touch nothing: the region stays open, and its lanes are used.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 1 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 10 %t/serial %t/kesco || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 | grep -c 'region begins' | grep -x 3 || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void scale(int *a, int f) { a[threadIdx.x] *= f; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

inline void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

void launched(const char *what, bool wait) {
    CHECK(cudaGetLastError());
    if (wait)
        CHECK(cudaDeviceSynchronize());
    if (getenv("VERBOSE"))
        puts(what);
}

class Array {
    int *memory = nullptr;

  public:
    Array() { CHECK(cudaMalloc(&memory, N * sizeof(int))); }
    ~Array() { CHECK(cudaFree(memory)); }
    int *data() const { return memory; }
};

static void show(const int *p) {
    int host[N];
    CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[N - 1]);
}

// CHECK: "name": "checked(int*, int*, int*)", "lanes": 2,
__attribute__((noinline)) void checked(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c) {
    set<<<1, N>>>(a, 1);
    launched("a", false);
    set<<<1, N>>>(b, 2);
    launched("b", false);
    scale<<<1, N>>>(a, 3);
    launched("a", false);
    scale<<<1, N>>>(b, 4);
    launched("b", false);
    add<<<1, N>>>(c, a, b);
    launched("c", true);
}

// CHECK: "name": "allocated(int*, CUstream_st*)", "lanes": 2,
__attribute__((noinline)) void allocated(int *a, cudaStream_t stream) {
    set<<<1, N, 0, stream>>>(a, 5);
    Array b;
    set<<<1, N, 0, stream>>>(b.data(), 6);
    scale<<<1, N, 0, stream>>>(b.data(), 7);
    scale<<<1, N, 0, stream>>>(a, 3);
    add<<<1, N, 0, stream>>>(a, a, b.data());
}

int main() {
    Array a, b, c;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    checked(a.data(), b.data(), c.data());
    show(c.data());
    allocated(a.data(), stream);
    show(a.data());
    allocated(a.data(), cudaStreamPerThread);
    show(a.data());
    CHECK(cudaStreamDestroy(stream));
}
