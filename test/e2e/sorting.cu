// Between launches the host sorts: they overlap where what it compares by is in sight, and does nothing else; what it
// launches, or does to the device, keeps its place.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 -Werror %s -o %t/kesco
// RUN: for way in 0 1 2; do sh %compare 6 %t/serial %t/kesco $way || exit 1; done
// RUN: VGPU_STATS=%t/stats.json %t/kesco 0 >/dev/null && grep '"ordered_chain": 1,' %t/stats.json

#include <cstdio>
#include <cstdlib>

enum { N = 64 };

static int *shared, *target;

static __global__ void add(int *out, int v) { out[threadIdx.x] += v; }

static int order(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

static int launching(const void *x, const void *y) {
    add<<<1, N>>>(target, 1);
    return order(x, y);
}

static int waiting(const void *x, const void *y) {
    cudaDeviceSynchronize();
    shared[1] = shared[0];
    return order(x, y);
}

static int by_default(const void *x, const void *y) { return order(y, x); }
int (*chosen)(const void *, const void *) = by_default;

__attribute__((noinline)) void sorts(int *a, int *b, int *numbers) {
    add<<<1, N>>>(a, 1);
    setenv("SORTED", "1", 1);
    qsort(numbers, 16, sizeof *numbers, order);
    add<<<1, N>>>(b, 2);
}

__attribute__((noinline)) void sorts_by_launches(int *a, int *b, int *numbers) {
    add<<<1, N>>>(a, 1);
    qsort(numbers, 16, sizeof *numbers, launching);
    add<<<1, N>>>(b, 2);
}

__attribute__((noinline)) void sorts_by_waits(int *a, int *b, int *numbers) {
    add<<<1, N>>>(a, 3);
    qsort(numbers, 16, sizeof *numbers, waiting);
    add<<<1, N>>>(b, 2);
    qsort(numbers, 16, sizeof *numbers, chosen);
}

int main(int, char **arguments) {
    int numbers[16], host[2][N];
    const int way = atoi(arguments[1]);
    for (int i = 0; i < 16; i++)
        numbers[i] = i * 7 % 16;
    cudaMallocManaged(&shared, N * sizeof(int));
    for (int i = 0; i < N; i++)
        shared[i] = 0;
    int *a, *b;
    cudaMalloc(&a, sizeof *host);
    cudaMalloc(&b, sizeof *host);
    cudaMemset(a, 0, sizeof *host);
    cudaMemset(b, 0, sizeof *host);
    target = b;
    if (way == 0)
        sorts(a, b, numbers);
    else if (way == 1)
        sorts_by_launches(a, b, numbers);
    else
        sorts_by_waits(shared, b, numbers);
    cudaMemcpy(host[0], a, sizeof *host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host[1], b, sizeof *host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d %d\n", host[0][0], host[1][N - 1], numbers[0], numbers[15], shared[0], shared[1]);
}
