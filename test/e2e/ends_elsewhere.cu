// Functions of another source file launch, wait, and end the program for an error, each in its own way; a kernel fails in one
// of them. Which ops have failed, nobody knows once waits are put off: so they are put off over functions that end the
// program in the same way, and the status is that of the serial program. The same where another wait that nobody looks at,
// or what frees memory, is told first; where what the program does depends on more than the error, or throws; and where it
// ends by a trap.
// RUN: for unit in FIRST SECOND BUFFERS MAIN; do \
// RUN:   %vgpu -O2 %s -D$unit -c -o %t.$unit.serial.o && %vgpu-kesco -O2 %s -D$unit -c -o %t.$unit.o || exit 1; \
// RUN: done; \
// RUN: %vgpu %t.FIRST.serial.o %t.SECOND.serial.o %t.BUFFERS.serial.o %t.MAIN.serial.o -o %t.serial && \
// RUN: %vgpu %t.FIRST.o %t.SECOND.o %t.BUFFERS.o %t.MAIN.o -o %t.kesco
// RUN: for how in first second unseen large phase throws behind trap; do for seed in 0 1 2; do \
// RUN:   VGPU_MEMORY=64 VGPU_SEED=$seed %t.serial $how >%t.expected 2>/dev/null; expected=$?; \
// RUN:   test $expected -ge 5 || exit 1; \
// RUN:   for mode in lanes auto graph; do \
// RUN:     VGPU_MEMORY=64 KESCO_MODE=$mode VGPU_SEED=$seed %t.kesco $how >%t.actual 2>/dev/null; actual=$?; \
// RUN:     test $actual -eq $expected && cmp %t.expected %t.actual || { echo "$how $seed $mode: $expected $actual"; exit 1; }; \
// RUN:   done; \
// RUN: done; done
// Nothing is put off where it would not be told: but the chain is short where all end in the same way.
// RUN: env VGPU_STATS=%t.json %t.kesco none && sed -n 's/.*"ordered_chain": \([0-9]*\),/\1/p' %t.json | FileCheck %s
// CHECK: {{^1[0-9]$}}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

enum { COUNT = 256, STEPS = 20, BAD = 11, FAR = 1 << 28 };

struct Pair {
    float *a, *b;
};

extern int phase;
void first(const Pair &pair, int at);
void second(const Pair &pair, int at);
void unseen(const Pair &pair, int at);
void inPhase(const Pair &pair, int at);
void throwing(const Pair &pair, int at);
[[noreturn]] void give_up(cudaError_t error);
float *allocate(size_t size);
void release(float *memory);

#define LAUNCH(pair, at)                                                                                                                   \
    add<<<1, COUNT>>>(pair.a, 0);                                                                                                          \
    add<<<1, COUNT>>>(pair.b, at)

#define KERNEL                                                                                                                             \
    static __global__ void add(float *to, int at) {                                                                                        \
        to[threadIdx.x + at] = to[threadIdx.x] * 0.5f + 1;                                                                                 \
    }

#define CHECK(call, ...)                                                                                                                   \
    do {                                                                                                                                   \
        const cudaError_t error_ = (call);                                                                                                 \
        if (error_ != cudaSuccess) {                                                                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));                                                        \
            __VA_ARGS__;                                                                                                                   \
        }                                                                                                                                  \
    } while (0)

#ifdef FIRST
KERNEL

void first(const Pair &pair, int at) {
    LAUNCH(pair, at);
    CHECK(cudaDeviceSynchronize(), exit(11));
}

void inPhase(const Pair &pair, int at) {
    LAUNCH(pair, at);
    CHECK(cudaDeviceSynchronize(), exit(20 + phase));
}
#endif

#ifdef SECOND
KERNEL

void second(const Pair &pair, int at) {
    LAUNCH(pair, at);
    CHECK(cudaDeviceSynchronize(), exit(12));
}

void unseen(const Pair &pair, int at) {
    LAUNCH(pair, at);
    cudaDeviceSynchronize();
}

void throwing(const Pair &pair, int at) {
    LAUNCH(pair, at);
    CHECK(cudaDeviceSynchronize(), give_up(error_));
}
#endif

#ifdef BUFFERS
int phase;

void give_up(cudaError_t error) {
    throw std::runtime_error(cudaGetErrorString(error));
}

float *allocate(size_t size) {
    float *memory;
    CHECK(cudaMalloc(&memory, size), exit(13));
    return memory;
}

void release(float *memory) {
    cudaFree(memory);
}
#endif

#ifdef MAIN
static int run(const char *how) {
    const Pair pairs[] = {{allocate(COUNT * 4), allocate(COUNT * 4)}, {allocate(COUNT * 4), allocate(COUNT * 4)}};
    float *large = allocate(2 << 20), result;
    for (const Pair &pair : pairs) {
        cudaMemset(pair.a, 0, COUNT * 4);
        cudaMemset(pair.b, 0, COUNT * 4);
    }
    for (int step = 0; step < STEPS; step++) {
        const Pair &pair = pairs[step % 2];
        const int at = step == BAD ? FAR : 0;
        phase = step;
        if (strcmp(how, "none") == 0) {
            first(pair, 0);
        } else if (strcmp(how, "phase") == 0) {
            inPhase(pair, at);
        } else if (strcmp(how, "throws") == 0) {
            throwing(pair, at);
        } else if (strcmp(how, "behind") == 0) {
            first(pair, 0);
            throwing(pair, at);
        } else if (strcmp(how, "unseen") == 0) {
            second(pair, 0);
            unseen(pair, at);
        } else {
            first(pair, strcmp(how, "second") == 0 ? 0 : at);
            if (strcmp(how, "first") == 0 || strcmp(how, "second") == 0)
                second(pair, strcmp(how, "second") == 0 ? at : 0);
        }
    }
    if (strcmp(how, "trap") == 0)
        __builtin_trap();
    if (strcmp(how, "large") == 0) {
        release(large);
        return 0;
    }
    CHECK(cudaMemcpy(&result, pairs[1].b, sizeof result, cudaMemcpyDefault), return 40);
    return 0;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "");
    } catch (const std::exception &) {
        puts("caught");
        return 5;
    }
}
#endif
