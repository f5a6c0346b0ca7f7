// RUN: %vgpu-clang++ -O0 -Wno-deprecated-declarations %s -o %t && %t
// RUN: %vgpu-clang++ -O2 -Wno-deprecated-declarations %s -o %t && %t
// Templates, device functions, recursion, function pointers, virtual functions and lambdas in device code; barriers
// behind a function pointer.
#include "check.h"

template <typename T, int N>
__global__ void scale(T *data, T factor) {
    for (int k = 0; k < N; k++)
        data[threadIdx.x * N + k] *= factor;
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int plus(int a, int b) {
    return a + b;
}
__device__ int times(int a, int b) {
    return a * b;
}
__device__ int met(int a, int b) {
    __syncthreads();
    return __syncthreads_count(a > b);
}

typedef int (*operation)(int, int);
__device__ const operation operations[] = {plus, times, met};

__global__ void call(int *out, int which) {
    out[threadIdx.x] = operations[which](fibonacci(threadIdx.x), 3);
}

struct shape {
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int side;
    __device__ explicit square(int s) : side(s) {
    }
    __device__ int area() const override {
        return side * side;
    }
};
struct unit : shape {
    __device__ int area() const override {
        return 1;
    }
};

__global__ void areas(int *out) {
    square s(threadIdx.x);
    unit u;
    const shape *shapes[] = {&s, &u};
    out[threadIdx.x] = shapes[threadIdx.x % 2]->area();
}

template <typename F>
__global__ void apply(int *out, F f) {
    out[threadIdx.x] = f(threadIdx.x);
}

int main(void) {
    enum { THREADS = 12 };
    const int fib[THREADS] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    int *out = DEVICE_ZEROS(int, 4 * THREADS), got[4 * THREADS];
    double *wide = DEVICE_ZEROS(double, 4), values[4] = {1, 2, 3, 4};

    CUDA(cudaMemcpy(wide, values, sizeof(values), cudaMemcpyHostToDevice));
    scale<double, 2><<<1, 2>>>(wide, 1.5);
    fetch(values, wide, sizeof(values));
    for (int i = 0; i < 4; i++)
        CHECK(values[i] == 1.5 * (i + 1));

    for (int which = 0; which < 3; which++) {
        call<<<1, THREADS>>>(out, which);
        fetch(got, out, sizeof(got));
        for (int i = 0; i < THREADS; i++)
            CHECK_EQUAL(got[i], which == 0 ? fib[i] + 3 : which == 1 ? fib[i] * 3 : 7);
    }

    areas<<<1, THREADS>>>(out);
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(got[i], i % 2 ? 1 : i * i);

    cudaSharedMemConfig banks;
    CUDA(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK_EQUAL(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)3), cudaErrorInvalidValue);
    CUDA(cudaFuncSetSharedMemConfig(areas, cudaSharedMemBankSizeEightByte));
    CHECK_EQUAL(cudaFuncSetSharedMemConfig(areas, (cudaSharedMemConfig)3), cudaErrorInvalidValue);
    CHECK_EQUAL(cudaFuncSetSharedMemConfig((const void *)&banks, cudaSharedMemBankSizeFourByte), cudaErrorInvalidResourceHandle);
    CUDA(cudaDeviceGetSharedMemConfig(&banks));
    CHECK_EQUAL(banks, cudaSharedMemBankSizeFourByte);

    const int offset = 5;
    apply<<<1, THREADS>>>(out, [=] __device__(int i) { return i * 2 + offset; });
    fetch(got, out, sizeof(got));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(got[i], 2 * i + 5);
    return 0;
}
