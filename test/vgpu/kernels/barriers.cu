// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// __syncthreads: reductions in static and dynamic shared memory, in loops, beside threads that have ended, in
// branches of a block, and with a vote.
#include "check.h"

enum { THREADS = 256, BLOCKS = 5, N = THREADS * BLOCKS };

__global__ void sum_static(const int *in, int *out) {
    __shared__ int part[THREADS];
    part[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

extern __shared__ int dynamic[];

__global__ void reverse_dynamic(const int *in, int *out) {
    const unsigned i = threadIdx.x, n = blockDim.x;
    dynamic[i] = in[blockIdx.x * n + i];
    __syncthreads();
    out[blockIdx.x * n + i] = dynamic[n - 1 - i];
}

/* Each thread leaves after its own number of rounds; the others go on meeting. */
__global__ void leave_early(int *rounds) {
    __shared__ int alive[THREADS + 1];
    for (unsigned round = 0; round <= THREADS; round++) {
        if (threadIdx.x == 0)
            alive[round] = 0;
        __syncthreads();
        atomicAdd(&alive[round], 1);
        __syncthreads();
        if (threadIdx.x == 0)
            rounds[round] = alive[round];
        if (threadIdx.x == THREADS - 1 - round)
            return;
    }
}

/* Both sides of a branch hold a barrier; the sides are whole warps. */
__global__ void branches(int *out) {
    __shared__ int order[2];
    if (threadIdx.x < 32) {
        order[0] = 1;
        __syncthreads();
        out[threadIdx.x] = order[1];
    } else {
        order[1] = 2;
        __syncthreads();
        out[threadIdx.x] = order[0];
    }
}

__global__ void votes(int *out) {
    const int even = threadIdx.x % 2 == 0;
    out[3 * threadIdx.x] = __syncthreads_count(even);
    out[3 * threadIdx.x + 1] = __syncthreads_and(threadIdx.x < 10) + 2 * __syncthreads_and(1);
    out[3 * threadIdx.x + 2] = __syncthreads_or(threadIdx.x == 7) + 2 * __syncthreads_or(0);
}

int main(void) {
    static int host[N], result[3 * N];
    int *in = DEVICE_ZEROS(int, N), *out = DEVICE_ZEROS(int, 3 * N);
    for (int i = 0; i < N; i++)
        host[i] = i * i % 1009;
    CUDA(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));

    sum_static<<<BLOCKS, THREADS>>>(in, out);
    fetch(result, out, BLOCKS * sizeof(int));
    for (int b = 0; b < BLOCKS; b++) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += host[b * THREADS + i];
        CHECK_EQUAL(result[b], sum);
    }

    reverse_dynamic<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(in, out);
    fetch(result, out, N * sizeof(int));
    for (int i = 0; i < N; i++)
        CHECK_EQUAL(result[i], host[i / THREADS * THREADS + THREADS - 1 - i % THREADS]);

    leave_early<<<1, THREADS>>>(out);
    fetch(result, out, THREADS * sizeof(int));
    for (int round = 0; round < THREADS; round++)
        CHECK_EQUAL(result[round], THREADS - round);

    branches<<<1, 64>>>(out);
    fetch(result, out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(result[i], i < 32 ? 2 : 1);

    votes<<<1, 75>>>(out);
    fetch(result, out, 3 * 75 * sizeof(int));
    for (int i = 0; i < 75; i++) {
        CHECK_EQUAL(result[3 * i], 38);
        CHECK_EQUAL(result[3 * i + 1], 2);
        CHECK_EQUAL(result[3 * i + 2], 1);
    }
    return 0;
}
