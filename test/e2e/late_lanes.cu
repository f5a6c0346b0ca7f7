// Lanes that a region gets, or fails to get, when it has long been open: nothing differs from the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for way in stream peer seen; do VGPU_DEVICES=2 %t/serial $way >%t/$way.out || exit 1; \
// RUN:   for mode in auto turns; do for seed in 0 1 2 3; do \
// RUN:     VGPU_DEVICES=2 KESCO_MODE=$mode VGPU_SEED=$seed VGPU_CHECK=races %t/kesco $way | cmp - %t/$way.out || exit 1; \
// RUN:   done; done; \
// RUN: done

// Where CUDA refuses what lanes need, and where they may not be.
// RUN: for call in cudaStreamCreateWithFlags:1 cudaEventCreateWithFlags:1 cudaEventCreateWithFlags:2 cudaEventCreateWithFlags:4 \
// RUN:     cudaStreamGetId:1 cudaStreamGetCaptureInfo:1 cudaThreadExchangeStreamCaptureMode:1; do \
// RUN:   KESCO_MODE=auto VGPU_FAIL=$call %t/kesco stream | cmp - %t/stream.out || { echo $call; exit 1; }; \
// RUN: done
// RUN: KESCO_MODE=auto VGPU_CONCURRENT_MANAGED=0 VGPU_STATS=%t/exclusive.json %t/kesco stream | cmp - %t/stream.out
// RUN: FileCheck %s --input-file=%t/exclusive.json
// CHECK: "event_records": {{[0-9]}},

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 256, PASSES = 40, LOOKS = 12 };

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        exit(3);
}

__global__ void mix(unsigned *values, unsigned by) {
    unsigned value = values[threadIdx.x];
    for (int i = 0; i < 4000; i++)
        value = value * 3 + i + by;
    values[threadIdx.x] = value;
}

__global__ void add(unsigned *values, unsigned by) { values[threadIdx.x] = values[threadIdx.x] * 3 + by; }

__global__ void sum(unsigned *result, const unsigned *a, const unsigned *b) { result[threadIdx.x] += a[threadIdx.x] ^ b[threadIdx.x]; }

static unsigned *allocate(int value) {
    unsigned *values;
    check(cudaMalloc(&values, N * sizeof *values));
    check(cudaMemset(values, value, N * sizeof *values));
    return values;
}

static unsigned first_of(const unsigned *values) {
    unsigned first;
    check(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
    return first;
}

static void on_a_stream(unsigned *a, unsigned *b, unsigned *result) {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    for (int i = 0; i < PASSES; i++) {
        mix<<<1, N, 0, stream>>>(a, i);
        mix<<<1, N, 0, stream>>>(b, i);
        sum<<<1, N, 0, stream>>>(result, a, b);
    }
    check(cudaStreamSynchronize(stream));
}

// A copy between devices orders both, but only on the default stream itself.
static void with_peer(unsigned *a, unsigned *b, unsigned *there, int i) {
    mix<<<1, N>>>(a, i);
    cudaMemcpyAsync(there, b, N * sizeof *b, cudaMemcpyDefault);
    mix<<<1, N>>>(a, i + 1);
    mix<<<1, N>>>(b, i);
    cudaMemcpyAsync(b, there, N * sizeof *b, cudaMemcpyDefault);
}

static void with_peers(unsigned *a, unsigned *b, unsigned *there) {
    for (int i = 0; i < PASSES; i++) {
        check(cudaSetDevice(1));
        mix<<<1, N>>>(there, i);
        check(cudaSetDevice(0));
        with_peer(a, b, there, i);
        check(cudaSetDevice(1));
        mix<<<1, N>>>(there, i);
    }
    check(cudaDeviceSynchronize());
    check(cudaSetDevice(0));
}

// One pass has memory that the host sees; whether the region has lanes then or not, the wait behind it waits.
__attribute__((noinline)) static unsigned look(unsigned *seen, unsigned *a, unsigned *b, int at) {
    unsigned result = 0;
    for (int i = 0; i < PASSES; i++) {
        if (i == at)
            add<<<1, N>>>(seen, i);
        add<<<1, N>>>(a, i);
        add<<<1, N>>>(b, i);
        check(cudaDeviceSynchronize());
        if (i == at)
            result = seen[5];
    }
    check(cudaDeviceSynchronize());
    return result;
}

int main(int, char **argv) {
    unsigned *a = allocate(1), *b = allocate(2), *c = allocate(3);
    if (strcmp(argv[1], "stream") == 0) {
        on_a_stream(a, b, c);
    } else if (strcmp(argv[1], "peer") == 0) {
        check(cudaSetDevice(1));
        unsigned *there = allocate(7);
        check(cudaSetDevice(0));
        with_peers(a, b, there);
        printf("%u ", first_of(there));
    } else {
        unsigned (*volatile looks)(unsigned *, unsigned *, unsigned *, int) = look;
        for (int at = 0; at < LOOKS; at++) {
            unsigned *seen;
            check(cudaMallocManaged(&seen, N * sizeof *seen));
            for (unsigned i = 0; i < N; i++)
                seen[i] = i;
            printf("%u ", looks(seen, a, b, at));
        }
    }
    printf("%u %u %u\n", first_of(a), first_of(b), first_of(c));
    return 0;
}
