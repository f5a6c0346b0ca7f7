/* libdevice's functions of real numbers (__nv_*) that libm, or a line of C, computes. */
#define _GNU_SOURCE
#include "test/vgpu/device_abi.h"

#include <math.h>

#define NV(name) vgpu_fn___nv_##name

/* One function in double and float: `f(double)` from libm's f, `ff(float)` from libm's ff. */
#define REAL1(fn)                                                                                            \
    VGPU_DEVICE_FN(double, NV(fn), double x) {                                                               \
        return fn(x);                                                                                        \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(fn##f), float x) {                                                              \
        return fn##f(x);                                                                                     \
    }
#define REAL2(fn)                                                                                            \
    VGPU_DEVICE_FN(double, NV(fn), double x, double y) {                                                     \
        return fn(x, y);                                                                                     \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(fn##f), float x, float y) {                                                     \
        return fn##f(x, y);                                                                                  \
    }
/* The same, in terms of an expression of x (and y, z, w) computed in double. */
#define EXPRESSION1(fn, e)                                                                                   \
    VGPU_DEVICE_FN(double, NV(fn), double x) {                                                               \
        return e;                                                                                            \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(fn##f), float single) {                                                         \
        const double x = (double)single;                                                                     \
        return (float)(e);                                                                                   \
    }

REAL1(acos)
REAL1(acosh)
REAL1(asin)
REAL1(asinh)
REAL1(atan)
REAL1(atanh)
REAL1(cbrt)
REAL1(ceil)
REAL1(cos)
REAL1(cosh)
REAL1(erf)
REAL1(erfc)
REAL1(exp)
REAL1(exp10)
REAL1(exp2)
REAL1(expm1)
REAL1(fabs)
REAL1(floor)
REAL1(j0)
REAL1(j1)
REAL1(lgamma)
REAL1(log)
REAL1(log10)
REAL1(log1p)
REAL1(log2)
REAL1(logb)
REAL1(nearbyint)
REAL1(rint)
REAL1(round)
REAL1(sin)
REAL1(sinh)
REAL1(sqrt)
REAL1(tan)
REAL1(tanh)
REAL1(tgamma)
REAL1(trunc)
REAL1(y0)
REAL1(y1)

REAL2(atan2)
REAL2(copysign)
REAL2(fdim)
REAL2(fmax)
REAL2(fmin)
REAL2(fmod)
REAL2(hypot)
REAL2(nextafter)
REAL2(pow)
REAL2(remainder)

/* sin and cos of pi x, exact at multiples of a half. */
static double sin_pi(double x) {
    const double r = fmod(x, 2.0);
    const double quarter = round(2.0 * r);
    const double rest = (r - quarter / 2.0) * M_PI;
    switch ((int)quarter & 3) {
    case 0:
        return sin(rest);
    case 1:
        return cos(rest);
    case 2:
        return -sin(rest);
    default:
        return -cos(rest);
    }
}

static double cos_pi(double x) {
    return sin_pi(fmod(fabs(x), 2.0) + 0.5);
}

/* exp(x^2) erfc(x); for large x the start of its asymptotic series. */
static double scaled_erfc(double x) {
    if (x < 25.0)
        return (double)expl((long double)x * (long double)x) * erfc(x);
    return (1.0 - 0.5 / (x * x)) / (x * sqrt(M_PI));
}

/* Inverse of the normal distribution by P. J. Acklam's rational approximation and two Halley steps. */
static double normal_quantile(double p) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (!(p > 0.0 && p < 1.0))
        return p == 0.0 ? -INFINITY : p == 1.0 ? INFINITY : NAN;
    const double tail = p < 0.5 ? p : 1.0 - p;
    double x;
    if (tail < 0.02425) {
        const double q = sqrt(-2.0 * log(tail));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    } else {
        const double q = tail - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
    }
    for (int i = 0; i < 2; i++) {
        const double e = 0.5 * erfc(-x / M_SQRT2) - tail;
        const double u = e * sqrt(2.0 * M_PI) * exp(x * x / 2.0);
        x -= u / (1.0 + x * u / 2.0);
    }
    return p < 0.5 ? x : -x;
}

EXPRESSION1(sinpi, sin_pi(x))
EXPRESSION1(cospi, cos_pi(x))
EXPRESSION1(rsqrt, 1.0 / sqrt(x))
EXPRESSION1(rcbrt, 1.0 / cbrt(x))
EXPRESSION1(normcdf, 0.5 * erfc(-x / M_SQRT2))
EXPRESSION1(normcdfinv, normal_quantile(x))
EXPRESSION1(erfinv, normal_quantile((x + 1.0) / 2.0) / M_SQRT2)
EXPRESSION1(erfcinv, -normal_quantile(x / 2.0) / M_SQRT2)
EXPRESSION1(erfcx, scaled_erfc(x))

/* Norms */

#define NORM(name, inverse, e, ...)                                                                          \
    VGPU_DEVICE_FN(double, NV(name), REALS(double, __VA_ARGS__)) {                                           \
        return sqrt(e);                                                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(name##f), REALS(float, __VA_ARGS__)) {                                          \
        return sqrtf((float)(e));                                                                            \
    }                                                                                                        \
    VGPU_DEVICE_FN(double, NV(inverse), REALS(double, __VA_ARGS__)) {                                        \
        return 1.0 / sqrt(e);                                                                                \
    }                                                                                                        \
    VGPU_DEVICE_FN(float, NV(inverse##f), REALS(float, __VA_ARGS__)) {                                       \
        return 1.0f / sqrtf((float)(e));                                                                     \
    }
#define REALS(type, n) REALS##n(type)
#define REALS3(type) type x, type y, type z
#define REALS4(type) type x, type y, type z, type w

NORM(norm3d, rnorm3d, x *x + y * y + z * z, 3)
NORM(norm4d, rnorm4d, x *x + y * y + z * z + w * w, 4)

static double square_sum(int32_t n, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static double square_sumf(int32_t n, const float *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

VGPU_DEVICE_FN(double, NV(norm), int32_t n, const double *x) {
    return sqrt(square_sum(n, x));
}
VGPU_DEVICE_FN(float, NV(normf), int32_t n, const float *x) {
    return (float)sqrt(square_sumf(n, x));
}
VGPU_DEVICE_FN(double, NV(rnorm), int32_t n, const double *x) {
    return 1.0 / sqrt(square_sum(n, x));
}
VGPU_DEVICE_FN(float, NV(rnormf), int32_t n, const float *x) {
    return (float)(1.0 / sqrt(square_sumf(n, x)));
}
VGPU_DEVICE_FN(double, NV(rhypot), double x, double y) {
    return 1.0 / hypot(x, y);
}
VGPU_DEVICE_FN(float, NV(rhypotf), float x, float y) {
    return 1.0f / hypotf(x, y);
}

/* Functions with an integer, or with results through pointers */

#define REAL_INT(type, suffix)                                                                               \
    VGPU_DEVICE_FN(type, NV(ldexp##suffix), type x, int32_t n) {                                             \
        return ldexp##suffix(x, n);                                                                          \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(scalbn##suffix), type x, int32_t n) {                                            \
        return scalbn##suffix(x, n);                                                                         \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(powi##suffix), type x, int32_t n) {                                              \
        return pow##suffix(x, (type)n);                                                                      \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(jn##suffix), int32_t n, type x) {                                                \
        return jn##suffix(n, x);                                                                             \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(yn##suffix), int32_t n, type x) {                                                \
        return yn##suffix(n, x);                                                                             \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(fma##suffix), type x, type y, type z) {                                          \
        return fma##suffix(x, y, z);                                                                         \
    }                                                                                                        \
    VGPU_DEVICE_FN(int32_t, NV(ilogb##suffix), type x) {                                                     \
        return ilogb##suffix(x);                                                                             \
    }                                                                                                        \
    VGPU_DEVICE_FN(int64_t, NV(llrint##suffix), type x) {                                                    \
        return llrint##suffix(x);                                                                            \
    }                                                                                                        \
    VGPU_DEVICE_FN(int64_t, NV(llround##suffix), type x) {                                                   \
        return llround##suffix(x);                                                                           \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(nan##suffix), const char *tag) {                                                 \
        return nan##suffix(tag);                                                                             \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(frexp##suffix), type x, int32_t *exponent) {                                     \
        return frexp##suffix(x, exponent);                                                                   \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(modf##suffix), type x, type *whole) {                                            \
        return modf##suffix(x, whole);                                                                       \
    }                                                                                                        \
    VGPU_DEVICE_FN(type, NV(remquo##suffix), type x, type y, int32_t *quotient) {                            \
        return remquo##suffix(x, y, quotient);                                                               \
    }                                                                                                        \
    VGPU_DEVICE_FN(void, NV(sincos##suffix), type x, type *sine, type *cosine) {                             \
        sincos##suffix(x, sine, cosine);                                                                     \
    }                                                                                                        \
    VGPU_DEVICE_FN(void, NV(sincospi##suffix), type x, type *sine, type *cosine) {                           \
        *sine = (type)sin_pi((double)x);                                                                     \
        *cosine = (type)cos_pi((double)x);                                                                   \
    }

REAL_INT(double, )
REAL_INT(float, f)

/* Classification */

VGPU_DEVICE_FN(int32_t, NV(isfinited), double x) {
    return isfinite(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(finitef), float x) {
    return isfinite(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(isinfd), double x) {
    return isinf(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(isinff), float x) {
    return isinf(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(isnand), double x) {
    return isnan(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(isnanf), float x) {
    return isnan(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(signbitd), double x) {
    return signbit(x) != 0;
}
VGPU_DEVICE_FN(int32_t, NV(signbitf), float x) {
    return signbit(x) != 0;
}
VGPU_DEVICE_FN(float, NV(saturatef), float x) {
    return fminf(fmaxf(x, 0.0f), 1.0f);
}

/* The fast variants are as exact as the others here. */

#define FAST1(name, e)                                                                                       \
    VGPU_DEVICE_FN(float, NV(fast_##name), float x) {                                                        \
        return e;                                                                                            \
    }

FAST1(cosf, cosf(x))
FAST1(sinf, sinf(x))
FAST1(tanf, tanf(x))
FAST1(expf, expf(x))
FAST1(exp10f, exp10f(x))
FAST1(logf, logf(x))
FAST1(log2f, log2f(x))
FAST1(log10f, log10f(x))

VGPU_DEVICE_FN(float, NV(fast_fdividef), float x, float y) {
    return x / y;
}
VGPU_DEVICE_FN(float, NV(fast_powf), float x, float y) {
    return powf(x, y);
}
VGPU_DEVICE_FN(void, NV(fast_sincosf), float x, float *sine, float *cosine) {
    sincosf(x, sine, cosine);
}
