// A matrix that is factored in place, tile by tile, and an image whose tiles are copied, blurred and copied back: loops as people
// write them, over as many tiles as the command line says, all in one allocation. Each launch and copy comes behind those that
// it has an element in common with, and hardly any other. Serially, and with races checked, the results are the same.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for how in "factor 6" "image 8"; do \
// RUN:   sh %compare 6 %t.serial %t.kesco $how || exit 1; \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $how || exit 1; done; \
// RUN:   VGPU_STATS=%t.json %t.kesco $how >/dev/null && echo $how `cat %t.json` || exit 1; \
// RUN: done >%t.all && FileCheck %s --input-file=%t.all
//
// Of 56 launches, and of 40.
// CHECK: factor 6 {{.*}}"ordered_chain": {{1[6-9]|2[0-4]}},
// CHECK: image 8 {{.*}}"ordered_chain": 5,

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call) \
    do { \
        const cudaError_t error = (call); \
        if (error != cudaSuccess) { \
            printf("%s\n", cudaGetErrorString(error)); \
            exit(1); \
        } \
    } while (0)

__global__ void potrf(double *a, int ld, int t) {
    for (int k = 0; k < t; k++) {
        if (threadIdx.x == 0) a[k * ld + k] = sqrt(fabs(a[k * ld + k]) + 1);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < t; i += blockDim.x) a[i * ld + k] /= a[k * ld + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < t; i += blockDim.x)
            for (int j = k + 1; j <= i; j++) a[i * ld + j] -= a[i * ld + k] * a[j * ld + k];
        __syncthreads();
    }
}
__global__ void trsm(const double *l, double *b, int ld, int t) {
    int i = threadIdx.x;
    if (i < t)
        for (int j = 0; j < t; j++) {
            double s = b[i * ld + j];
            for (int k = 0; k < j; k++) s -= b[i * ld + k] * l[j * ld + k];
            b[i * ld + j] = s / l[j * ld + j];
        }
}
__global__ void gemm(double *c, const double *a, const double *b, int ld, int t) {
    int i = threadIdx.y, j = threadIdx.x;
    if (i < t && j < t) {
        double s = 0;
        for (int k = 0; k < t; k++) s += a[i * ld + k] * b[j * ld + k];
        c[i * ld + j] -= s;
    }
}
__global__ void blur(float *out, const float *in, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float *row = (const float *)((const char *)in + y * pitch);
        ((float *)((char *)out + y * pitch))[x] = row[x] * 0.5f + row[width - 1 - x];
    }
}

static double sum(const double *values, int count) {
    double result = 0;
    for (int i = 0; i < count; i++)
        result += values[i] * (i % 17);
    return result;
}

static void factor(int tiles) {
    const int t = 16, n = tiles * t;
    double *host = (double *)malloc(n * n * sizeof(double)), *d;
    for (int i = 0; i < n * n; i++)
        host[i] = (i * 7 % 13) * 0.01 + (i / n == i % n ? n : 0);
    CHECK(cudaMalloc(&d, n * n * sizeof(double)));
    CHECK(cudaMemcpy(d, host, n * n * sizeof(double), cudaMemcpyHostToDevice));
    for (int k = 0; k < tiles; k++) {
        potrf<<<1, 32>>>(d + k * t * n + k * t, n, t);
        CHECK(cudaGetLastError());
        for (int i = k + 1; i < tiles; i++)
            trsm<<<1, 32>>>(d + k * t * n + k * t, d + i * t * n + k * t, n, t);
        for (int i = k + 1; i < tiles; i++)
            for (int j = k + 1; j <= i; j++)
                gemm<<<1, dim3(16, 16)>>>(d + i * t * n + j * t, d + i * t * n + k * t, d + j * t * n + k * t, n, t);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, d, n * n * sizeof(double), cudaMemcpyDeviceToHost));
    printf("%.17g\n", sum(host, n * n));
}

static void image(int tiles) {
    const int width = 64, height = 16, all = tiles * width;
    float *host, *in, *out;
    size_t pitch, same;
    CHECK(cudaMallocHost(&host, all * height * sizeof(float)));
    for (int i = 0; i < all * height; i++)
        host[i] = i % 101;
    CHECK(cudaMallocPitch(&in, &pitch, all * sizeof(float), height));
    CHECK(cudaMallocPitch(&out, &same, all * sizeof(float), height));
    for (int repetition = 0; repetition < 5; repetition++) {
        for (int i = 0; i < tiles; i++) {
            CHECK(cudaMemcpy2DAsync(in + i * width, pitch, host + i * width, all * sizeof(float), width * sizeof(float),
                                    height, cudaMemcpyHostToDevice));
            blur<<<dim3(2, 2), dim3(32, 8)>>>(out + i * width, in + i * width, pitch, width, height);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy2DAsync(host + i * width, all * sizeof(float), out + i * width, pitch, width * sizeof(float),
                                    height, cudaMemcpyDeviceToHost));
        }
        CHECK(cudaDeviceSynchronize());
    }
    double result = 0;
    for (int i = 0; i < all * height; i++)
        result = result * 0.75 + host[i];
    printf("%.17g\n", result);
}

int main(int argc, char **argv) {
    const int tiles = argc > 2 ? atoi(argv[2]) : 4;
    if (argc > 1 && strcmp(argv[1], "image") == 0)
        image(tiles);
    else
        factor(tiles);
    return 0;
}
