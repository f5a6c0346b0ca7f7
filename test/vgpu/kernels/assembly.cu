// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// The inline asm that CUDA's headers and common code use: cache operators, funnel shifts, special registers, exit,
// compiler barriers, half precision. Clang 19 has no functions past caches.
// REQUIRES: clang-22
#include "check.h"
#include <cuda_fp16.h>

__global__ void cached(const int *in, int *out, const float *f, float *g, const signed char *c,
                       long long *wide) {
    const int i = threadIdx.x;
    __stwt(&out[i], __ldcg(&in[i]) + __ldcs(&in[i]));
    __stwt(&g[i], __ldcv(&f[i]) * 2);
    __stwt(&wide[i], (long long)__ldcg(&c[i]) << 33);
    asm volatile("" ::: "memory");
    out[i] += __ldg(&in[i]);
}

__global__ void shifts(unsigned *out) {
    out[0] = __funnelshift_l(0x80000001u, 0x12345678u, 36);
    out[1] = __funnelshift_lc(0x80000001u, 0x12345678u, 36);
    out[2] = __funnelshift_r(0x80000001u, 0x12345678u, 4);
    out[3] = __funnelshift_rc(0x80000001u, 0x12345678u, 32);
}

__device__ unsigned lane(void) {
    unsigned l;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}

__global__ void registers(unsigned *out) {
    unsigned warp, mask;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    out[3 * threadIdx.x] = lane();
    out[3 * threadIdx.x + 1] = warp;
    out[3 * threadIdx.x + 2] = mask;
    const long long start = clock64();
    __nanosleep(10);
    if (clock64() < start || threadIdx.x == 40)
        asm volatile("exit;");
    __syncthreads();
    out[3 * threadIdx.x] += 100;
}

__global__ void halves(float *out) {
    const __half x = __float2half(1.5f), y = __float2half((float)threadIdx.x);
    out[4 * threadIdx.x] = __half2float(__hadd(x, y));
    out[4 * threadIdx.x + 1] = __half2float(__hmul(x, y));
    out[4 * threadIdx.x + 2] = __half2float(__hsub(x, y));
    out[4 * threadIdx.x + 3] = __half2float(__hfma(x, y, x));
}

int main(void) {
    enum { N = 64 };
    int host[N], got[N];
    float real[N];
    signed char bytes[N];
    long long wides[N];
    for (int i = 0; i < N; i++) {
        host[i] = i * i;
        real[i] = i * 0.5f;
        bytes[i] = (signed char)(i - 32);
    }
    int *in = DEVICE_ZEROS(int, N), *out = DEVICE_ZEROS(int, 3 * N);
    float *f = DEVICE_ZEROS(float, N), *g = DEVICE_ZEROS(float, N);
    signed char *c = DEVICE_ZEROS(signed char, N);
    long long *wide = DEVICE_ZEROS(long long, N);
    CUDA(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(f, real, sizeof(real), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(c, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
    cached<<<1, N>>>(in, out, f, g, c, wide);
    fetch(got, out, sizeof(got));
    fetch(real, g, sizeof(real));
    fetch(wides, wide, sizeof(wides));
    for (int i = 0; i < N; i++) {
        CHECK_EQUAL(got[i], 3 * i * i);
        CHECK(real[i] == (float)i);
        CHECK_EQUAL(wides[i], (i - 32) * (1ll << 33));
    }

    shifts<<<1, 1>>>((unsigned *)out);
    fetch(got, out, 4 * sizeof(int));
    CHECK_EQUAL((unsigned)got[0], 0x23456788u);
    CHECK_EQUAL((unsigned)got[1], 0x80000001u);
    CHECK_EQUAL((unsigned)got[2], 0x88000000u);
    CHECK_EQUAL((unsigned)got[3], 0x12345678u);

    halves<<<1, 5>>>(g);
    fetch(real, g, 20 * sizeof(float));
    for (int i = 0; i < 5; i++)
        CHECK(real[4 * i] == 1.5f + i && real[4 * i + 1] == 1.5f * i && real[4 * i + 2] == 1.5f - i &&
              real[4 * i + 3] == 1.5f * i + 1.5f);

    int values[3 * N];
    registers<<<1, N>>>((unsigned *)out);
    fetch(values, out, sizeof(values));
    for (int i = 0; i < N; i++) {
        CHECK_EQUAL(values[3 * i], i % 32 + (i == 40 ? 0 : 100));
        CHECK_EQUAL(values[3 * i + 1], i / 32);
        CHECK_EQUAL((unsigned)values[3 * i + 2], (1u << i % 32) - 1);
    }
    return 0;
}
