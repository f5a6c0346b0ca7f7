// The runtime is told how long a launch takes before its arguments are evaluated: nothing is read for that which this makes
// readable first, and nothing is divided by what it makes other than 0.
// RUN: for level in 0 2; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level %s -o %t.kesco && sh %compare 3 %t.serial %t.kesco || exit 1; \
// RUN: done

#include <cstdio>

enum { N = 64 };

struct Count {
    int n;
};

struct Shape {
    int rows, columns;
};

__global__ void count(int *values, int n) {
    for (int i = 0; i < n; i++)
        values[threadIdx.x] += i;
}

__global__ void cover(int *values, Shape shape) {
    for (int i = 0; i < shape.rows; i++)
        for (int j = 0; j < shape.columns; j++)
            values[threadIdx.x] += i * j;
}

static void (*volatile point)(int *, int *, Count **, Count *, Count *);
static void (*volatile divide)(int *, int *, int *, int);
static void (*volatile copy)(int *, int *, const Shape &, const Shape &);

/* What `at` holds leads nowhere before. */
static void point_late(int *a, int *b, Count **at, Count *first, Count *second) {
    count<<<1, N>>>(a, (*at = first, (*at)->n));
    *at = nullptr;
    count<<<1, N>>>(b, (*at = second, (*at)->n));
}

static void divide_late(int *a, int *b, int *by, int n) {
    count<<<1, N>>>(a, (*by = 2, n / *by));
    *by = 0;
    count<<<1, N>>>(b, (*by = 3, n / *by));
}

static void copy_late(int *a, int *b, const Shape &first, const Shape &second) {
    cover<<<1, N>>>(a, first);
    cover<<<1, N>>>(b, second);
    cover<<<1, N>>>(b, Shape{first.rows, second.rows});
}

static void show(const int *device) {
    int host[N], sum = 0;
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        sum = sum * 31 + host[i];
    printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}

int main() {
    Count first = {100}, second = {50}, *at = nullptr;
    int *a, *b, by = 0;

    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(b, 0, N * sizeof *b);
    point = point_late;
    divide = divide_late;
    copy = copy_late;
    point(a, b, &at, &first, &second);
    divide(a, b, &by, 90);
    copy(a, b, Shape{10, 3}, Shape{4, 5});
    show(a);
    show(b);
}
