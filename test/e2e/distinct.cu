// Claims that pointers are distinct: lanes where the guard would refuse them, in every legal order; under KESCO_CHECK=1, those
// that are false are told, and the program runs serially from there on.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s app.cu
// RUN: %vgpu -O1 app.cu -o serial && %vgpu-kesco -O1 app.cu -o kesco
// RUN: sh %compare 20 ./serial ./kesco
// RUN: KESCO_LOG=1 KESCO_CHECK=1 ./kesco 2>err >out && ./serial | cmp - out && FileCheck app.cu --input-file=err
// CHECK-NOT: serially
// CHECK: kesco: app.cu:[[# @LINE + 46]]: KESCO_DISTINCT(left, right) cannot be checked: they may lead into one allocation, and what of it kernels access is not known (left is 0x{{[0-9a-f]+}}, right is 0x{{[0-9a-f]+}})
// CHECK-NOT: serially
// CHECK-NOT: KESCO_DISTINCT

// False claims. Each is told of once, though made three times; the plan counts on it, as a run without the check shows.
// RUN: for seed in 0 1 2 3 4; do VGPU_SEED=$seed VGPU_CHECK=races KESCO_CHECK=1 ./kesco false 2>err >out && \
// RUN:   ./serial false | cmp - out && FileCheck app.cu --input-file=err --check-prefix=FALSE || exit 1; done
// RUN: env VGPU_CHECK=races ./kesco false >/dev/null 2>&1; test $? = 66
// FALSE: kesco: app.cu:[[# @LINE + 25]]: KESCO_DISTINCT(low, high) is false: ops access the same memory through both, and run serially from here on (low is 0x{{[0-9a-f]+}}, high is 0x{{[0-9a-f]+}})
// FALSE-NEXT: kesco: app.cu:[[# @LINE + 37]]: KESCO_DISTINCT(left, right) is false: ops access the same memory through both
// FALSE-NOT: kesco

// RUN: env KESCO_CHECK=yes ./kesco 2>&1 >/dev/null | FileCheck app.cu --check-prefix=VALUE
// VALUE: kesco: KESCO_CHECK='yes' is ignored: allowed are 0 and 1

#include <kesco.h>

#include <cstdio>
#include <cstring>

#define N 64

__global__ void fill(int *out, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 3 * out[i] + value + i;
}
__global__ void scatter(int *out, const int *where, int value) { out[where[threadIdx.x]] += value; }

// All of the buffer, its halves, and all of it again.
static void halves(int *buffer, int n, int half) {
    int *low = buffer, *high = buffer + half;
    fill<<<2, N>>>(buffer, 2 * n, 9);
    KESCO_DISTINCT(low, high);
    fill<<<1, N>>>(low, n, 5);
    fill<<<1, N>>>(high, n, 7);
    fill<<<1, N>>>(high, n, 8);
    fill<<<2, N>>>(buffer, 2 * n, 9);
}

// Where kernels write, nobody can say; a third pointer is under no claim.
struct Parts {
    int *left, *right;
};
static void scattered(const Parts &parts, int *other, const int *where) {
    int *left = parts.left, *right = parts.right;
    KESCO_DISTINCT(left, right);
    for (int i = 0; i < 3; ++i) {
        scatter<<<1, N>>>(left, where, 5 + i);
        scatter<<<1, N>>>(right, where, 7 + i);
    }
    fill<<<1, N>>>(other, N, 1);
}

static void show(const int *device) {
    int host[2 * N], sum = 0;
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * N; ++i)
        sum = sum * 31 + host[i];
    printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}

// What is called in this way is not seen through.
static void (*volatile run_halves)(int *, int, int) = halves;
static void (*volatile run_scattered)(const Parts &, int *, const int *) = scattered;

int main(int count, char **arguments) {
    const bool are_false = count > 1 && strcmp(arguments[1], "false") == 0;
    int *buffer, *other, *where, host[N];
    for (int i = 0; i < N; ++i)
        host[i] = N - 1 - i;
    cudaMalloc(&buffer, 2 * N * sizeof *buffer);
    cudaMalloc(&other, 2 * N * sizeof *other);
    cudaMalloc(&where, sizeof host);
    cudaMemset(buffer, 0, 2 * N * sizeof *buffer);
    cudaMemset(other, 0, 2 * N * sizeof *other);
    cudaMemcpy(where, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < 3; ++i) {
        run_halves(buffer, N, are_false ? N / 2 : N);
        show(buffer);
        run_scattered({buffer, are_false ? buffer : buffer + N}, other, where);
        show(buffer);
        show(other);
    }
    return 0;
}
