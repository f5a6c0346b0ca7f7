// Of large managed memory that the host fills anew, ops use small parts: these alone are fetched, for all of it would have to
// come back, too. No form takes longer than the serial program, nor brings a tenth more.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for uses in one several lapping beside moving growing writes rows; do \
// RUN:   sh %compare 4 %t/serial %t/kesco $uses || exit 1; \
// RUN: done
// RUN: for uses in one several; do env VGPU_CONCURRENT_MANAGED=0 sh %compare 3 %t/serial %t/kesco $uses || exit 1; done
// RUN: for uses in several rows; do env KESCO_MODE=graph sh %compare 2 %t/serial %t/kesco $uses || exit 1; done
// RUN: for uses in one several lapping beside moving growing writes rows; do \
// RUN:   for build in serial kesco; do \
// RUN:     env KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/$build.json %t/$build $uses || exit 1; \
// RUN:     sed -n 's/.*"\(virtual_time_us\|migrated_bytes\)": \([0-9.]*\).*/\2/p' %t/$build.json; \
// RUN:   done | grep -v sum | tr '\n' ' ' | \
// RUN:     awk -v form=$uses '{ print form, $0; exit !(NF == 4 && $3 < $1 && $4 < 1.1 * $2) }' || exit 1; \
// RUN: done

#include <cstdio>

enum { N = 1 << 20, BLOCK = 256, ROWS = 64, PASSES = 12 };

__global__ void square(float *values) {
    values[threadIdx.x] *= values[threadIdx.x];
}

__global__ void add(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[i];
}

__global__ void add_at(float *to, const float *from, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] += from[first + i];
}

__global__ void fill(float *to, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = value + i;
}

static void run(char uses, int pass, float *a, float *b, float *from, float *sums[2]) {
    square<<<1, BLOCK>>>(a);
    if (uses == 'o') { // one op
        square<<<1, BLOCK>>>(b);
        add<<<1, BLOCK>>>(a, from + N / 2);
    } else if (uses == 's') { // several, apart
        add<<<1, BLOCK>>>(b, from);
        add<<<1, BLOCK>>>(a, from + N / 2);
    } else if (uses == 'l') { // one over the other
        add<<<1, BLOCK>>>(b, from + N / 4);
        add<<<1, BLOCK>>>(a, from + N / 4 + BLOCK / 2);
    } else if (uses == 'b') { // side by side
        add<<<N / 16 / BLOCK, BLOCK>>>(sums[0], from + N / 4);
        add<<<N / 16 / BLOCK, BLOCK>>>(sums[1], from + N / 4 + N / 16);
    } else if (uses == 'm') { // on in each pass
        add_at<<<N / 64 / BLOCK, BLOCK>>>(sums[0], from, pass * (N / 256));
        add_at<<<N / 64 / BLOCK, BLOCK>>>(sums[1], from, N / 2 + pass * (N / 256));
    } else if (uses == 'g') { // twice as much in each pass, until it is all
        add<<<(pass < PASSES ? N >> (PASSES - 1 - pass) : N) / BLOCK, BLOCK>>>(sums[0], from);
        add<<<1, BLOCK>>>(a, from + N / 2);
    } else if (uses == 'w') { // writes
        fill<<<1, BLOCK>>>(from, pass);
        fill<<<1, BLOCK>>>(from + N / 2, pass);
    } else { // rows, in a loop
        for (int row = 0; row < ROWS; row++) {
            add<<<4, BLOCK>>>(sums[0] + row * 4 * BLOCK, from + row * 4 * BLOCK);
            square<<<1, BLOCK>>>(b);
        }
    }
    cudaDeviceSynchronize();
}

int main(int argc, char **argv) {
    const char uses = argv[1][0];
    float *a, *b, *from, *sums[2];
    double sum = 0;
    if (cudaMallocManaged(&a, BLOCK * sizeof *a) || cudaMallocManaged(&b, BLOCK * sizeof *b) ||
        cudaMallocManaged(&from, N * sizeof *from) || cudaMalloc(&sums[0], N * sizeof *from) ||
        cudaMalloc(&sums[1], N * sizeof *from))
        return 1;
    cudaMemset(sums[0], 0, N * sizeof *from);
    cudaMemset(sums[1], 0, N * sizeof *from);
    for (int pass = 0; pass < PASSES + argc / 9; pass++) {
        for (int i = 0; i < BLOCK; i++)
            a[i] = b[i] = i % 7 + pass;
        for (int i = 0; i < N; i++)
            from[i] = i % 5 + pass;
        run(uses, pass, a, b, from, sums);
        sum += a[7] + b[9] + from[N / 2 + 3];
    }
    cudaMemcpy(a, sums[0] + N / 64, BLOCK * sizeof *a, cudaMemcpyDefault);
    cudaMemcpy(b, sums[1] + N / 64, BLOCK * sizeof *b, cudaMemcpyDefault);
    printf("sum %g %g %g\n", sum, a[7], b[9]);
}
