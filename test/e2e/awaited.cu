// A program that waits for each of its kernels and checks what came of it. The waits are put off, and each takes the place
// of the one before: what the host would have waited for by then needs no event of its own. Where work follows that the
// host does not wait for, it does.
// RUN: for last in 0 1; do \
// RUN:   %vgpu -O2 -DLAST=$last %s -o %t.serial && %vgpu-kesco -O2 -DLAST=$last %s -o %t.kesco || exit 1; \
// RUN:   sh %compare 10 %t.serial %t.kesco || exit 1; \
// RUN:   env VGPU_STATS=%t.json %t.kesco >%t.out && sed -n 's/.*"event_records": \([0-9]*\).*/\1/p' %t.json || exit 1; \
// RUN: done | tr '\n' ' ' | awk '{ print; exit !($1 <= 1 && $2 > $1) }'

#include <cstdio>
#include <cstdlib>

enum { N = 1 << 10, PASSES = 8 };

#define CHECK(call) \
    do { \
        if (cudaError_t error = (call)) { \
            fprintf(stderr, "%s\n", cudaGetErrorString(error)); \
            exit(1); \
        } \
    } while (0)

__global__ void add(int *x, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 3 * x[i] + v;
}

static void run(int *a, int *b) {
    for (int pass = 0; pass < PASSES; pass++) {
        add<<<N / 256, 256>>>(a, pass);
        CHECK(cudaDeviceSynchronize());
        add<<<N / 256, 256>>>(b, pass);
        CHECK(cudaDeviceSynchronize());
    }
    if (LAST) {
        add<<<N / 256, 256>>>(a, 1);
        add<<<N / 256, 256>>>(b, 1);
    }
}

int main(void) {
    int *a, *b, result[2];
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMemset(a, 0, N * sizeof(int)));
    CHECK(cudaMemset(b, 1, N * sizeof(int)));
    run(a, b);
    CHECK(cudaMemcpy(&result[0], a, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&result[1], b, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d %d\n", result[0], result[1]);
    return 0;
}
