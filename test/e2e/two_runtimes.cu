// A library that the program loads has a runtime of its own, or none, if its symbols and the program's do not meet. What is
// launched there keeps its order with what the program launches: regions go through no call between the two.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %vgpu -O2 -c plain.cu -o plain.o
// RUN: %vgpu -O2 main.cu plain.o -ldl -o serial
// RUN: %vgpu -O2 -fPIC -shared steps.cu -o steps.so && clang++ -I$CUDA_PATH/include -O2 -fPIC -shared calls.cpp -o calls.so
// RUN: %vgpu-kesco -O2 main.cu plain.o -ldl -o kesco
// RUN: KESCO_MODE=lanes sh %compare 3 ./serial ./kesco
// RUN: %vgpu-kesco -O2 -fPIC -shared steps.cu -o steps.so
// RUN: KESCO_MODE=lanes sh %compare 6 ./serial ./kesco
// RUN: clang++ -I$CUDA_PATH/include -fplugin=%plugin -O2 -fPIC -shared calls.cpp -o calls.so
// RUN: KESCO_MODE=lanes sh %compare 6 ./serial ./kesco

//--- steps.h
#include <cuda_runtime.h>

enum { SIZE = 300 };

extern "C" {
typedef void step(int *to, cudaStream_t stream);
step twice; /* of plain.cu */
}

//--- plain.cu
#include "steps.h"

#include <stdio.h>

extern step *const own;

void twice(int *to, cudaStream_t stream) {
    own(to, stream);
    own(to, stream);
    cudaStreamSynchronize(stream);
    printf("twice %d\n", to[SIZE - 1]);
}

//--- steps.cu
#include "steps.h"

static __global__ void work_kernel(int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        for (int round = 0; round < 100; round++)
            out[i] = out[i] * 31 + 7;
}

extern "C" void work(int *to, cudaStream_t stream) {
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

//--- calls.cpp
#include "steps.h"

extern "C" int wait_and_call(int *to, cudaStream_t stream, step *first, step *second) {
    cudaStreamSynchronize(stream);
    const int before = to[0];
    first(to, stream);
    second(to, stream);
    return before;
}

//--- main.cu
#include "steps.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static __global__ void add_kernel(int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = out[i] * 5 + 3;
}

static void add(int *to, cudaStream_t stream) {
    add_kernel<<<3, 128, 0, stream>>>(to, SIZE);
}

extern step *const own;
step *const own = add;

static void *find(const char *library, const char *name) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return loaded ? dlsym(loaded, name) : NULL;
}

int main() {
    step *volatile pointer = own;
    step *own_step = pointer, *other = (step *)find("./steps.so", "work");
    int (*wait_and_call)(int *, cudaStream_t, step *, step *);
    int *all[3];
    cudaStream_t stream;
    *(void **)&wait_and_call = find("./calls.so", "wait_and_call");
    if (!other || !wait_and_call)
        return 2;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int *&buffer : all) {
        cudaMallocManaged(&buffer, SIZE * sizeof(int));
        memset(buffer, 1, SIZE * sizeof(int));
    }
    for (int round = 0; round < 3; round++) {
        for (int *buffer : all)
            own_step(buffer, stream);
        for (int *buffer : all)
            other(buffer, stream);
        for (int *buffer : all)
            own_step(buffer, stream);
        twice(all[round], stream);
        for (int *buffer : all)
            own_step(buffer, stream);
        printf("before %d\n", wait_and_call(all[1], stream, own_step, other));
    }
    cudaStreamSynchronize(stream);
    for (int *buffer : all)
        printf("%d %d\n", buffer[0], buffer[SIZE - 1]);
    return 0;
}
