/* Floating-point intrinsics: llvm.nvvm.{fma,sqrt,rsqrt,...}. The approximate ones are exact here. */
#define _GNU_SOURCE
#include "test/vgpu/device_abi.h"

#include <math.h>
#include <string.h>

#define NVVM(name) vgpu_nvvm_##name

#define REAL1(name, type, e)                                                                                 \
    VGPU_DEVICE_FN(type, NVVM(name), type x) {                                                               \
        return e;                                                                                            \
    }
#define REAL2(name, type, e)                                                                                 \
    VGPU_DEVICE_FN(type, NVVM(name), type x, type y) {                                                       \
        return e;                                                                                            \
    }

REAL1(fabs_f32, float, fabsf(x))
REAL1(fabs_f64, double, fabs(x))
REAL1(floor_f, float, floorf(x))
REAL1(floor_d, double, floor(x))
REAL1(ceil_f, float, ceilf(x))
REAL1(ceil_d, double, ceil(x))
REAL1(trunc_f, float, truncf(x))
REAL1(trunc_d, double, trunc(x))
REAL1(round_f, float, rintf(x))
REAL1(round_d, double, rint(x))
REAL1(saturate_f, float, fminf(fmaxf(x, 0.0f), 1.0f))
REAL1(saturate_d, double, fmin(fmax(x, 0.0), 1.0))
REAL1(sqrt_f, float, sqrtf(x))
REAL1(sqrt_rn_f, float, sqrtf(x))
REAL1(sqrt_rn_d, double, sqrt(x))
REAL1(sqrt_approx_f, float, sqrtf(x))
REAL1(rsqrt_approx_f, float, (float)(1.0 / sqrt((double)x)))
REAL1(rsqrt_approx_d, double, 1.0 / sqrt(x))
REAL1(rcp_rn_f, float, 1.0f / x)
REAL1(rcp_rn_d, double, 1.0 / x)
REAL1(rcp_approx_ftz_f, float, 1.0f / x)
REAL1(rcp_approx_ftz_d, double, 1.0 / x)
REAL1(ex2_approx_f32, float, exp2f(x))
REAL1(ex2_approx_ftz_f32, float, exp2f(x))
REAL1(lg2_approx_f, float, log2f(x))
REAL1(lg2_approx_d, double, log2(x))
REAL1(sin_approx_f, float, sinf(x))
REAL1(cos_approx_f, float, cosf(x))

REAL2(fmin_f, float, fminf(x, y))
REAL2(fmin_d, double, fmin(x, y))
REAL2(fmax_f, float, fmaxf(x, y))
REAL2(fmax_d, double, fmax(x, y))
REAL2(add_rn_f, float, x + y)
REAL2(add_rn_d, double, x + y)
REAL2(mul_rn_f, float, x *y)
REAL2(mul_rn_d, double, x *y)
REAL2(div_rn_f, float, x / y)
REAL2(div_rn_d, double, x / y)
REAL2(div_approx_f, float, x / y)
REAL2(div_full, float, x / y)

VGPU_DEVICE_FN(float, NVVM(fma_rn_f), float x, float y, float z) {
    return fmaf(x, y, z);
}
VGPU_DEVICE_FN(double, NVVM(fma_rn_d), double x, double y, double z) {
    return fma(x, y, z);
}

/* The halves of a double */

VGPU_DEVICE_FN(int32_t, NVVM(d2i_lo), double x) {
    int32_t halves[2];
    memcpy(halves, &x, sizeof(halves));
    return halves[0];
}
VGPU_DEVICE_FN(int32_t, NVVM(d2i_hi), double x) {
    int32_t halves[2];
    memcpy(halves, &x, sizeof(halves));
    return halves[1];
}
VGPU_DEVICE_FN(double, NVVM(lohi_i2d), int32_t low, int32_t high) {
    const int32_t halves[2] = {low, high};
    double x;
    memcpy(&x, halves, sizeof(x));
    return x;
}
