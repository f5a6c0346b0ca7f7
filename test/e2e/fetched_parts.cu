// Of large managed memory that the host fills anew, an op that is the only one to use it uses a small part: that alone is
// fetched, for all of it would have to come back, too. What several ops use is fetched as a whole, once.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for uses in one several; do sh %compare 4 %t/serial %t/kesco $uses || exit 1; done
// RUN: env VGPU_CONCURRENT_MANAGED=0 sh %compare 3 %t/serial %t/kesco one
// RUN: for build in serial kesco; do for uses in one several; do \
// RUN:   env KESCO_MODE=lanes VGPU_TIME=1 VGPU_STATS=%t/$build.$uses %t/$build $uses || exit 1; \
// RUN: done; done
// RUN: for build in serial kesco; do sed -n 's/.*"virtual_time_us": \([0-9.]*\).*/\1/p' %t/$build.one; done | tr '\n' ' ' | \
// RUN:   awk '{ print; exit !(NF == 2 && $2 < 1.02 * $1) }'
// RUN: for build in serial kesco; do sed -n 's/.*"page_faults": \([0-9]*\).*/\1/p' %t/$build.several; done | tr '\n' ' ' | \
// RUN:   awk '{ print; exit !(NF == 2 && $2 < $1) }'

#include <cstdio>

enum { N = 1 << 20, BLOCK = 256, PASSES = 12 };

__global__ void square(float *values) {
    values[threadIdx.x] *= values[threadIdx.x];
}

__global__ void add(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

static void run(float *a, float *b, float *from, bool several) {
    if (!several) {
        square<<<1, BLOCK>>>(a);
        square<<<1, BLOCK>>>(b);
        add<<<1, BLOCK>>>(a, from + N / 2);
    } else {
        square<<<1, BLOCK>>>(a);
        add<<<1, BLOCK>>>(b, from);
        add<<<1, BLOCK>>>(a, from + N / 2);
    }
    cudaDeviceSynchronize();
}

int main(int, char **argv) {
    float *a, *b, *from;
    double sum = 0;
    if (cudaMallocManaged(&a, BLOCK * sizeof *a) || cudaMallocManaged(&b, BLOCK * sizeof *b) ||
        cudaMallocManaged(&from, N * sizeof *from))
        return 1;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < BLOCK; i++)
            a[i] = b[i] = i % 7 + pass;
        for (int i = 0; i < N; i++)
            from[i] = i % 5 + pass;
        run(a, b, from, argv[1][0] == 's');
        sum += a[7] + b[9];
    }
    printf("%g\n", sum);
}
