// Functions of another source file launch and wait, and do not look at what the wait returns, as it is put off; or they do, and
// end the program. A kernel fails: what the program asks CUDA for at last tells of it as ever, whatever it asks by, in a
// function at exit too; and where a wait would have told before, that tells. Otherwise the program would end as if all were well.
// RUN: for how in "" -DLOOKS; do \
// RUN:   %vgpu -O2 %s $how -DJOBS -c -o %t.1.serial.o && %vgpu -O2 %s $how -c -o %t.2.serial.o && \
// RUN:   %vgpu-kesco -O2 %s $how -DJOBS -c -o %t.1.o && %vgpu-kesco -O2 %s $how -c -o %t.2.o && \
// RUN:   %vgpu %t.1.serial.o %t.2.serial.o -o %t.serial && %vgpu %t.1.o %t.2.o -o %t.both && \
// RUN:   %vgpu %t.1.o %t.2.serial.o -o %t.callee || exit 1; \
// RUN:   for question in last peek allocation managed memory device exit; do for seed in 0 1 2; do \
// RUN:     VGPU_SEED=$seed %t.serial $question >%t.expected 2>/dev/null; expected=$?; \
// RUN:     test $expected -ge 50 || exit 1; \
// RUN:     for mode in lanes auto graph; do for program in %t.both %t.callee; do \
// RUN:       KESCO_MODE=$mode VGPU_SEED=$seed $program $question >%t.actual 2>/dev/null; \
// RUN:       test $? -eq $expected || { echo "$how $question $seed $mode $program: $expected"; exit 1; }; \
// RUN:     done; done; \
// RUN:   done; done; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

enum { FAILS = 3, STEPS = 12 };

struct Job {
    int count;
    float *a, *b;
    explicit Job(int count);
    void step(bool fails);
};

#ifdef JOBS

__global__ void add(float *to, const float *from, int count, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i] * 0.5f + value;
}

Job::Job(int count) : count(count) {
    cudaMalloc(&a, count * sizeof *a);
    cudaMalloc(&b, count * sizeof *b);
    cudaMemset(a, 0, count * sizeof *a);
}

void Job::step(bool fails) {
    const int blocks = (count + 63) / 64;
    add<<<blocks, 64>>>(fails ? b + (1L << 40) : b, a, count, 1);
    add<<<blocks, 64>>>(a, b, count, 2);
#ifdef LOOKS
    if (cudaDeviceSynchronize() != cudaSuccess) {
        puts("a step failed");
        exit(59);
    }
#else
    cudaDeviceSynchronize();
#endif
}

#else

static void askAtExit() {
    if (cudaPeekAtLastError() != cudaSuccess) _exit(58);
}

static cudaError_t ask(const char *question) {
    void *memory;
    size_t left, all;
    if (strcmp(question, "last") == 0) return cudaGetLastError();
    if (strcmp(question, "peek") == 0) return cudaPeekAtLastError();
    if (strcmp(question, "allocation") == 0) return cudaMalloc(&memory, 64);
    if (strcmp(question, "managed") == 0) return cudaMallocManaged(&memory, 64);
    if (strcmp(question, "memory") == 0) return cudaMemGetInfo(&left, &all);
    if (strcmp(question, "device") == 0) return cudaDeviceSynchronize();
    return cudaSuccess;
}

int main(int, char **arguments) {
    if (strcmp(arguments[1], "exit") == 0) atexit(askAtExit);
    Job first(500), second(600), third(700);
    for (int step = 0; step < STEPS; step++) {
        first.step(step == STEPS - FAILS);
        second.step(false);
        third.step(false);
    }
    if (ask(arguments[1]) != cudaSuccess) return 57;
    puts("PASSED");
    return 0;
}

#endif
