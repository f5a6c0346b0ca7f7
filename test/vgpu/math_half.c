/*
 * Half precision, f16 and bf16: what cuda_fp16.h and cuda_bf16.h ask for in inline assembly, one value in a
 * register or two (x2, the first in the lower half). Computed in double precision, and rounded once.
 */
#define _GNU_SOURCE
#include "test/vgpu/device_abi.h"

#include <math.h>
#include <string.h>

static uint32_t to_f16(double x) {
    const _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof(bits));
    return bits;
}

static double from_f16(uint32_t bits) {
    const uint16_t low = (uint16_t)bits;
    _Float16 half;
    memcpy(&half, &low, sizeof(half));
    return (double)half;
}

static double from_bf16(uint32_t bits) {
    const uint32_t all = bits << 16;
    float x;
    memcpy(&x, &all, sizeof(x));
    return x;
}

/* By way of a float whose last bit tells that more follows, so that this rounds once. */
static uint32_t to_bf16(double x) {
    float near = (float)x;
    uint32_t bits;
    const int exact = (double)near == x;
    if (isnan(x))
        return 0x7fff;
    if (fabs((double)near) > fabs(x))
        near = nextafterf(near, 0);
    memcpy(&bits, &near, sizeof(bits));
    if (!exact)
        bits |= 1;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

#define NV(name) vgpu_fn___nv_##name
#define ASM(name) vgpu_asm_##name

VGPU_DEVICE_FN(uint32_t, NV(float2half_rn), float x) {
    return to_f16((double)x);
}
VGPU_DEVICE_FN(float, NV(half2float), uint32_t x) {
    return (float)from_f16(x);
}

/* Arithmetic, of both formats, and of one value and two */

#define UNARY_OF(name, format, e)                                                                            \
    static uint32_t name##_##format(uint32_t a) {                                                            \
        const double x = from_##format(a);                                                                   \
        return to_##format(e);                                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format), uint32_t a) {                                             \
        return name##_##format(a);                                                                           \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format##x2), uint32_t a) {                                         \
        return name##_##format(a & 0xffff) | name##_##format(a >> 16) << 16;                                 \
    }
#define UNARY(name, e) UNARY_OF(name, f16, e) UNARY_OF(name, bf16, e)

#define BINARY_OF(name, format, e)                                                                           \
    static uint32_t name##_##format(uint32_t a, uint32_t b) {                                                \
        const double x = from_##format(a), y = from_##format(b);                                             \
        return to_##format(e);                                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format), uint32_t a, uint32_t b) {                                 \
        return name##_##format(a, b);                                                                        \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format##x2), uint32_t a, uint32_t b) {                             \
        return name##_##format(a & 0xffff, b & 0xffff) | name##_##format(a >> 16, b >> 16) << 16;            \
    }
#define BINARY(name, e) BINARY_OF(name, f16, e) BINARY_OF(name, bf16, e)

UNARY(neg, -x)
UNARY(abs, fabs(x))
UNARY(tanh_approx, tanh(x))
UNARY(ex2_approx, exp2(x))
UNARY(ex2_approx_ftz, exp2(x))
BINARY(add, x + y)
BINARY(sub, x - y)
BINARY(mul, x *y)
BINARY(add_rn, x + y)
BINARY(sub_rn, x - y)
BINARY(mul_rn, x *y)
BINARY(min, fmin(x, y))
BINARY(max, fmax(x, y))

#define FMA_OF(name, format, e)                                                                              \
    static uint32_t name##_##format(uint32_t a, uint32_t b, uint32_t c) {                                    \
        const double x = fma(from_##format(a), from_##format(b), from_##format(c));                          \
        return to_##format(e);                                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format), uint32_t a, uint32_t b, uint32_t c) {                     \
        return name##_##format(a, b, c);                                                                     \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(name##_##format##x2), uint32_t a, uint32_t b, uint32_t c) {                 \
        return name##_##format(a & 0xffff, b & 0xffff, c & 0xffff) |                                         \
               name##_##format(a >> 16, b >> 16, c >> 16) << 16;                                             \
    }

FMA_OF(fma_rn, f16, x)
FMA_OF(fma_rn, bf16, x)
FMA_OF(fma_rn_relu, f16, fmax(x, 0))
FMA_OF(fma_rn_relu, bf16, fmax(x, 0))

/* Comparisons: those that end in u hold for NaNs, too. */

#define COMPARISON_OF(name, format, one, e)                                                                  \
    static uint32_t name##_##format(uint32_t a, uint32_t b) {                                                \
        const double x = from_##format(a), y = from_##format(b);                                             \
        return e;                                                                                            \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(setp_##name##_##format), uint32_t a, uint32_t b) {                          \
        return name##_##format(a, b);                                                                        \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(set_##name##_##format##_##format), uint32_t a, uint32_t b) {                \
        return name##_##format(a, b) ? (one) : 0;                                                            \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(set_##name##_##format##x2_##format##x2), uint32_t a, uint32_t b) {          \
        return (name##_##format(a & 0xffff, b & 0xffff) ? (one) : 0u) |                                      \
               (name##_##format(a >> 16, b >> 16) ? (one) : 0u) << 16;                                       \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(set_##name##_u32_##format##x2), uint32_t a, uint32_t b) {                   \
        return (name##_##format(a & 0xffff, b & 0xffff) ? 0xffffu : 0u) |                                    \
               (name##_##format(a >> 16, b >> 16) ? 0xffff0000u : 0u);                                       \
    }
#define COMPARISON(name, e) COMPARISON_OF(name, f16, 0x3c00u, e) COMPARISON_OF(name, bf16, 0x3f80u, e)

COMPARISON(eq, x == y)
COMPARISON(ne, x<y || x> y)
COMPARISON(lt, x < y)
COMPARISON(le, x <= y)
COMPARISON(gt, x > y)
COMPARISON(ge, x >= y)
COMPARISON(equ, !(x < y || x > y))
COMPARISON(neu, x != y)
COMPARISON(ltu, !(x >= y))
COMPARISON(leu, !(x > y))
COMPARISON(gtu, !(x <= y))
COMPARISON(geu, !(x < y))
COMPARISON(nan, isnan(x) || isnan(y))

/* Conversions; of two values into one register, the first is the upper. */

#define CONVERSIONS(format)                                                                                  \
    VGPU_DEVICE_FN(float, ASM(cvt_f32_##format), uint32_t x) {                                               \
        return (float)from_##format(x);                                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_##format##_f32), float x) {                                          \
        return to_##format((double)x);                                                                       \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_##format##_f64), double x) {                                         \
        return to_##format(x);                                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_##format##x2_f32), float x, float y) {                               \
        return to_##format((double)x) << 16 | to_##format((double)y);                                        \
    }

CONVERSIONS(f16)
CONVERSIONS(bf16)

VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_f16_bf16), uint32_t x) {
    return to_f16(from_bf16(x));
}
VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_bf16_f16), uint32_t x) {
    return to_bf16(from_f16(x));
}

#define FROM_INTEGER(format, name, type)                                                                     \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_##format##_##name), type x) {                                        \
        return to_##format((double)x);                                                                       \
    }

/* Narrow ones come in the lower bits of a register. */
#define FROM_NARROW(format, name, type)                                                                      \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_rn_##format##_##name), uint32_t x) {                                    \
        return to_##format((double)(type)x);                                                                 \
    }

/* Out of range: the nearest number that there is; 0 for NaNs. */
#define TO_INTEGER_BY(format, mode, round, name, type, least, most)                                          \
    VGPU_DEVICE_FN(type, ASM(cvt_##mode##_##name##_##format), uint32_t bits) {                               \
        const double x = round(from_##format(bits));                                                         \
        if (isnan(x))                                                                                        \
            return 0;                                                                                        \
        return x < (double)(least) ? (type)(least) : x >= (double)(most) ? (type)(most) : (type)x;           \
    }
#define TO_INTEGER(format, name, type, least, most)                                                          \
    TO_INTEGER_BY(format, rni, rint, name, type, least, most)                                                \
    TO_INTEGER_BY(format, rzi, trunc, name, type, least, most)                                               \
    TO_INTEGER_BY(format, rmi, floor, name, type, least, most)                                               \
    TO_INTEGER_BY(format, rpi, ceil, name, type, least, most)
#define TO_WHOLE(format, mode, round)                                                                        \
    VGPU_DEVICE_FN(uint32_t, ASM(cvt_##mode##_##format##_##format), uint32_t bits) {                         \
        return to_##format(round(from_##format(bits)));                                                      \
    }

#define INTEGERS(format)                                                                                     \
    FROM_INTEGER(format, s32, int32_t)                                                                       \
    FROM_INTEGER(format, u32, uint32_t)                                                                      \
    FROM_INTEGER(format, s64, int64_t)                                                                       \
    FROM_INTEGER(format, u64, uint64_t)                                                                      \
    FROM_NARROW(format, s16, int16_t)                                                                        \
    FROM_NARROW(format, u16, uint16_t)                                                                       \
    FROM_NARROW(format, s8, int8_t)                                                                          \
    FROM_NARROW(format, u8, uint8_t)                                                                         \
    TO_INTEGER(format, s32, int32_t, INT32_MIN, INT32_MAX)                                                   \
    TO_INTEGER(format, u32, uint32_t, 0, UINT32_MAX)                                                         \
    TO_INTEGER(format, s64, int64_t, INT64_MIN, INT64_MAX)                                                   \
    TO_INTEGER(format, u64, uint64_t, 0, UINT64_MAX)                                                         \
    TO_INTEGER(format, s16, int32_t, INT16_MIN, INT16_MAX)                                                   \
    TO_INTEGER(format, u16, uint32_t, 0, UINT16_MAX)                                                         \
    TO_INTEGER(format, s8, int32_t, INT8_MIN, INT8_MAX)                                                      \
    TO_INTEGER(format, u8, uint32_t, 0, UINT8_MAX)                                                           \
    TO_WHOLE(format, rni, rint)                                                                              \
    TO_WHOLE(format, rzi, trunc)                                                                             \
    TO_WHOLE(format, rmi, floor)                                                                             \
    TO_WHOLE(format, rpi, ceil)

INTEGERS(f16)
INTEGERS(bf16)
