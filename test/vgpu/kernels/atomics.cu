// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Atomics of every operation and type, on global and shared memory, of every scope.
#include "check.h"

enum { THREADS = 128, BLOCKS = 4, N = THREADS * BLOCKS };

struct cells {
    int add, sub, smin, smax, exchange, cas, all_and, all_or, all_xor;
    unsigned umin, umax, inc, dec, block;
    unsigned long long wide, wide_max, wide_cas, system;
    float real;
    double wide_real, by_hand;
};

__device__ double add_by_hand(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(
            bits, assumed,
            (unsigned long long)__double_as_longlong(value + __longlong_as_double((long long)assumed)));
    } while (assumed != old);
    return __longlong_as_double((long long)old);
}

__global__ void work(struct cells *c, int *seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    seen[atomicAdd(&c->add, 1)]++;
    atomicSub(&c->sub, i);
    atomicMin(&c->smin, 10 - i);
    atomicMax(&c->smax, i - 10);
    atomicExch(&c->exchange, i + 1);
    atomicCAS(&c->cas, i, i + 1);
    atomicAnd(&c->all_and, ~(1 << i % 16));
    atomicOr(&c->all_or, 1 << i % 16);
    atomicXor(&c->all_xor, i);
    atomicMin(&c->umin, 0xfffffff0u - i);
    atomicMax(&c->umax, 0x80000000u + i);
    atomicInc(&c->inc, 99);
    atomicDec(&c->dec, 99);
    atomicAdd_block(&c->block, 2);
    atomicAdd(&c->wide, 1ull << 32);
    atomicMax(&c->wide_max, 0x8000000000000000ull + i);
    atomicCAS(&c->wide_cas, (unsigned long long)i, i + 1ull);
    atomicAdd_system(&c->system, 3ull);
    atomicAdd(&c->real, 0.5f);
    atomicAdd(&c->wide_real, 0.25);
    add_by_hand(&c->by_hand, 2.0);
}

__global__ void histogram(const unsigned char *in, unsigned *bins) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main(void) {
    struct cells *device = DEVICE_ZEROS(struct cells, 1), c = {};
    int *seen = DEVICE_ZEROS(int, N), host_seen[N];
    c.all_and = -1;
    c.umin = ~0u;
    CUDA(cudaMemcpy(device, &c, sizeof(c), cudaMemcpyHostToDevice));
    work<<<BLOCKS, THREADS>>>(device, seen);
    fetch(&c, device, sizeof(c));
    fetch(host_seen, seen, sizeof(host_seen));
    int all_xor = 0;
    for (int i = 0; i < N; i++) {
        CHECK_EQUAL(host_seen[i], 1);
        all_xor ^= i;
    }
    CHECK_EQUAL(c.add, N);
    CHECK_EQUAL(c.sub, -N * (N - 1) / 2);
    CHECK_EQUAL(c.smin, 10 - (N - 1));
    CHECK_EQUAL(c.smax, N - 11);
    CHECK(c.exchange >= 1 && c.exchange <= N);
    CHECK_EQUAL(c.cas, N);
    CHECK_EQUAL(c.all_and, ~0xffff);
    CHECK_EQUAL(c.all_or, 0xffff);
    CHECK_EQUAL(c.all_xor, all_xor);
    CHECK_EQUAL(c.umin, 0xfffffff0u - (N - 1));
    CHECK_EQUAL(c.umax, 0x80000000u + N - 1);
    CHECK_EQUAL(c.inc, N % 100);
    CHECK_EQUAL(c.dec, (100 - N % 100) % 100);
    CHECK_EQUAL(c.block, 2 * N);
    CHECK_EQUAL(c.wide, (unsigned long long)N << 32);
    CHECK_EQUAL(c.wide_max, 0x8000000000000000ull + N - 1);
    CHECK_EQUAL(c.wide_cas, N);
    CHECK_EQUAL(c.system, 3 * N);
    CHECK(c.real == 0.5f * N && c.wide_real == 0.25 * N && c.by_hand == 2.0 * N);

    unsigned char bytes[N], *in = DEVICE_ZEROS(unsigned char, N);
    unsigned *bins = DEVICE_ZEROS(unsigned, 16), got[16], expected[16] = {0};
    for (int i = 0; i < N; i++) {
        bytes[i] = (unsigned char)(i * 37 % 251);
        expected[bytes[i] % 16]++;
    }
    CUDA(cudaMemcpy(in, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
    histogram<<<BLOCKS, THREADS>>>(in, bins);
    fetch(got, bins, sizeof(got));
    for (int i = 0; i < 16; i++)
        CHECK_EQUAL(got[i], expected[i]);
    return 0;
}
