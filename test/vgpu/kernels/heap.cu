// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t
// RUN: for s in 0 1 2 3; do env VGPU_SEED=$s VGPU_CHECK=races VGPU_STATS=%t.json %t || exit 1; done
// RUN: FileCheck %s < %t.json
// RUN: sh -c 'VGPU_CHECK=races %t race >%t.out 2>&1; test $? = 66' && FileCheck --check-prefix=RACE %s < %t.out
// RUN: sh -c '%t twice >%t.out 2>&1; test $? = 3' && FileCheck --check-prefix=TWICE %s < %t.out
// CHECK: "races": 0,
// RACE: race on bytes {{.*}}malloc in a kernel
// TWICE: kernel {{.*}}free_twice{{.*}}: free of 0x{{.*}}, which malloc has not given out
// malloc, free, new and delete of kernels: memory lives from one kernel to the next, its size is bounded, and what
// one kernel gives back another one may get, whatever stream it is in.
#include "check.h"

enum { N = 64, HEAP = 1 << 16 };

__global__ void make(int **made) {
    int *mine = (int *)malloc(sizeof(int) * (threadIdx.x + 1));
    mine[threadIdx.x] = threadIdx.x;
    int *other = new int[2];
    other[1] = 1;
    delete[] other;
    made[threadIdx.x] = mine;
}

__global__ void use(int **made, int *out) {
    out[threadIdx.x] = made[threadIdx.x][threadIdx.x];
    free(made[threadIdx.x]);
}

__global__ void take_all(int *count) {
    void **last = 0;
    while (void **next = (void **)malloc(1024)) {
        *next = last;
        last = next;
        ++*count;
    }
    for (; last; ++count[1])
        last = (void **)*last;
    free(0);
}

__global__ void passing(int *out) {
    int *mine = (int *)malloc(sizeof(int));
    *mine = 3;
    *out = *mine;
    free(mine);
}

__global__ void write(int **made) {
    made[0][0] = 1;
}

__global__ void free_twice(int **made) {
    free(made[0]);
    free(made[0]);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int **made = DEVICE_ZEROS(int *, N), *out = DEVICE_ZEROS(int, N), got[N];
    cudaStream_t a, b;
    CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP));
    make<<<1, N>>>(made);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * HEAP), cudaErrorInvalidValue);
    if (!strcmp(what, "race")) {
        write<<<1, 1, 0, a>>>(made);
        write<<<1, 1, 0, b>>>(made);
    }
    if (!strcmp(what, "twice")) {
        free_twice<<<1, 1>>>(made);
        return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 3 : 1;
    }
    CUDA(cudaDeviceSynchronize());
    use<<<1, N>>>(made, out);
    fetch(got, out, sizeof(got));
    for (int i = 1; i < N; i++)
        CHECK_EQUAL(got[i], i);
    CUDA(cudaMemset(out, 0, sizeof(got)));
    CUDA(cudaDeviceSynchronize());
    passing<<<1, 1, 0, a>>>(out);
    passing<<<1, 1, 0, b>>>(out + 1);
    CUDA(cudaDeviceSynchronize());
    take_all<<<1, 1>>>(out + 2);
    fetch(got, out, sizeof(got));
    CHECK_EQUAL(got[0] + got[1], 6);
    CHECK_EQUAL(got[2], HEAP / 1024);
    CHECK_EQUAL(got[3], HEAP / 1024);
    return 0;
}
