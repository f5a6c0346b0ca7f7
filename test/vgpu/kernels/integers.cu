// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Integer intrinsics, wide arithmetic and 64-bit indices.
#include "check.h"

__global__ void compute(const unsigned *in, long long *out) {
    const unsigned x = in[threadIdx.x], y = x * 2654435761u;
    long long *o = out + threadIdx.x * 16;
    o[0] = __popc(x);
    o[1] = __clz((int)x);
    o[2] = __ffs((int)x);
    o[3] = __brev(x);
    o[4] = __byte_perm(x, y, 0x5140);
    o[5] = __umulhi(x, y);
    o[6] = __mulhi((int)x, (int)y);
    o[7] = (long long)__umul64hi((unsigned long long)x << 32, (unsigned long long)y << 32);
    o[8] = __usad(x, y, 5);
    o[9] = __popcll(((unsigned long long)x << 32) | y);
    o[10] = __clzll((long long)x);
    o[11] = __funnelshift_l(x, y, 7);
    o[12] = max((int)x, (int)y);
    o[13] = umin(x, y);
    o[14] = __mul24((int)x, (int)y);
    o[15] = (long long)((unsigned __int128)x * y * y >> 32);
}

int main(void) {
    const unsigned values[] = {0u, 1u, 0x80000000u, 0xffffffffu, 12345u, 0x00ff00ffu};
    enum { N = sizeof(values) / sizeof(values[0]) };
    unsigned *in = DEVICE_ZEROS(unsigned, N);
    long long *out = DEVICE_ZEROS(long long, 16 * N), o[16 * N];
    CUDA(cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice));
    compute<<<1, N>>>(in, out);
    fetch(o, out, sizeof(o));
    for (int i = 0; i < N; i++) {
        const unsigned x = values[i], y = x * 2654435761u;
        const long long *got = o + 16 * i;
        unsigned reversed = 0;
        for (int b = 0; b < 32; b++)
            reversed |= (x >> b & 1) << (31 - b);
        const unsigned bytes = (x & 0xff) | (y & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (y >> 8 & 0xff) << 24;
        CHECK_EQUAL(got[0], __builtin_popcount(x));
        CHECK_EQUAL(got[1], x ? __builtin_clz(x) : 32);
        CHECK_EQUAL(got[2], __builtin_ffs((int)x));
        CHECK_EQUAL(got[3], reversed);
        CHECK_EQUAL(got[4], bytes);
        CHECK_EQUAL(got[5], (unsigned)((unsigned long long)x * y >> 32));
        CHECK_EQUAL(got[6], (int)((long long)(int)x * (int)y >> 32));
        CHECK_EQUAL(got[7], (long long)((unsigned long long)x * y));
        CHECK_EQUAL(got[8], (unsigned)((x > y ? x - y : y - x) + 5));
        CHECK_EQUAL(got[9], __builtin_popcount(x) + __builtin_popcount(y));
        CHECK_EQUAL(got[10], x ? 32 + __builtin_clz(x) : 64);
        CHECK_EQUAL(got[11], (unsigned)(y << 7 | x >> 25));
        CHECK_EQUAL(got[12], (int)x > (int)y ? (int)x : (int)y);
        CHECK_EQUAL(got[13], x < y ? x : y);
        CHECK_EQUAL(got[14], (int)(((long long)((int)(x << 8) >> 8)) * ((int)(y << 8) >> 8)));
        CHECK_EQUAL(got[15], (long long)((unsigned __int128)x * y * y >> 32));
    }
    return 0;
}
