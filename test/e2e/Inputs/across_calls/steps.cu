#include "steps.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

int rounds = 100;

static __device__ int mix(int value, int rounds) {
    for (int i = 0; i < rounds; i++)
        value = value * 31 + 7;
    return value;
}

static __global__ void fill_kernel(int *out, int count, int value, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mix(value + i, rounds);
}
static __global__ void work_kernel(int *out, int count, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = mix(out[i], rounds);
}
static __global__ void add_kernel(int *out, const int *in, int count, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = out[i] * 3 + mix(in[count - 1 - i], rounds);
}

/* Its mark begins a page. */
__attribute__((aligned(4096))) void fill(int *to, int value) {
    fill_kernel<<<3, 128>>>(to, SIZE, value, rounds);
}
void work(int *to) {
    work_kernel<<<3, 128>>>(to, SIZE, rounds);
}
void add(int *to, const int *from) {
    add_kernel<<<3, 128>>>(to, from, SIZE, rounds);
    check("add");
}
void work_on(int *to, cudaStream_t stream) {
    work_kernel<<<3, 128, 0, stream>>>(to, SIZE, rounds);
}
void clear(int *to) {
    cudaMemsetAsync(to, 3, SIZE * sizeof *to);
}
void copy(int *to, const int *from) {
    cudaMemcpyAsync(to, from, SIZE * sizeof *to, cudaMemcpyDeviceToDevice);
    add_kernel<<<3, 128>>>(to, from, SIZE, rounds);
}
void work_or_throw(int *to, bool throws) {
    work_kernel<<<3, 128>>>(to, SIZE, rounds);
    if (throws)
        throw std::runtime_error("thrown");
}

/* Of those that it calls, it sees all that are not defined elsewhere. */
__attribute__((noinline)) void step_of_steps(int **all, int count, int depth) {
    for (int i = 0; i < count; i++)
        steps[i % 2](all[i]);
    if (depth > 0)
        step_of_steps(all, count, depth - 1);
}
void (*steps[2])(int *) = {work, clear};

namespace {
struct First : Layer {
    void run(int *a, int *) override {
        work_kernel<<<3, 128>>>(a, SIZE, rounds);
    }
};
struct Second : Layer {
    void run(int *, int *b) override {
        work_kernel<<<3, 128>>>(b, SIZE, rounds);
    }
};
struct Both : Layer {
    void run(int *a, int *b) override {
        add_kernel<<<3, 128>>>(a, b, SIZE, rounds);
    }
};
} // namespace

std::unique_ptr<Layer> make_layer(int kind) {
    switch (kind % 3) {
    case 0:
        return std::make_unique<First>();
    case 1:
        return std::make_unique<Second>();
    }
    return std::make_unique<Both>();
}

int next(int i) {
    return (i + 2) % 6;
}

void check(const char *what) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

unsigned sum_on_host(const int *managed) {
    unsigned sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum = sum * 31 + managed[i];
    return sum;
}
