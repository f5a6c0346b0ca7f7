// What is lent a region may begin with a wait, end the program, or jump out of those that called it: what follows comes
// behind all of that region, on a stream of the program's own that nothing else orders. Managed memory shows where not.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %vgpu -O2 -c plain.cu -o plain.o
// RUN: %vgpu -O2 steps.cu plain.o -x c++ calls.cpp -o serial
// RUN: %vgpu-kesco -O2 -c steps.cu -o steps.o
// RUN: clang++ -I$CUDA_PATH/include -fplugin=%plugin -O2 -c calls.cpp -o calls.o
// RUN: %vgpu steps.o plain.o calls.o -o kesco
// RUN: for end in return wait jump jump_or_work exit exit_or_work report; do \
// RUN:   KESCO_MODE=lanes sh %compare 3 ./serial ./kesco $end || { echo $end; exit 1; }; done
// RUN: KESCO_MODE=lanes KESCO_STATS=1 ./kesco return 2>&1 >/dev/null | FileCheck plain.cu

//--- calls.h
#include <cuda_runtime.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 300, BUFFERS = 4 };
extern int *buffers[BUFFERS];
extern cudaStream_t stream;
extern jmp_buf start;

/* Of steps.cu. */
void work(int *to);
void wait_and_work(int *to, const int *from);
void jump_or_work(bool jumps, int *to);
void exit_or_work(bool exits, int *to);

/* Of calls.cpp, which launches nothing. */
void call(const char *end);

/* Of plain.cu, which is compiled without KeSCo. */
void print(const char *what);

//--- plain.cu
#include "calls.h"

int *buffers[BUFFERS];
cudaStream_t stream;
jmp_buf start;

void print(const char *what) {
    cudaStreamSynchronize(stream);
    for (int *buffer : buffers) {
        unsigned sum = 0;
        for (int i = 0; i < SIZE; i++)
            sum = sum * 31 + buffer[i];
        printf("%s %u\n", what, sum);
    }
}

static void print_at_exit() {
    print("exit");
}

// CHECK: 4 ops placed
int main(int argc, char **argv) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int *&buffer : buffers) {
        cudaMallocManaged(&buffer, SIZE * sizeof(int));
        memset(buffer, 1, SIZE * sizeof(int));
    }
    if (strcmp(argv[argc - 1], "return") != 0) {
        call("return");
        atexit(print_at_exit);
    }
    if (setjmp(start) == 0)
        call(argv[argc - 1]);
    print("end");
    return 0;
}

//--- steps.cu
#include "calls.h"

static __global__ void work_kernel(int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        for (int round = 0; round < 100; round++)
            out[i] = out[i] * 31 + 7;
}

void work(int *to) {
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

void wait_and_work(int *to, const int *from) {
    cudaStreamSynchronize(stream);
    printf("waited %d\n", from[SIZE - 1]);
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

void jump_or_work(bool jumps, int *to) {
    if (jumps)
        longjmp(start, 1);
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

void exit_or_work(bool exits, int *to) {
    if (exits)
        exit(0);
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

//--- calls.cpp
#include "calls.h"

static __attribute__((noinline)) void end_by(const char *end) {
    if (strcmp(end, "jump") == 0)
        longjmp(start, 1);
    if (strcmp(end, "exit") == 0)
        exit(0);
    if (strcmp(end, "report") == 0) {
        print("report");
        _exit(fflush(stdout));
    }
}

void call(const char *end) {
    for (int *buffer : buffers)
        work(buffer);
    if (strcmp(end, "wait") == 0)
        wait_and_work(buffers[0], buffers[1]);
    if (strcmp(end, "jump_or_work") == 0)
        jump_or_work(true, buffers[2]);
    if (strcmp(end, "exit_or_work") == 0)
        exit_or_work(true, buffers[2]);
    end_by(end);
}
