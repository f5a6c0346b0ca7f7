// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Kernel parameters of every kind: small integers, bool, structs with pointers, large structs that the kernel
// changes (its own copy), vector types, and many of them.
#include "check.h"

struct view {
    float *data;
    int stride;
    struct {
        short a;
        char b;
    } inner;
};

struct large {
    int values[900];
};

__global__ void small(int *out, bool flag, char c, short s, unsigned char u, long long l, float f, double d) {
    out[0] = flag;
    out[1] = c;
    out[2] = s;
    out[3] = u;
    out[4] = (int)(l >> 40);
    out[5] = (int)(f * 4);
    out[6] = (int)(d * 8);
}

__global__ void through_struct(struct view v, int n) {
    const int i = threadIdx.x;
    if (i < n)
        v.data[i * v.stride] = v.inner.a + v.inner.b + i;
}

__global__ void changes_its_copy(struct large big, int *out) {
    for (int i = 0; i < 900; i++)
        big.values[i] += threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 900; i++)
        sum += big.values[i];
    out[threadIdx.x] = sum;
}

__global__ void vectors(float4 a, int2 b, double2 *out) {
    out[threadIdx.x] = make_double2(a.x + a.y + a.z + a.w, b.x * b.y);
}

int main(void) {
    int *out = DEVICE_ZEROS(int, 64), got[64];
    small<<<1, 1>>>(out, true, -5, -300, 200, 3ll << 40, 0.75f, 0.625);
    fetch(got, out, 7 * sizeof(int));
    const int expected[] = {1, -5, -300, 200, 3, 3, 5};
    for (int i = 0; i < 7; i++)
        CHECK_EQUAL(got[i], expected[i]);

    float *data = DEVICE_ZEROS(float, 40), values[40];
    struct view v = {data, 4, {100, 7}};
    through_struct<<<1, 16>>>(v, 10);
    fetch(values, data, sizeof(values));
    for (int i = 0; i < 40; i++)
        CHECK(values[i] == (i % 4 ? 0.0f : 107.0f + i / 4));

    struct large big;
    for (int i = 0; i < 900; i++)
        big.values[i] = i;
    changes_its_copy<<<2, 32>>>(big, out);
    fetch(got, out, 32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(got[i], 899 * 450 + 900 * i);

    double2 *pairs = DEVICE_ZEROS(double2, 1), pair;
    vectors<<<1, 1>>>(make_float4(1, 2, 3, 4), make_int2(6, 7), pairs);
    fetch(&pair, pairs, sizeof(pair));
    CHECK(pair.x == 10.0 && pair.y == 42.0);
    return 0;
}
