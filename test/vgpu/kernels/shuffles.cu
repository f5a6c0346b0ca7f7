// RUN: %vgpu-clang++ -O0 %s -o %t && %t
// RUN: %vgpu-clang++ -O2 %s -o %t && %t
// Warp shuffles of every kind, type and width, in whole warps, in parts of one, and with lanes that have ended.
#include "check.h"

enum { WARP = 32, THREADS = 64 };

__global__ void shuffle(int *out, int width) {
    const int lane = threadIdx.x % WARP, value = 100 + (int)threadIdx.x;
    int *mine = out + threadIdx.x * 4;
    mine[0] = __shfl_up_sync(~0u, value, 3, width);
    mine[1] = __shfl_down_sync(~0u, value, 5, width);
    mine[2] = __shfl_xor_sync(~0u, value, 6, width);
    mine[3] = __shfl_sync(~0u, value, lane + 1, width);
}

static void check_width(int *out, int width) {
    int got[THREADS * 4];
    shuffle<<<1, THREADS>>>(out, width);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++) {
        const int start = i / width * width, at = i % width;
        CHECK_EQUAL(got[4 * i], 100 + (at < 3 ? i : i - 3));
        CHECK_EQUAL(got[4 * i + 1], 100 + (at + 5 < width ? i + 5 : i));
        CHECK_EQUAL(got[4 * i + 2], 100 + ((at ^ 6) < width ? start + (at ^ 6) : (i ^ 6) < i ? i ^ 6 : i));
        CHECK_EQUAL(got[4 * i + 3], 100 + start + (i % WARP + 1) % width);
    }
}

__global__ void types(float *f, double *d, unsigned long long *u) {
    const int lane = threadIdx.x;
    f[lane] = __shfl_xor_sync(~0u, lane * 0.5f, 1);
    d[lane] = __shfl_down_sync(~0u, lane * 0.25, 1);
    u[lane] = __shfl_sync(~0u, lane * 0x100000001ull, 9);
}

__global__ void sum(const int *in, int *out) {
    int value = in[threadIdx.x];
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(~0u, value, offset);
    if (threadIdx.x % WARP == 0)
        out[threadIdx.x / WARP] = value;
}

/* Odd and even lanes meet apart; the last lanes of the block do not exist. */
__global__ void parts(int *out) {
    const int lane = threadIdx.x % WARP;
    if (lane % 2)
        out[threadIdx.x] = __shfl_sync(0xaaaaaaaau, (int)threadIdx.x, 1);
    else
        out[threadIdx.x] = __shfl_sync(0x55555555u, (int)threadIdx.x, 0) + 1000;
}

/* Half of the lanes have left; the mask still names them. */
__global__ void left(int *out) {
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
}

int main(void) {
    int *out = DEVICE_ZEROS(int, THREADS * 4), *in = DEVICE_ZEROS(int, THREADS), got[THREADS],
        values[THREADS];
    for (int width = 32; width >= 8; width /= 2)
        check_width(out, width);

    float *f = DEVICE_ZEROS(float, WARP), hf[WARP];
    double *d = DEVICE_ZEROS(double, WARP), hd[WARP];
    unsigned long long *u = DEVICE_ZEROS(unsigned long long, WARP), hu[WARP];
    types<<<1, WARP>>>(f, d, u);
    fetch(hf, f, sizeof(hf));
    fetch(hd, d, sizeof(hd));
    fetch(hu, u, sizeof(hu));
    for (int i = 0; i < WARP; i++) {
        CHECK(hf[i] == (i ^ 1) * 0.5f);
        CHECK(hd[i] == (i < WARP - 1 ? i + 1 : i) * 0.25);
        CHECK(hu[i] == 9 * 0x100000001ull);
    }

    for (int i = 0; i < THREADS; i++)
        values[i] = 3 * i + 1;
    CUDA(cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice));
    sum<<<1, THREADS>>>(in, out);
    fetch(got, out, 2 * sizeof(int));
    CHECK_EQUAL(got[0], 3 * 31 * 16 + 32);
    CHECK_EQUAL(got[1], 3 * (32 + 63) * 16 + 32);

    parts<<<1, 50>>>(out);
    fetch(got, out, 50 * sizeof(int));
    for (int i = 0; i < 50; i++)
        CHECK_EQUAL(got[i], i / WARP * WARP + (i % 2 ? 1 : 1000));

    left<<<1, WARP>>>(out);
    fetch(got, out, 16 * sizeof(int));
    for (int i = 0; i < 16; i++)
        CHECK_EQUAL(got[i], i ^ 1);
    return 0;
}
