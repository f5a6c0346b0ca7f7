// Waits in loops and helpers behind which the program ends where there is an error: they are put off, and where the
// function ends, or anything could tell, the program's own check is made once more, as its macro or its helper has it.
// RUN: rm -rf %t && mkdir %t
// RUN: for check in MACRO HELPER TESTED ASKED ASKING WAITING; do for o in 1 2; do \
// RUN:   %vgpu -O$o -D$check %s -o %t/serial && \
// RUN:   %vgpu-kesco -O$o -D$check -Werror %s -o %t/kesco && \
// RUN:   sh %compare 4 %t/serial %t/kesco none && \
// RUN:   VGPU_STATS=%t/stats.json %t/kesco none >/dev/null && grep '"syncs": [0-9],' %t/stats.json && \
// RUN:   for way in first last returns renames throws raises; do for mode in serial lanes graph turns auto; do \
// RUN:     test $mode = serial && program=serial || program=kesco; \
// RUN:     status=0; (cd %t && touch part && KESCO_MODE=$mode VGPU_SEED=0 ./$program $way >$program.out 2>$program.err) || status=$?; \
// RUN:     { echo $status; cat %t/$program.err; ls %t | grep -x part; } >%t/$program.all; \
// RUN:     test $mode = serial || cmp %t/serial.all %t/kesco.all || { echo $check $o $way $mode; exit 1; }; \
// RUN:     head -n 1 %t/$program.all | grep -x 7 || exit 1; \
// RUN:   done; done || exit 1; \
// RUN: done || exit 1; done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef MACRO
#define CHECK(call) \
    do { \
        cudaError_t error = (call); \
        if (cudaSuccess != error) { \
            fprintf(stderr, "failed: %s\n", cudaGetErrorName(error)); \
            exit(7); \
        } \
    } while (0)
#elif defined(HELPER)
static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "failed: %s%s\n", cudaGetErrorName(error), what);
    exit(7);
}
#define CHECK(call) check(call, "")
#else
#define CHECK(call) \
    if ((call) != cudaSuccess) \
    fprintf(stderr, "failed\n"), exit(7)
#endif

// The result of the wait is not looked at, but the last error is, right behind it.
#ifdef ASKED
#define FINISH(what) \
    cudaDeviceSynchronize(); \
    do { \
        cudaError_t error = cudaGetLastError(); \
        if (error != cudaSuccess) { \
            fprintf(stderr, "failed: %s%s\n", what, cudaGetErrorName(error)); \
            exit(7); \
        } \
    } while (0)
#elif defined(ASKING) || defined(WAITING)
static void ask(const char *what) {
#ifdef WAITING
    cudaDeviceSynchronize();
#endif
    cudaError_t error = cudaGetLastError();
    if (cudaSuccess != error) {
        fprintf(stderr, "failed: %s%s\n", what, cudaGetErrorName(error));
        exit(7);
    }
}
#ifdef WAITING
#define FINISH ask
#else
#define FINISH(what) cudaDeviceSynchronize(), ask(what)
#endif
#else
#define FINISH(what) \
    CHECK(cudaGetLastError()); \
    CHECK(cudaDeviceSynchronize())
#endif

enum { N = 64 };

static __global__ void mix(int *out, const int *in, long distance) {
    out[threadIdx.x + distance] = out[threadIdx.x] * 3 + in[N - 1 - threadIdx.x];
}

void advance(int *out, const int *in, long distance) {
    mix<<<1, N>>>(out, in, distance);
    FINISH("mix");
}

struct Buffers {
    int *u, *v, *w, *x;
};

// The last pass of a loop has no check behind it.
__attribute__((noinline)) void run(Buffers &b, int passes, int failing) {
    for (int i = 0; i < passes; i++) {
        advance(b.u, b.v, i == failing ? 1l << 40 : 0);
        advance(b.w, b.x, 0);
    }
}

__attribute__((noinline)) int early(Buffers &b, bool stops) {
    advance(b.u, b.v, 1l << 40);
    if (stops)
        return 0;
    advance(b.w, b.x, 0);
    return 1;
}

__attribute__((noinline)) void renames(Buffers &b) {
    advance(b.u, b.v, 1l << 40);
    rename("part", "whole");
    advance(b.w, b.x, 0);
}

__attribute__((noinline)) void throws(Buffers &b, bool stops) {
    advance(b.u, b.v, 1l << 40);
    if (stops)
        throw 1;
    advance(b.w, b.x, 0);
}

// Something has to be cleaned up on the way.
struct Note {
    ~Note() { puts("cleaned"); }
};
__attribute__((noinline)) void raises(Buffers &b, size_t size) {
    Note note;
    advance(b.u, b.v, 1l << 40);
    delete[] new int[size];
    advance(b.w, b.x, 0);
}

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

int main(int, char **arguments) {
    const char *way = arguments[1];
    Buffers b;
    for (int **p : {&b.u, &b.v, &b.w, &b.x}) {
        int host[N];
        for (int i = 0; i < N; i++)
            host[i] = (int)(p - &b.u) + i;
        CHECK(cudaMalloc(p, sizeof host));
        CHECK(cudaMemcpy(*p, host, sizeof host, cudaMemcpyHostToDevice));
    }
    if (is(way, "returns"))
        return early(b, true);
    if (is(way, "renames"))
        renames(b);
    if (is(way, "throws"))
        throws(b, true);
    if (is(way, "raises"))
        raises(b, (size_t)1 << 50);
    run(b, 12, is(way, "first") ? 0 : is(way, "last") ? 11 : -1);
    for (int *p : {b.u, b.w}) {
        int host[N];
        if (cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
            printf("%d %d\n", host[0], host[N - 1]);
    }
}
