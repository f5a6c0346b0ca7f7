// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Device math functions against the host's libm.
#include "check.h"

enum { N = 200, FUNCTIONS = 24 };

__global__ void compute(const double *in, double *wide, float *narrow) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    const double x = in[i];
    const float f = (float)x;
    double *w = wide + i * FUNCTIONS;
    float *n = narrow + i * FUNCTIONS;
    int k = 0;
#define BOTH(a, b) (w[k] = (a), n[k++] = (b))
    BOTH(sin(x), sinf(f));
    BOTH(cos(x), __cosf(f));
    BOTH(tan(x), tanf(f));
    BOTH(exp(x), __expf(f));
    BOTH(log(fabs(x)), logf(fabsf(f)));
    BOTH(sqrt(fabs(x)), sqrtf(fabsf(f)));
    BOTH(rsqrt(fabs(x)), rsqrtf(fabsf(f)));
    BOTH(pow(fabs(x), 1.7), __powf(fabsf(f), 1.7f));
    BOTH(atan2(x, 2.0), atan2f(f, 2.0f));
    BOTH(floor(x), floorf(f));
    BOTH(ceil(x), ceilf(f));
    BOTH(rint(x), rintf(f));
    BOTH(fmod(x, 0.7), fmodf(f, 0.7f));
    BOTH(fma(x, x, 1.0), fmaf(f, f, 1.0f));
    BOTH(fmin(x, 0.5), fminf(f, 0.5f));
    BOTH(fmax(x, 0.5), fmaxf(f, 0.5f));
    BOTH(erf(x), erff(f));
    BOTH(tanh(x), tanhf(f));
    BOTH(cbrt(x), cbrtf(f));
    BOTH(hypot(x, 3.0), hypotf(f, 3.0f));
    BOTH(x / 3.0, __fdividef(f, 3.0f));
    BOTH(sinpi(x), sinpif(f));
    BOTH(normcdf(x), normcdff(f));
    BOTH(erfinv(tanh(x)), erfinvf(tanhf(f)));
}

static void near(double got, double expected, double tolerance, int function, double x) {
    if (fabs(got - expected) <= tolerance * fmax(1.0, fabs(expected)))
        return;
    printf("function %d of %g: %.17g, not %.17g\n", function, x, got, expected);
    exit(1);
}

static void check(double x, const double *w, const float *n) {
    const double pi = 3.14159265358979323846;
    const double expected[] = {sin(x),
                               cos(x),
                               tan(x),
                               exp(x),
                               log(fabs(x)),
                               sqrt(fabs(x)),
                               1.0 / sqrt(fabs(x)),
                               pow(fabs(x), 1.7),
                               atan2(x, 2.0),
                               floor(x),
                               ceil(x),
                               rint(x),
                               fmod(x, 0.7),
                               fma(x, x, 1.0),
                               fmin(x, 0.5),
                               fmax(x, 0.5),
                               erf(x),
                               tanh(x),
                               cbrt(x),
                               hypot(x, 3.0),
                               x / 3.0,
                               sin(pi * x),
                               0.5 * erfc(-x / sqrt(2.0))};
    for (int k = 0; k < FUNCTIONS - 1; k++) {
        near(w[k], expected[k], 1e-13, k, x);
        near(n[k], expected[k], 2e-5, k, x);
    }
    near(erf(w[FUNCTIONS - 1]), tanh(x), 1e-13, FUNCTIONS - 1, x);
    near(erff(n[FUNCTIONS - 1]), tanh(x), 2e-5, FUNCTIONS - 1, x);
}

__global__ void convert(const float *in, int *out) {
    int *o = out + threadIdx.x * 8;
    const float x = in[threadIdx.x];
    o[0] = __float2int_rn(x);
    o[1] = __float2int_rz(x);
    o[2] = __float2int_ru(x);
    o[3] = __float2int_rd(x);
    o[4] = __float_as_int(x);
    o[5] = (int)__float2uint_rn(x);
    o[6] = __float_as_int(__saturatef(x));
    o[7] = (__fadd_ru(x, 1e-9f) > x) + 2 * (__fadd_rd(x, 1e-9f) > x) + 4 * (__fmul_rn(x, 2.0f) == x + x);
}

static int bits(float x) {
    int b;
    memcpy(&b, &x, sizeof(b));
    return b;
}

int main(void) {
    double in[N], *x = DEVICE_ZEROS(double, N), *w = DEVICE_ZEROS(double, N *FUNCTIONS);
    float *n = DEVICE_ZEROS(float, N *FUNCTIONS);
    static double wide[N * FUNCTIONS];
    static float narrow[N * FUNCTIONS];
    for (int i = 0; i < N; i++)
        in[i] = (float)((i - N / 2 + 0.37) * 0.031);
    CUDA(cudaMemcpy(x, in, sizeof(in), cudaMemcpyHostToDevice));
    compute<<<(N + 63) / 64, 64>>>(x, w, n);
    fetch(wide, w, sizeof(wide));
    fetch(narrow, n, sizeof(narrow));
    for (int i = 0; i < N; i++)
        check(in[i], wide + i * FUNCTIONS, narrow + i * FUNCTIONS);

    const float values[] = {2.5f, -2.5f, 0.25f, 1e20f, -1e20f};
    float *v = DEVICE_ZEROS(float, 5);
    int *o = DEVICE_ZEROS(int, 40), got[40];
    CUDA(cudaMemcpy(v, values, sizeof(values), cudaMemcpyHostToDevice));
    convert<<<1, 5>>>(v, o);
    fetch(got, o, sizeof(got));
    const int expected[5][4] = {{2, 2, 3, 2},
                                {-2, -2, -2, -3},
                                {0, 0, 1, 0},
                                {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff},
                                {-0x7fffffff - 1, -0x7fffffff - 1, -0x7fffffff - 1, -0x7fffffff - 1}};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++)
            CHECK_EQUAL(got[8 * i + k], expected[i][k]);
        CHECK_EQUAL(got[8 * i + 4], bits(values[i]));
        CHECK_EQUAL((unsigned)got[8 * i + 5], values[i] < 0      ? 0u
                                              : values[i] > 1e9f ? 0xffffffffu
                                                                 : (unsigned)rintf(values[i]));
        CHECK_EQUAL(got[8 * i + 6], bits(fminf(fmaxf(values[i], 0.0f), 1.0f)));
        CHECK_EQUAL(got[8 * i + 7], 5);
    }
    return 0;
}
