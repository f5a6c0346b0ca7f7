// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && env VGPU_CHECK=races %t
// Half precision as cuda_fp16.h and cuda_bf16.h have it: arithmetic, comparisons and conversions of one value and of
// two, and atomics, with results that are rounded once.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct results {
    float sum, product, fused, least, minus, two[2], sums[2], whole;
    int less, equal[2], number, narrow;
};

__global__ void with_f16(struct results *out, float x, float y) {
    const __half a = __float2half(x), b = __float2half(y);
    const __half2 both = __floats2half2_rn(x, y), sum = __hadd2(both, both), same = __heq2(both, __half2half2(a));
    out->sum = __half2float(__hadd(a, b));
    out->product = __half2float(__hmul(a, b));
    out->fused = __half2float(__hfma(a, b, a));
    out->least = __half2float(__hmin(a, b));
    out->minus = __half2float(__hneg(a));
    out->two[0] = __low2float(both);
    out->two[1] = __high2float(both);
    out->sums[0] = __low2float(sum);
    out->sums[1] = __high2float(__hfma2(both, both, both));
    out->whole = __half2float(hfloor(b));
    out->less = __hlt(a, b);
    out->equal[0] = (int)__low2float(same);
    out->equal[1] = (int)__high2float(same);
    out->number = __half2int_rn(b);
    out->narrow = (int)__half2float(__int2half_rn(2049));
}

__global__ void with_bf16(struct results *out, float x, float y) {
    const __nv_bfloat16 a = __float2bfloat16(x), b = __float2bfloat16(y);
    const __nv_bfloat162 both = __floats2bfloat162_rn(x, y), sum = __hadd2(both, both);
    out->sum = __bfloat162float(__hadd(a, b));
    out->product = __bfloat162float(__hmul(a, b));
    out->fused = __bfloat162float(__hfma(a, b, a));
    out->least = __bfloat162float(__hmin(a, b));
    out->minus = __bfloat162float(__hneg(a));
    out->two[0] = __low2float(both);
    out->two[1] = __high2float(both);
    out->sums[0] = __low2float(sum);
    out->sums[1] = __high2float(__hfma2(both, both, both));
    out->whole = __bfloat162float(hfloor(b));
    out->less = __hlt(a, b);
    out->equal[0] = __heq(a, a);
    out->equal[1] = __heq(a, b);
    out->number = __bfloat162int_rn(b);
    out->narrow = (int)__bfloat162float(__int2bfloat16_rn(259));
}

__global__ void across(float *out, float x) {
    out[0] = __half2float(__half(__float2bfloat16(x)));
    out[1] = __bfloat162float(__nv_bfloat16(__float2half(x)));
    out[2] = (signed char)__float2bfloat16(-x);
    out[3] = (unsigned char)__float2half(x);
}

__global__ void add_up(__half2 *pair, __half *one, __nv_bfloat162 *other) {
    atomicAdd(pair, __floats2half2_rn(1, 2));
    atomicAdd(one, __float2half(0.5f));
    atomicAdd(other, __floats2bfloat162_rn(2, 4));
}

static void check(const struct results *got, int narrow) {
    CHECK(got->sum == 4.25f && got->product == 4.125f && got->fused == 5.625f && got->least == 1.5f && got->minus == -1.5f);
    CHECK(got->two[0] == 1.5f && got->two[1] == 2.75f && got->sums[0] == 3 && got->whole == 2);
    CHECK(got->less == 1 && got->equal[0] == 1 && got->equal[1] == 0 && got->number == 3);
    CHECK_EQUAL(got->narrow, narrow);
}

int main(void) {
    struct results *out = DEVICE_ZEROS(struct results, 1), got;
    with_f16<<<1, 1>>>(out, 1.5f, 2.75f);
    fetch(&got, out, sizeof(got));
    check(&got, 2048);
    CHECK(got.sums[1] == 10.3125f);
    with_bf16<<<1, 1>>>(out, 1.5f, 2.75f);
    fetch(&got, out, sizeof(got));
    check(&got, 260);
    CHECK(got.sums[1] == 10.3125f);
    unsigned *sums = DEVICE_ZEROS(unsigned, 3), bits[3];
    add_up<<<1, 64>>>((__half2 *)sums, (__half *)(sums + 1), (__nv_bfloat162 *)(sums + 2));
    fetch(bits, sums, sizeof(bits));
    CHECK_EQUAL(bits[0], 0x58005400);
    CHECK_EQUAL(bits[1] & 0xffff, 0x5000);
    CHECK_EQUAL(bits[2], 0x43804300);
    float *converted = DEVICE_ZEROS(float, 4), numbers[4];
    across<<<1, 1>>>(converted, 259.0f); /* bf16 has 8 bits of it, f16 all, and rounds what it gives on */
    fetch(numbers, converted, sizeof(numbers));
    CHECK(numbers[0] == 260 && numbers[1] == 260);
    CHECK(numbers[2] == -128 && numbers[3] == 255); /* saturated */
    return 0;
}
