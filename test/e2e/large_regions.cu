// Regions beyond what plans are made for: more than 256 launches with branches and loops between them, and loops with a
// branch of many ways. The run places their ops. Serially, with all seeds, and with races checked, the results are the
// same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial
// RUN: for o in 1 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -Rpass=kesco -Rpass-missed=kesco 2>%t/remarks && \
// RUN:   FileCheck %s --input-file=%t/remarks --check-prefix=REMARK --implicit-check-not="ops get" || exit 1; \
// RUN:   for count in 3; do sh %compare 6 %t/serial %t/kesco $count || exit 1; done; \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco 3 || exit 1; done; \
// RUN: done
// RUN: KESCO_STATS=1 %t/kesco 3 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
//
// As parallel as lanes allow.
// RUN: for name in serial kesco; do VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$name 3 || exit 1; done >%t/times
// RUN: awk 'NR == 1 { serial = $1 } NR == 2 { exit !(2.5 * $1 <= serial) }' %t/times

// STATS: 16/16 0 0 branches(
// STATS-NEXT: 520 ops placed
// STATS: 16/16 0 0 many_allocations(
// STATS-NEXT: 257 ops placed
// STATS: 16/16 0 0 passes(
// STATS-NEXT: 960 ops placed, 864 behind others in flight
// STATS: 16/16 0 0 ways(
// STATS-NEXT: 97 ops placed, 1 behind others in flight

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { SIZE = 100, BUFFERS = 96 };

static __device__ int mix(int value) {
    for (int i = 0; i < 300; i++)
        value = value * 31 + 7;
    return value;
}

static __global__ void work(int *out, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SIZE)
        out[i] = mix(out[i] + value);
}
static __global__ void add(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SIZE)
        out[i] = mix(out[i] + in[i]);
}

#define EIGHT(EACH, from) \
    EACH((from) + 0) EACH((from) + 1) EACH((from) + 2) EACH((from) + 3) \
    EACH((from) + 4) EACH((from) + 5) EACH((from) + 6) EACH((from) + 7)
#define ALL(EACH, from) \
    EIGHT(EACH, (from) + 0) EIGHT(EACH, (from) + 8) EIGHT(EACH, (from) + 16) EIGHT(EACH, (from) + 24) \
    EIGHT(EACH, (from) + 32) EIGHT(EACH, (from) + 40) EIGHT(EACH, (from) + 48) EIGHT(EACH, (from) + 56)

// REMARK: remark: 260 ops get their lanes when the program issues them, by the bytes that each accesses: with branches or loops between them, no more than 256 are planned
#define TWICE(i) work<<<1, 128>>>(buffers[(i) % 40], i); work<<<1, 128>>>(buffers[(i) % 40], 2 * (i));
#define BEHIND(i) work<<<1, 128>>>(buffers[(i) % 48], i); add<<<1, 128>>>(buffers[(i) % 48], buffers[(i) % 48 + 48]);
static void branches(int *const *buffers, int count) {
    for (int i = 0; i < count; i++) {
        ALL(TWICE, 0)
        if (i % 2 == 1) {
            ALL(BEHIND, 0)
        } else {
            work<<<1, 128>>>(buffers[90], i);
            add<<<1, 128>>>(buffers[91], buffers[90]);
            add<<<1, 128>>>(buffers[92], buffers[0]);
            add<<<1, 128>>>(buffers[0], buffers[93]);
        }
    }
}

// REMARK: remark: 320 ops get their lanes when the program issues them
#define ONCE(i) work<<<1, 128>>>(buffers[(i) % BUFFERS], i);
static void passes(int *const *buffers, int count) {
    for (int i = 0; i < count; i++) {
        ALL(ONCE, 0) ALL(ONCE, 64) ALL(ONCE, 128) ALL(ONCE, 192) ALL(ONCE, 256)
    }
}

// More allocations than the guard remembers, whose memory the host must not be able to touch.
// REMARK: remark: {{[0-9]+}} ops get their lanes when the program issues them
static int many_allocations(int *const *buffers) {
    int last[SIZE];
    ALL(ONCE, 0) ALL(ONCE, 64)
    cudaMemcpy(last, buffers[5], sizeof last, cudaMemcpyDeviceToHost);
    ALL(ONCE, 0) ALL(ONCE, 64)
    return last[7];
}

// Each pass goes one of many ways, with memory of its own.
// REMARK: remark: {{[0-9]+}} ops get their lanes when the program issues them, by the bytes that each accesses: passes of a loop
static void ways(int *const *buffers, const int *which, int count) {
    for (int i = 0; i < count; i++)
        switch (which[i]) {
        case 0: work<<<1, 128>>>(buffers[i], 1); break;
        case 1: work<<<1, 128>>>(buffers[i], 3); break;
        case 2: work<<<1, 128>>>(buffers[i], 5); break;
        case 3: work<<<1, 64>>>(buffers[i], 7); break;
        case 4: work<<<1, 128>>>(buffers[i], 11); break;
        case 5: work<<<2, 64>>>(buffers[i], 13); break;
        case 6: work<<<1, 128>>>(buffers[i], 17); break;
        case 7: work<<<2, 64>>>(buffers[i], 19); break;
        case 8: work<<<1, 128>>>(buffers[i], 23); break;
        case 9: work<<<1, 64>>>(buffers[i], 29); break;
        case 10: work<<<1, 128>>>(buffers[i], 31); break;
        case 11: work<<<2, 64>>>(buffers[i], 37); break;
        }
}

static void (*volatile run_branches)(int *const *, int) = branches;
static void (*volatile run_passes)(int *const *, int) = passes;
static int (*volatile run_many_allocations)(int *const *) = many_allocations;
static void (*volatile run_ways)(int *const *, const int *, int) = ways;

int main(int argc, char **argv) {
    int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::vector<int *> buffers(BUFFERS);
    std::vector<int> which(BUFFERS), result(SIZE);
    for (int i = 0; i < BUFFERS; i++) {
        cudaMalloc(&buffers[i], SIZE * sizeof(int));
        cudaMemset(buffers[i], i, SIZE * sizeof(int));
        which[i] = i * 7 % 12;
    }
    run_branches(buffers.data(), count);
    run_passes(buffers.data(), count);
    std::printf("%d\n", run_many_allocations(buffers.data()));
    run_ways(buffers.data(), which.data(), BUFFERS);
    unsigned sum = 0;
    for (int *buffer : buffers) {
        cudaMemcpy(result.data(), buffer, SIZE * sizeof(int), cudaMemcpyDeviceToHost);
        for (int value : result)
            sum = sum * 31 + static_cast<unsigned>(value);
        std::printf("%u\n", sum);
    }
    cudaError_t error = cudaGetLastError();
    std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
