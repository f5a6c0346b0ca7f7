// Host code of many kinds around launches: whatever KeSCo makes of it, the program prints what the serial one prints,
// under every order of execution, without a race. Some of it is concurrent: the plans say so, the same at every -O level.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -std=c++17 -O1 %s -o %t/serial -lpthread
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -std=c++17 -O$o %s -o %t/kesco -lpthread -fplugin-arg-kesco-report=%t/$o.json || exit 1; \
// RUN:   sh %compare 50 %t/serial %t/kesco || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$o.json || exit 1; \
// RUN: done
// RUN: for o in 0 2; do grep -v '"why"' %t/$o.json > %t/$o.plans; done; cmp %t/0.plans %t/2.plans
// RUN: for o in 1 3; do \
// RUN:   %vgpu-kesco -std=c++17 -g -O$o %s -o %t/kesco -lpthread && sh %compare 5 %t/serial %t/kesco || exit 1; \
// RUN: done

#include <kesco.h>

#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#define N 96

KESCO_OUTPUTS(1) __global__ void fill(int *out, int value) { out[threadIdx.x] = value + threadIdx.x; }
KESCO_OUTPUTS(1) __global__ void add(int *out, const int *a, const int *b) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
KESCO_OUTPUTS("a") __global__ void scale(int *a, int factor) { a[threadIdx.x] *= factor; }
__global__ void copy_unannotated(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }
__device__ int total;
KESCO_OUTPUTS(0) __global__ void accumulate(const int *in) { atomicAdd(&total, in[threadIdx.x]); }

static void show(const char *what, const int *device) {
    int host[N];
    unsigned sum = 0;
    cudaError_t error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; ++i)
        sum = sum * 31 + host[i];
    printf("%s: %s %u\n", what, cudaGetErrorName(error), sum);
}

static int *allocate() {
    int *p;
    cudaMalloc(&p, N * sizeof *p);
    return p;
}

// CHECK: "name": "regions()", "lanes": {{[2-4]}},
void regions() {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    add<<<1, N>>>(c, a, b);
    show("first region", c);
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
    scale<<<1, N>>>(c, 7);
    add<<<1, N>>>(c, a, b);
    show("second region", c);
    cudaFree(a), cudaFree(b), cudaFree(c);
}

// CHECK: "name": "in_a_loop(int)", "lanes": {{[2-4]}},
void in_a_loop(int count) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    for (int i = 0; i < count; ++i) {
        fill<<<1, N>>>(a, i);
        fill<<<1, N>>>(b, i * i);
        if (i == 2)
            scale<<<1, N>>>(a, 2);
        scale<<<1, N>>>(a, 3);
        scale<<<1, N>>>(b, 4);
        fill<<<1, N>>>(c, 1);
    }
    add<<<1, N>>>(c, a, b);
    show("loop", c);
}

void ping_pong(int count) {
    int *from = allocate(), *to = allocate(), *ones = allocate();
    fill<<<1, N>>>(from, 1);
    fill<<<1, N>>>(ones, 1);
    for (int i = 0; i < count; ++i) {
        add<<<1, N>>>(to, from, ones);
        scale<<<1, N>>>(ones, 2);
        int *t = from;
        from = to;
        to = t;
    }
    show("ping-pong", from);
}

// The program's own streams: a blocking one takes part in the default stream's order, a non-blocking one does not.
void own_streams() {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate();
    cudaStream_t blocking, free_running;
    cudaEvent_t event;
    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    fill<<<1, N, 0, blocking>>>(c, 9);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    add<<<1, N, 0, blocking>>>(c, a, c);
    add<<<1, N, 0, blocking>>>(c, b, c);
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(c, 2);
    scale<<<1, N>>>(b, 2);
    cudaEventRecord(event, 0);
    cudaStreamWaitEvent(free_running, event, 0);
    add<<<1, N, 0, free_running>>>(d, a, c);
    cudaStreamSynchronize(free_running);
    show("own streams", d);
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(d, 3);
    cudaStreamSynchronize(0);
    add<<<1, N, 0, free_running>>>(c, a, d);
    cudaStreamSynchronize(free_running);
    show("synchronised", c);
}

void copies_and_symbols() {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N] = {}, result;
    cudaMemset(a, 1, N * sizeof *a);
    scale<<<1, N>>>(a, 2);
    fill<<<1, N>>>(b, 3);
    cudaMemcpyAsync(c, b, N * sizeof *c, cudaMemcpyDeviceToDevice, 0);
    scale<<<1, N>>>(b, 2);
    scale<<<1, N>>>(c, 5);
    accumulate<<<1, N>>>(a);
    accumulate<<<1, N>>>(b);
    accumulate<<<1, N>>>(c);
    cudaMemcpyFromSymbol(&result, total, sizeof result);
    printf("total: %d\n", result);
    result = 0;
    cudaMemcpyToSymbol(total, &result, sizeof result);
    accumulate<<<1, N>>>(c);
    scale<<<1, N>>>(a, 2);
    cudaMemcpyFromSymbol(&result, total, sizeof result);
    printf("total: %d\n", result);
    host[5] = 6;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<1, N>>>(a, 2);
    fill<<<1, N>>>(b, 7);
    show("copied", a);
}

// CHECK: "name": "managed()", "lanes": {{[2-4]}},
void managed() {
    int *a, *b, *c = allocate();
    cudaMallocManaged(&a, N * sizeof *a);
    cudaMallocManaged(&b, N * sizeof *b);
    for (int i = 0; i < N; ++i)
        a[i] = b[i] = i;
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 3);
    add<<<1, N>>>(c, a, b);
    cudaDeviceSynchronize();
    printf("managed: %d %d\n", a[N - 1], b[N - 1]);
    a[0] = 5;
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 2);
    cudaDeviceSynchronize();
    printf("managed: %d %d\n", a[0], b[2]);
    show("managed", c);
}

__attribute__((noinline)) void may_alias(int *a, int *b, int *c) {
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    add<<<1, N>>>(c, a, b);
}

void aliases() {
    int *a = allocate(), *b = allocate(), *c = allocate();
    may_alias(a, b, c);
    show("no alias", c);
    may_alias(a, a, c);
    show("alias", c);
    may_alias(a, b, a);
    show("in place", a);
    int *mixed[3] = {a, b, c};
    fill<<<1, N / 2>>>(mixed[0] + N / 2, 4);
    scale<<<1, N>>>(a, 2);
    fill<<<1, N>>>(mixed[1], 4);
    show("interior", a);
}

// CHECK: "name": "unannotated()", "lanes": {{[2-4]}},
void unannotated() {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    copy_unannotated<<<1, N>>>(c, a);
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 2);
    show("unannotated", c);
    show("unannotated", b);
}

// Errors turn up where they do in the serial program.
// CHECK: "name": "errors()", "lanes": {{[2-4]}},
void errors() {
    int *a = allocate(), *b = allocate(), zero = 0;
    fill<<<1, N>>>(a, 1);
    printf("good: %s\n", cudaGetErrorName(cudaGetLastError()));
    fill<<<zero, N>>>(b, 2);
    printf("bad: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    fill<<<1, N>>>(b, 3);
    printf("still: %s\n", cudaGetErrorName(cudaGetLastError()));
    scale<<<1, N>>>(a, 2);
    printf("good: %s\n", cudaGetErrorName(cudaGetLastError()));
    show("errors", a);
    show("errors", b);
}

void throws(int depth) {
    std::vector<int> host(3, depth);
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, depth);
    fill<<<1, N>>>(b, host[0]);
    if (depth == 0)
        throw std::runtime_error("deep enough");
    throws(depth - 1);
    add<<<1, N>>>(a, a, b);
}

void recursion_and_exceptions(int depth) {
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, depth);
    fill<<<1, N>>>(b, depth + 1);
    try {
        throws(depth);
    } catch (std::exception &e) {
        printf("%s\n", e.what());
    }
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 2);
    if (depth > 0)
        recursion_and_exceptions(depth - 1);
    add<<<1, N>>>(a, a, b);
    show("recursion", a);
}

void on_a_thread(int seed, unsigned *result) {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N];
    for (int i = 0; i < 5; ++i) {
        fill<<<1, N>>>(a, seed + i);
        fill<<<1, N>>>(b, seed * i);
        add<<<1, N>>>(c, a, b);
    }
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    *result = 0;
    for (int i = 0; i < N; ++i)
        *result = *result * 31 + host[i];
}

void threads() {
    unsigned results[4];
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back(on_a_thread, i, &results[i]);
    for (std::thread &t : all)
        t.join();
    for (unsigned result : results)
        printf("thread: %u\n", result);
}

void after_reset() {
    cudaDeviceReset();
    regions();
    printf("reset: %s\n", cudaGetErrorName(cudaGetLastError()));
}

// Ways out of a region: what the program's own stream does next comes behind what the region launched before.
// CHECK: "name": "ways_out(int, int*)", "lanes": {{[2-4]}},
void ways_out(int skipped, int *host) {
    int *a = allocate(), *b = allocate(), *c = allocate(), sum = 0;
    cudaStream_t own;
    cudaStreamCreate(&own);
    fill<<<1, N>>>(c, 0);
    for (int i = 0; i < 5; ++i) {
        fill<<<1, N>>>(a, i);
        if (i == skipped)
            continue;
        fill<<<1, N>>>(b, i + sum);
        if (cudaGetLastError() != cudaSuccess) {
            printf("failed\n");
            return;
        }
        for (int j = 0; j < i; ++j)
            sum += host[j];
        if (sum > 50)
            break;
        if (sum == 7)
            printf("seven\n");
        scale<<<1, N>>>(i % 2 ? a : b, 3);
        add<<<1, N, 0, own>>>(c, a, c);
    }
    add<<<1, N, 0, own>>>(c, a, c);
    add<<<1, N, 0, own>>>(c, b, c);
    show("ways out", c);
}

int main() {
    int host[5] = {1, 2, 4, 8, 16};
    for (int i = 0; i < 6; ++i)
        ways_out(i, host);
    regions();
    in_a_loop(4);
    ping_pong(5);
    own_streams();
    copies_and_symbols();
    managed();
    aliases();
    unannotated();
    errors();
    recursion_and_exceptions(2);
    threads();
    after_reset();
    return 0;
}
