/* libdevice's arithmetic and conversions with a given rounding: __nv_*_{rn,rz,ru,rd}. */
#include "test/vgpu/device_abi.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define NV(name) vgpu_fn___nv_##name

/* Evaluates `e`, whose operands are volatile, in a rounding mode; the result is `type r`. */
#define ROUNDED(type, mode, e)                                                                               \
    const int before = fegetround();                                                                         \
    fesetround(mode);                                                                                        \
    volatile type r = (type)(e);                                                                             \
    fesetround(before);                                                                                      \
    return r

#define MODES(m, ...)                                                                                        \
    m(rn, FE_TONEAREST, __VA_ARGS__) m(rz, FE_TOWARDZERO, __VA_ARGS__) m(ru, FE_UPWARD, __VA_ARGS__)         \
        m(rd, FE_DOWNWARD, __VA_ARGS__)

#define ARITHMETIC(suffix, mode, type, prefix)                                                               \
    VGPU_DEVICE_FN(type, NV(prefix##add_##suffix), volatile type x, volatile type y) {                       \
        ROUNDED(type, mode, x + y);                                                                          \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(prefix##sub_##suffix), volatile type x, volatile type y) {                       \
        ROUNDED(type, mode, x - y);                                                                          \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(prefix##mul_##suffix), volatile type x, volatile type y) {                       \
        ROUNDED(type, mode, x * y);                                                                          \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(prefix##div_##suffix), volatile type x, volatile type y) {                       \
        ROUNDED(type, mode, x / y);                                                                          \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(prefix##rcp_##suffix), volatile type x) {                                        \
        ROUNDED(type, mode, (type)1 / x);                                                                    \
    }

MODES(ARITHMETIC, float, f)
MODES(ARITHMETIC, double, d)

#define ROOTS(suffix, mode, unused)                                                                          \
    VGPU_DEVICE_FN(float, NV(fsqrt_##suffix), volatile float x) {                                            \
        ROUNDED(float, mode, sqrtf(x));                                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(double, NV(dsqrt_##suffix), volatile double x) {                                          \
        ROUNDED(double, mode, sqrt(x));                                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(fmaf_##suffix), volatile float x, volatile float y, volatile float z) {         \
        ROUNDED(float, mode, fmaf(x, y, z));                                                                 \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(fmaf_ieee_##suffix), volatile float x, volatile float y, volatile float z) {    \
        ROUNDED(float, mode, fmaf(x, y, z));                                                                 \
    }                                                                                                        \
    VGPU_DEVICE_FN(double, NV(fma_##suffix), volatile double x, volatile double y, volatile double z) {      \
        ROUNDED(double, mode, fma(x, y, z));                                                                 \
    }

MODES(ROOTS, )

VGPU_DEVICE_FN(float, NV(frsqrt_rn), float x) {
    return (float)(1.0 / sqrt((double)x));
}

#define FROM_INTEGER(suffix, mode, to, from, name)                                                           \
    VGPU_DEVICE_FN(to, NV(name##_##suffix), volatile from x) {                                               \
        ROUNDED(to, mode, x);                                                                                \
    }

MODES(FROM_INTEGER, float, int32_t, int2float)
MODES(FROM_INTEGER, float, uint32_t, uint2float)
MODES(FROM_INTEGER, float, int64_t, ll2float)
MODES(FROM_INTEGER, float, uint64_t, ull2float)
MODES(FROM_INTEGER, double, int64_t, ll2double)
MODES(FROM_INTEGER, double, uint64_t, ull2double)
MODES(FROM_INTEGER, float, double, double2float)
FROM_INTEGER(rn, FE_TONEAREST, double, int32_t, int2double)
FROM_INTEGER(rn, FE_TONEAREST, double, uint32_t, uint2double)

/* To integers: out of range saturates, as PTX's cvt does; NaN gives 0 (32 bits) or the top bit (64 bits). */

static double round_as(double x, int mode) {
    switch (mode) {
    case FE_UPWARD:
        return ceil(x);
    case FE_DOWNWARD:
        return floor(x);
    case FE_TOWARDZERO:
        return trunc(x);
    default:
        return nearbyint(x);
    }
}

/* `low` and `past` bound the type's range: low <= x < past. */
#define TO_INTEGER(suffix, mode, to, from, name, low, past, least, most, nan_value)                          \
    VGPU_DEVICE_FN(to, NV(name##_##suffix), from x) {                                                        \
        const double r = round_as((double)x, mode);                                                          \
        if (isnan(r))                                                                                        \
            return nan_value;                                                                                \
        return r < low ? least : r >= past ? most : (to)r;                                                   \
    }

#define TO_INTEGERS(from, prefix)                                                                            \
    MODES(TO_INTEGER, int32_t, from, prefix##2int, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, 0)                 \
    MODES(TO_INTEGER, uint32_t, from, prefix##2uint, 0.0, 0x1p32, 0, UINT32_MAX, 0)                          \
    MODES(TO_INTEGER, int64_t, from, prefix##2ll, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)          \
    MODES(TO_INTEGER, uint64_t, from, prefix##2ull, 0.0, 0x1p64, 0, UINT64_MAX, 1ull << 63)

TO_INTEGERS(float, float)
TO_INTEGERS(double, double)

/* Bits */

#define BITS(name, to, from)                                                                                 \
    VGPU_DEVICE_FN(to, NV(name), from x) {                                                                   \
        to r;                                                                                                \
        memcpy(&r, &x, sizeof(r));                                                                           \
        return r;                                                                                            \
    }

BITS(float_as_int, int32_t, float)
BITS(float_as_uint, uint32_t, float)
BITS(int_as_float, float, int32_t)
BITS(uint_as_float, float, uint32_t)
BITS(double_as_longlong, int64_t, double)
BITS(longlong_as_double, double, int64_t)

static uint64_t double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

VGPU_DEVICE_FN(int32_t, NV(double2hiint), double x) {
    return (int32_t)(double_bits(x) >> 32);
}
VGPU_DEVICE_FN(int32_t, NV(double2loint), double x) {
    return (int32_t)double_bits(x);
}
VGPU_DEVICE_FN(double, NV(hiloint2double), int32_t high, int32_t low) {
    const uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}
