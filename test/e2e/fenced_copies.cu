// A copy, then a kernel on memory that the copy meets in some passes, and another kernel on memory that is found to meet
// others: behind that, the region is taken up anew, but not with the copy that was put off for a graph. Under modes that
// change, results are the serial ones, without a race.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 -fplugin-arg-kesco-reorder=off %s -o %t.kesco
// RUN: for mode in turns graph auto lanes; do KESCO_MODE=$mode sh %compare 4 %t.serial %t.kesco || exit 1; done
// RUN: env KESCO_MODE=turns KESCO_STATS=1 %t.kesco 2>&1 | FileCheck %s
// CHECK: ops replayed

#include <cstdio>
#include <cstdlib>

enum { ALL = 4096, FIRST = 256, PLACES = 16 };

static __global__ void fill(int *out, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value + i;
}

static __global__ void change(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = out[i] * 31 + i;
}

static void steps(int *a, const int *from, int *b, int *const *places, int count, int n, int step,
                  cudaStream_t stream) {
    for (int i = 0; i < 20; i++)
        change<<<2, 32, 0, stream>>>(a + i * step, 16);
    for (int i = 0; i < count; i += 2) {
        cudaMemcpyAsync(a + i * step, from, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
        fill<<<1, 64, 0, stream>>>(places[i % PLACES], n, i);
        change<<<1, 64, 0, stream>>>(b + i * step, 20);
        cudaDeviceSynchronize();
    }
}

static decltype(&steps) volatile run = steps; // a function with a region of its own

int main() {
    static int host[ALL];
    int *arena, *other, *places[PLACES];
    cudaStream_t stream;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&arena, sizeof host);
    cudaMalloc(&other, sizeof host);
    cudaMemset(arena, 3, sizeof host);
    cudaMemset(other, 3, sizeof host);
    for (int i = 0; i < PLACES; i++)
        places[i] = ((i + 1) % 3 != 0 ? arena : other) + FIRST + (PLACES - 1 - i) * 31;
    cudaDeviceSynchronize();
    for (int call = 0; call < 12; call++) {
        const int count = call % 3 == 0 ? 0 : 10, distance = call % 3 == 1 ? 700 : 20;
        run(arena + FIRST, other + 500, arena + FIRST + distance, places, count, 41, 41, stream);
        cudaDeviceSynchronize();
        unsigned sum = 0;
        for (int *from : {arena, other}) {
            cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost);
            for (int each : host)
                sum = sum * 31 + each;
        }
        printf("%u\n", sum);
    }
    return 0;
}
