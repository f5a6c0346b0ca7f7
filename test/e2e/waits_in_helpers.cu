// Waits in helpers, and beside variables that clean up, are put off, and the results and errors are the serial program's.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 1 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-sync-elision=on || exit 1; \
// RUN:   sh %compare 8 %t/serial %t/kesco || exit 1; \
// RUN:   sh %compare 4 %t/serial %t/kesco managed || exit 1; \
// RUN:   VGPU_STATS=%t/stats %t/kesco >%t/out && grep -o '"cudaDeviceSynchronize": [0-9]*' %t/stats || exit 1; \
// RUN: done | FileCheck %s
// CHECK-COUNT-3: {{^}}"cudaDeviceSynchronize": {{([1-9]|1[0-5])$}}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static bool is_managed;

static void check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + cudaGetErrorString(error));
}
#define CHECK(call) check(call, "here", 1234)

static void sync() { CHECK(cudaDeviceSynchronize()); }
static void by_another() { sync(); }

static int *allocate() {
    int *p;
    CHECK(is_managed ? cudaMallocManaged(&p, N * sizeof(int)) : cudaMalloc(&p, N * sizeof(int)));
    return p;
}

struct Solver {
    int *a = allocate(), *b = allocate(), *c = allocate();
    void wait() { by_another(); }
    void solve();
    int result();
};

void Solver::solve() {
    std::vector<int> passes;
    for (int i = 0; i < 3; i++) {
        set<<<1, N>>>(a, i + 1);
        wait();
        set<<<1, N>>>(b, 2 * i);
        CHECK(cudaDeviceSynchronize());
        add<<<1, N>>>(c, a, b);
        sync();
        passes.push_back(i);
    }
    printf("%zu passes\n", passes.size());
}

int Solver::result() {
    int seen = 0;
    if (is_managed) {
        add<<<1, N>>>(c, c, a);
        wait();
        return c[1];
    }
    CHECK(cudaMemcpy(&seen, c, sizeof seen, cudaMemcpyDeviceToHost));
    return seen;
}

int main(int argc, char **argv) {
    is_managed = argc > 1 && strcmp(argv[1], "managed") == 0;
    try {
        Solver solver;
        solver.solve();
        printf("%d\n", solver.result());
        solver.solve();
        printf("%d\n", solver.result());
    } catch (const std::exception &e) {
        printf("%s\n", e.what());
        return 3;
    }
}
