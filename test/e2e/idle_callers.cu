// A function whose waits are put off, called where the host has just waited, and where it has not: as far as the caller
// knows that nothing is in flight, the host does not wait before the first kernel either. Else the first wait is for
// the work of others, too, as in the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o %s -o %t/kesco || exit 1; \
// RUN:   for way in idle busy; do \
// RUN:     sh %compare 20 %t/serial %t/kesco $way || exit 1; \
// RUN:     VGPU_STATS=%t/stats.json %t/kesco $way >/dev/null || exit 1; \
// RUN:     echo $way $(sed -n 's/.*"syncs": \([0-9]*\).*/\1/p' %t/stats.json); \
// RUN:   done >%t/syncs; \
// RUN:   cat %t/syncs; tr '\n' ' ' <%t/syncs | awk '{ exit !($4 == $2 + 8) }' || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 64 };
static volatile int passes = 8;

#define CHECK(call) \
    do { \
        if (cudaError_t error = (call)) { \
            fprintf(stderr, "%s\n", cudaGetErrorString(error)); \
            exit(1); \
        } \
    } while (0)

static __global__ void mix(int *out, int v) { out[threadIdx.x] = out[threadIdx.x] * 3 + v; }

// Work on a stream that the caller knows nothing of.
static cudaStream_t other;
static void begin(int *p) { mix<<<1, N, 0, other>>>(p, 5); }
static void (*volatile begins)(int *) = begin;

static void run(int *a, int *b, int *c) {
    mix<<<1, N>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    mix<<<1, N>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
    mix<<<1, N>>>(c, 3);
    CHECK(cudaDeviceSynchronize());
}

static void begin_timed(cudaEvent_t start) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start));
}

// Runs of two passes do not go together.
static void end_timed(volatile int *seen) {
    CHECK(cudaDeviceSynchronize());
    *seen = 1;
}

static void run_idle(int *a, int *b, int *c, cudaEvent_t start) {
    volatile int seen;
    for (int pass = 0; pass < passes; pass++) {
        begin_timed(start);
        run(a, b, c);
        end_timed(&seen);
    }
}

static void run_busy(int *a, int *b, int *c, cudaEvent_t start) {
    volatile int seen;
    for (int pass = 0; pass < passes; pass++) {
        begin_timed(start);
        begins(c);
        run(a, b, c);
        end_timed(&seen);
    }
}

int main(int, char **arguments) {
    int *a, *b, *c, result[N];
    cudaEvent_t start;
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    for (int **p : {&a, &b, &c}) {
        CHECK(cudaMalloc(p, N * sizeof(int)));
        CHECK(cudaMemset(*p, 1, N * sizeof(int)));
    }
    void (*volatile runs)(int *, int *, int *, cudaEvent_t) = strcmp(arguments[1], "idle") ? run_busy : run_idle;
    runs(a, b, c, start);
    for (int *p : {a, b, c}) {
        CHECK(cudaMemcpy(result, p, sizeof result, cudaMemcpyDeviceToHost));
        printf("%d %d\n", result[0], result[N - 1]);
    }
}
