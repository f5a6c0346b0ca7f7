// Functions that other units may enter, and that touch the device on some of their ways, are called where a region is open, on
// ways that touch nothing: the region stays open, and its lanes are used.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 1 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 10 %t/serial %t/kesco || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 | grep -c 'region begins' | grep -x 4 || exit 1; \
// RUN:   STATUS=3 sh %compare 10 %t/serial %t/kesco fail || exit 1; \
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

// A check that works on the device before it ends the program comes behind all that is in flight.
static cudaStream_t checked_stream;

static void check_all(cudaError_t error, const int *a, const int *b, int *sum) {
    if (error == cudaSuccess)
        return;
    add<<<1, N, 0, checked_stream>>>(sum, a, b);
    int host[N];
    cudaMemcpyAsync(host, sum, sizeof host, cudaMemcpyDeviceToHost, checked_stream);
    cudaStreamSynchronize(checked_stream);
    printf("%s: %d %d\n", cudaGetErrorString(error), host[0], host[N - 1]);
    cudaDeviceReset();
    exit(3);
}

// CHECK: "name": "ends(int*, int*, int*, unsigned int)", "lanes": 2,
static void ends(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, unsigned threads) {
    cudaStream_t stream = checked_stream;
    set<<<1, N, 0, stream>>>(a, 5);
    set<<<1, N, 0, stream>>>(b, 6);
    check_all(cudaGetLastError(), a, b, c);
    scale<<<1, N, 0, stream>>>(a, 2);
    scale<<<1, threads, 0, stream>>>(b, 3);
    check_all(cudaGetLastError(), a, b, c);
    scale<<<1, N, 0, stream>>>(b, 7);
}

int main(int argc, char **) {
    Array a, b, c;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    checked(a.data(), b.data(), c.data());
    show(c.data());
    allocated(a.data(), stream);
    show(a.data());
    allocated(a.data(), cudaStreamPerThread);
    show(a.data());
    checked_stream = stream;
    ends(a.data(), b.data(), c.data(), argc > 1 ? 5000 : N);
    CHECK(cudaStreamSynchronize(stream));
    show(a.data());
    show(b.data());
    CHECK(cudaStreamDestroy(stream));
}
