// Checks that throw, and a handler in the same function: unseen work is waited for before the first op, whatever ways out
// there are for calls that fail, so that each wait between the launches may be put off. A kernel that fails is told of as in
// the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -std=c++17 -O$o %s -o %t/serial && %vgpu-kesco -std=c++17 -O$o -Werror %s -o %t/kesco && \
// RUN:   sh %compare 4 %t/serial %t/kesco none && \
// RUN:   VGPU_STATS=%t/stats.json %t/kesco none >/dev/null && grep '"ordered_chain": 4,' %t/stats.json && \
// RUN:   for way in first last launch; do for mode in lanes graph turns auto; do \
// RUN:     for program in serial kesco; do \
// RUN:       status=0; KESCO_MODE=$mode VGPU_SEED=0 %t/$program $way >%t/$program.out 2>&1 || status=$?; echo $status >>%t/$program.out; \
// RUN:     done; \
// RUN:     cmp %t/serial.out %t/kesco.out || { echo $o $way $mode; exit 1; }; \
// RUN:     grep -x 1 %t/kesco.out || exit 1; \
// RUN:   done; done || exit 1; \
// RUN: done || exit 1

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

enum { N = 64 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error));
}

// Work on a stream that main knows nothing of: the first wait orders it before what comes behind.
static void begin(int *p) {
    cudaStream_t other;
    check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
    mix<<<1, N, 0, other>>>(p, 0);
}
static void (*volatile begins)(int *) = begin;

int main(int, char **arguments) {
    const bool first = !strcmp(arguments[1], "first"), last = !strcmp(arguments[1], "last");
    const int threads = strcmp(arguments[1], "launch") ? N : 5000;
    try {
        int *a, *b, *c, host[N];
        for (int **p : {&a, &b, &c}) {
            check(cudaMalloc(p, sizeof host), "malloc");
            for (int i = 0; i < N; i++)
                host[i] = i;
            check(cudaMemcpy(*p, host, sizeof host, cudaMemcpyHostToDevice), "copy");
        }
        check(cudaDeviceSynchronize(), "copies");
        begins(c);
        for (int i = 0; i < 3; i++) {
            mix<<<1, N>>>(a, i == 0 && first ? 1l << 40 : 0);
            check(cudaGetLastError(), "mix");
            check(cudaDeviceSynchronize(), "mix");
            mix<<<1, i == 1 ? threads : N>>>(b, 0);
            check(cudaGetLastError(), "mix");
            check(cudaDeviceSynchronize(), "mix");
            mix<<<1, N>>>(c, i == 2 && last ? 1l << 40 : 0);
            check(cudaGetLastError(), "mix");
            check(cudaDeviceSynchronize(), "mix");
        }
        for (int *p : {a, b, c}) {
            check(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost), "b");
            printf("%d %d\n", host[0], host[N - 1]);
        }
    } catch (const std::exception &) {
        fprintf(stderr, "failed\n");
        return 1;
    }
}
