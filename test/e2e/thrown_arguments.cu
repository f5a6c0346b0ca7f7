// Launches whose arguments may throw, as vector::at does, overlap as any. Where one throws, the region is closed on the way,
// be that caught in the function, further up, or behind a destructor that looks at the memory, and lanes go on behind it.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 1 2; do \
// RUN:   %vgpu -std=c++17 -O$o %s -o %t/serial && %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco || exit 1; \
// RUN:   for mode in lanes turns graph auto; do KESCO_MODE=$mode sh %compare 6 %t/serial %t/kesco || exit 1; done; \
// RUN:   VGPU_CHECK=races VGPU_STATS=%t/stats.json %t/kesco >%t/out && FileCheck %s --input-file=%t/stats.json || exit 1; \
// RUN: done
// CHECK: "ordered_chain": 2{{[0-9]}},

#include <cstdio>
#include <stdexcept>
#include <vector>

enum { N = 64 };

static __global__ void twice(int *p, int more) { p[threadIdx.x] = p[threadIdx.x] * 2 + more; }

using Buffers = std::vector<int *>;

struct Watch {
    const Buffers &buffers;
    ~Watch() {
        cudaDeviceSynchronize();
        printf("%d ", *buffers[0]);
    }
};

__attribute__((noinline)) void all(const Buffers &b, int bad) {
    for (int i = 0; i < 2; i++) {
        twice<<<1, N>>>(b.at(0), 1);
        twice<<<1, N>>>(b.at(1), 2);
        twice<<<1, N>>>(b.at(i == bad ? 9 : 2), 3);
        twice<<<1, N>>>(b.at(3), 4);
    }
}

__attribute__((noinline)) void watched(const Buffers &b, int bad) {
    Watch watch = {b};
    twice<<<1, N>>>(b.at(0), 1);
    twice<<<1, N>>>(b.at(1), 2);
    twice<<<1, N>>>(b.at(bad), 3);
    twice<<<1, N>>>(b.at(3), 4);
}

__attribute__((noinline)) void goes_on(const Buffers &b, int bad) {
    twice<<<1, N>>>(b.at(0), 1);
    try {
        twice<<<1, N>>>(b.at(1), 2);
        twice<<<1, N>>>(b.at(bad), 3);
    } catch (std::out_of_range &) {
        printf("caught ");
    }
    twice<<<1, N>>>(b.at(0), 4);
    twice<<<1, N>>>(b.at(3), 5);
}

int main() {
    Buffers b(4);
    for (int *&p : b) {
        cudaMallocManaged(&p, N * sizeof(int));
        for (int i = 0; i < N; i++)
            p[i] = i;
    }
    for (int bad : {9, 2, 0, 1}) {
        try {
            all(b, bad);
        } catch (std::out_of_range &) {
            cudaDeviceSynchronize();
            printf("thrown %d ", b[0][1]);
        }
        try {
            watched(b, bad);
        } catch (std::out_of_range &) {
            cudaDeviceSynchronize();
            printf("thrown %d ", b[1][1]);
        }
        goes_on(b, bad);
        cudaDeviceSynchronize();
        for (int *p : b)
            printf("%d ", p[N - 1]);
        puts("");
    }
}
