// Buffers in vectors and maps, which are looked up anew for each launch, and a helper that launches, checks and waits:
// what is looked up in the same way is one buffer, and where that cannot be seen, the run places the launches. The
// waits are put off; a kernel that fails is told of by the program's own check. With LLVM 19 one lane is all for keys of numbers.
// RUN: rm -rf %t && mkdir %t
// RUN: for which in VECTOR MAP %if clang-22 %{NUMBERS%}; do \
// RUN:   %vgpu -std=c++17 -O2 -D$which %s -o %t/serial && \
// RUN:   %vgpu-kesco -std=c++17 -O2 -D$which %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json --check-prefix=$which && \
// RUN:   sh %compare 4 %t/serial %t/kesco 5 && \
// RUN:   VGPU_STATS=%t/stats.json %t/kesco 5 && grep '"syncs": [0-9],' %t/stats.json && \
// RUN:   for program in serial kesco; do \
// RUN:     status=0; VGPU_SEED=0 %t/$program 3 >%t/$program.out 2>&1 || status=$?; test $status = 3; grep -c failed %t/$program.out; \
// RUN:   done | sort -u | grep -x 1 || exit 1; \
// RUN: done

// VECTOR: "name": "run({{.*}})", "lanes": 3,
// VECTOR: "guards": [
// MAP: "name": "run({{.*}})", "lanes": 1,
// MAP: "placed": [0]
// NUMBERS: "name": "run({{.*}})",
// NUMBERS: "placed": [0]

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) { \
            fprintf(stderr, "failed\n"); \
            exit(3); \
        } \
    } while (0)

enum { N = 64, PASSES = 25 };

static __global__ void mix(int *out, const int *in, int factor, long distance) {
    out[threadIdx.x + distance] = out[threadIdx.x] * factor + in[N - 1 - threadIdx.x];
}

struct Buffer {
    int *data = nullptr;
};

static void make(Buffer &buffer, int value) {
    int host[N];
    for (int &each : host)
        each = value++;
    CHECK(cudaMalloc(&buffer.data, sizeof host));
    CHECK(cudaMemcpy(buffer.data, host, sizeof host, cudaMemcpyHostToDevice));
}

void advance(Buffer &out, const Buffer &in, int factor, long distance) {
    mix<<<1, N>>>(out.data, in.data, factor, distance);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

#if defined(VECTOR)
using Buffers = std::vector<Buffer>;
#define AT(name, number) buffers[number]
#elif defined(MAP)
using Buffers = std::map<std::string, Buffer>;
#define AT(name, number) buffers.at(name)
#else
using Buffers = std::map<int, Buffer>;
#define AT(name, number) buffers.find(2 * number)->second
#endif

// The failing pass is one of the last ones.
void run(Buffers &buffers, int failing) {
    for (int pass = 0; pass < PASSES; pass++) {
        const long distance = pass == PASSES - 2 && failing == 3 ? 1l << 40 : 0;
        advance(AT("u", 0), AT("v", 1), 3, 0);
        advance(AT("w", 2), AT("x", 3), 5, distance);
        advance(AT("y", 4), AT("z", 5), 7, 0);
        advance(AT("v", 1), AT("u", 0), 11, 0);
    }
    CHECK(cudaDeviceSynchronize());
}

int main(int, char **arguments) {
    Buffers buffers;
#if defined(VECTOR)
    buffers.resize(6);
    for (int i = 0; i < 6; i++)
        make(buffers[i], i);
#elif defined(MAP)
    for (const char *name : {"u", "v", "w", "x", "y", "z"})
        make(buffers[name], name[0]);
#else
    for (int i = 0; i < 6; i++)
        make(buffers[2 * i], i);
#endif
    run(buffers, atoi(arguments[1]));
    for (auto &each : buffers) {
        int host[N];
#ifdef VECTOR
        CHECK(cudaMemcpy(host, each.data, sizeof host, cudaMemcpyDeviceToHost));
#else
        CHECK(cudaMemcpy(host, each.second.data, sizeof host, cudaMemcpyDeviceToHost));
#endif
        printf("%d %d\n", host[0], host[N - 1]);
    }
}
