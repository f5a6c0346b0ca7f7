// A check that makes the text of what it throws by a std::ostringstream, which has a locale of its own: what only comes before the
// exception is no barrier, in line or not, with waits or without.
// RUN: for how in "-O1" "-O2 -DWAITS" "-O3 -DWAITS"; do \
// RUN:   %vgpu $how %s -o %t.serial && %vgpu-kesco $how %s -o %t.kesco && sh %compare 5 %t.serial %t.kesco || exit 1; \
// RUN:   for mode in auto graph; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco || exit 1; done; \
// RUN:   VGPU_STATS=%t.json %t.kesco >/dev/null && FileCheck %s --input-file=%t.json || exit 1; \
// RUN:   %t.serial fails 2>%t.expected; test $? -eq 3 || exit 1; %t.kesco fails 2>%t.actual; test $? -eq 3 || exit 1; \
// RUN:   grep -q "illegal memory access" %t.actual || exit 1; \
// RUN: done
// CHECK: "launches": 24,
// CHECK: "ordered_chain": {{[89]}},

#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>

enum { SIZE = 128, FIELDS = 3, STEPS = 8 };

static void verify(cudaError_t error, const char *call, const char *file, int line) {
    if (error != cudaSuccess) {
        std::ostringstream text;
        text << file << ':' << line << ": " << call << ": " << cudaGetErrorString(error);
        throw std::runtime_error(text.str());
    }
}

#define VERIFY(call) verify((call), #call, __FILE__, __LINE__)
#ifdef WAITS
#define DONE() VERIFY(cudaDeviceSynchronize())
#else
#define DONE() VERIFY(cudaGetLastError())
#endif

__global__ void turn(float *to, const float *from, int more) {
    to[threadIdx.x + more] = from[threadIdx.x] * 0.75f + threadIdx.x;
}

static void step(float *const (&to)[FIELDS], float *const (&from)[FIELDS], int more) {
    turn<<<1, SIZE>>>(to[0], from[0], more);
    DONE();
    turn<<<1, SIZE>>>(to[1], from[1], 0);
    DONE();
    turn<<<1, SIZE>>>(to[2], from[2], 0);
    DONE();
}

int main(int count, char **) {
    float *even[FIELDS], *odd[FIELDS], values[SIZE], total = 0;
    try {
        for (int i = 0; i < FIELDS; i++) {
            VERIFY(cudaMalloc(&even[i], SIZE * sizeof(float)));
            VERIFY(cudaMalloc(&odd[i], SIZE * sizeof(float)));
            VERIFY(cudaMemset(even[i], 0, SIZE * sizeof(float)));
        }
        for (int i = 0; i < STEPS; i += 2) {
            step(odd, even, count > 1 && i == 2 ? 1 << 28 : 0);
            step(even, odd, 0);
        }
        for (int i = 0; i < FIELDS; i++) {
            VERIFY(cudaMemcpy(values, even[i], sizeof values, cudaMemcpyDeviceToHost));
            for (float value : values)
                total += value;
        }
    } catch (const std::exception &failure) {
        fprintf(stderr, "%s\n", failure.what());
        return 3;
    }
    printf("%.9g\n", total);
    return 0;
}
