// Waits that the user wants to stay do, and clocks that need not wait do not make the host wait; results are the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for options in sync-elision=on sync-elision=unchecked sync-elision=off clocks=ignore; do \
// RUN:   %vgpu-kesco -O1 %s -o %t/$options -fplugin-arg-kesco-$options || exit 1; \
// RUN:   sh %compare 8 %t/serial %t/$options || exit 1; \
// RUN:   VGPU_STATS=%t/$options.stats %t/$options >/dev/null || exit 1; \
// RUN:   grep -o '"cudaDeviceSynchronize": [0-9]*' %t/$options.stats; \
// RUN: done | FileCheck %s

// Of 13 waits, four are of those that nobody looks at; before clocks, two more may be spared than else.
// CHECK: "cudaDeviceSynchronize": {{[5-9]}}
// CHECK-NEXT: "cudaDeviceSynchronize": {{1[012]}}
// CHECK-NEXT: "cudaDeviceSynchronize": 13
// CHECK-NEXT: "cudaDeviceSynchronize": {{[2-5]}}

#include <chrono>
#include <cstdio>
#include <cstdlib>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) \
            exit(1); \
    } while (0)

struct Work {
    int *a, *b, *c;
    void checked();
    void unchecked();
    double timed();
};

void Work::checked() {
    CHECK(cudaDeviceSynchronize());
    set<<<1, N>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, N>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
    add<<<1, N>>>(c, a, b);
    CHECK(cudaDeviceSynchronize());
}

void Work::unchecked() {
    cudaDeviceSynchronize();
    set<<<1, N>>>(a, 3);
    cudaDeviceSynchronize();
    set<<<1, N>>>(b, 4);
    cudaDeviceSynchronize();
    add<<<1, N>>>(c, c, b);
    cudaDeviceSynchronize();
}

double Work::timed() {
    CHECK(cudaDeviceSynchronize());
    set<<<1, N>>>(a, 5);
    CHECK(cudaDeviceSynchronize());
    auto begin = std::chrono::steady_clock::now();
    set<<<1, N>>>(b, 6);
    CHECK(cudaDeviceSynchronize());
    auto end = std::chrono::steady_clock::now();
    add<<<1, N>>>(c, c, a);
    CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double>(end - begin).count();
}

int main() {
    Work work;
    int result = 0;
    for (int **each : {&work.a, &work.b, &work.c})
        CHECK(cudaMalloc(each, N * sizeof(int)));
    work.checked();
    work.unchecked();
    CHECK(work.timed() >= 0 ? cudaSuccess : cudaErrorUnknown);
    CHECK(cudaMemcpy(&result, work.c, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    printf("%d\n", result);
}
