// Errors that go to a local variable are looked at behind the loop, now and then, or in the function that this one is inlined
// into: the program sees the error where it looks, as the serial program does, and returns the number of that pass.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o -Werror %s -o %t/kesco && \
// RUN:   for way in 0 1 2 3; do sh %compare 4 %t/serial %t/kesco $way -1 || exit 1; done && \
// RUN:   for pass in 0 2 5; do for way in 0 1 2; do for mode in lanes graph turns auto; do \
// RUN:     for program in serial kesco; do \
// RUN:       status=0; KESCO_MODE=$mode VGPU_SEED=0 %t/$program $way $pass >%t/$program.out 2>&1 || status=$?; echo $status >>%t/$program.out; \
// RUN:     done; \
// RUN:     cmp %t/serial.out %t/kesco.out || { echo $o $way $pass $mode; exit 1; }; \
// RUN:   done; done; done || exit 1; \
// RUN: done || exit 1

#include <cstdio>
#include <cstdlib>

enum { N = 64, COUNT = 6 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

// One kernel a pass, each on memory of its own.
static cudaError_t all(int **p, int count, int failing) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count; i++) {
        mix<<<1, N>>>(p[i], i == failing ? 1l << 40 : 0);
        error = cudaDeviceSynchronize();
    }
    return error;
}

__attribute__((noinline)) cudaError_t apart(int **p, int count, int failing) { return all(p, count, failing); }

// It looks now and then.
__attribute__((noinline)) int seldom(int **p, int count, int failing) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count; i++) {
        mix<<<1, N>>>(p[i], i == failing ? 1l << 40 : 0);
        error = cudaDeviceSynchronize();
        if (i % 3 == 2 && error != cudaSuccess)
            return i;
    }
    return error == cudaSuccess ? -1 : count;
}

// What it stores in between is no error: the last one alone counts.
__attribute__((noinline)) cudaError_t forgets(int **p, int count) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count; i++) {
        mix<<<1, N>>>(p[i], 0);
        error = cudaDeviceSynchronize();
        if (i == count - 2)
            error = cudaErrorUnknown;
    }
    return error;
}

// The error ends the program here, behind what it has done with other memory.
static int ends(int **p, int failing) {
    cudaError_t error = all(p, COUNT, failing);
    puts("done");
    if (error != cudaSuccess)
        return 3;
    return 0;
}

int main(int, char **arguments) {
    const int way = atoi(arguments[1]), failing = atoi(arguments[2]);
    int *p[COUNT], host[N];
    for (int *&each : p) {
        cudaMalloc(&each, sizeof host);
        cudaMemset(each, 0, sizeof host);
    }
    if (way == 0 && ends(p, failing))
        return 3;
    if (way == 1 && apart(p, COUNT, failing) != cudaSuccess)
        return 4;
    if (way == 2)
        printf("%d\n", seldom(p, COUNT, failing));
    if (way == 3 && forgets(p, COUNT) != cudaSuccess)
        return 5;
    for (int *each : p)
        if (cudaMemcpy(host, each, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
            printf("%d %d\n", host[0], host[N - 1]);
}
