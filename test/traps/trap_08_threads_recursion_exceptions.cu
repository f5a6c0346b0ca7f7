// Host threads in one function share nothing of it; recursion and exceptions leave a region in order.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial -lpthread
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -lpthread -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

#include <pthread.h>

#define THREADS 4

struct work {
    int seed, rounds;
    cudaStream_t stream;
    unsigned result;
};

// CHECK-LABEL: "name": "on_a_thread(void*)", "lanes": 3,
// CHECK: "waits": [
// CHECK-NEXT: {"op":
void *on_a_thread(void *argument) {
    struct work *work = (struct work *)argument;
    cudaStream_t stream = work->stream;
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N], seed = work->seed;
    for (int i = 0; i < work->rounds; i++) {
        fill<<<1, N, 0, stream>>>(a, seed + i);
        fill<<<1, N, 0, stream>>>(b, seed * i);
        fill<<<1, N, 0, stream>>>(c, i);
        add<<<1, N, 0, stream>>>(c, c, a);
        add<<<1, N, 0, stream>>>(c, c, b);
    }
    CHECK(cudaMemcpyAsync(host, c, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        work->result = work->result * 31 + (unsigned)host[i];
    return NULL;
}

static void threads(int own_streams) {
    struct work work[THREADS] = {};
    pthread_t handles[THREADS];
    for (int i = 0; i < THREADS; i++) {
        work[i].seed = 3 * i + 1;
        work[i].rounds = 6;
        if (own_streams)
            CHECK(cudaStreamCreateWithFlags(&work[i].stream, cudaStreamNonBlocking));
        pthread_create(&handles[i], NULL, on_a_thread, &work[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(handles[i], NULL);
        printf("thread %d: %u\n", i, work[i].result);
    }
}

// What the deeper instance launches comes behind what this one has launched before, and before what it launches then.
// CHECK-LABEL: "name": "recursive(int, int*, int*, CUstream_st*)", "lanes": 2,
// CHECK: "why": "call to function 'recursive(int, int*, int*, CUstream_st*)', which calls itself and launches a kernel (line [[@LINE+2]])"
void recursive(int depth, int *a, int *b, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, depth);
    add<<<1, N, 0, stream>>>(b, b, b);
    if (depth > 0)
        recursive(depth - 1, b, a, stream);
    scale<<<1, N, 0, stream>>>(b, 2);
    add<<<1, N, 0, stream>>>(a, a, a);
}

static void recursion(cudaStream_t stream) {
    int *a = allocate(), *b = allocate();
    CHECK(cudaMemset(b, 1, N * sizeof *b));
    CHECK(cudaDeviceSynchronize());
    APART(recursive, 3, a, b, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("recursion a", a);
    show("recursion b", b);
}

struct failure {
    int where;
};

static void check_or_throw(cudaError_t error, int where) {
    if (error != cudaSuccess)
        throw failure{where};
}

// A check that may throw is no barrier.
// CHECK-LABEL: "name": "throwing(int, int*, int*, int*, CUstream_st*)", "lanes": 3,
// CHECK: "barriers": []
void throwing(int grid, int *a, int *b, int *c, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, 1);
    check_or_throw(cudaGetLastError(), 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    check_or_throw(cudaGetLastError(), 2);
    fill<<<grid, N, 0, stream>>>(c, 3);
    check_or_throw(cudaGetLastError(), 3);
    add<<<1, N, 0, stream>>>(c, c, a);
    add<<<1, N, 0, stream>>>(c, c, b);
}

void somewhere(int *a, int *b, int *c, cudaStream_t stream) {
    void (*volatile apart)(int, int *, int *, int *, cudaStream_t) = throwing;
    apart(0, a, b, c, stream);
}

// CHECK-LABEL: "name": "exceptions(int, CUstream_st*)", "lanes": {{[23]}},
void exceptions(int count, cudaStream_t stream) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    for (int i = 0; i < count; i++) {
        scale<<<1, N, 0, stream>>>(a, 2);
        scale<<<1, N, 0, stream>>>(b, 3);
        try {
            APART(somewhere, a, b, c, stream);
        } catch (const struct failure &f) {
            printf("failed at %d\n", f.where);
        }
        add<<<1, N, 0, stream>>>(a, a, b);
        scale<<<1, N, 0, stream>>>(b, 5);
    }
    CHECK(cudaStreamSynchronize(stream));
    show("exception a", a);
    show("exception b", b);
}

// A region that an exception leaves, and another one, in another order, right behind.
// CHECK-LABEL: "name": "behind(int*, int*, int*, CUstream_st*)", "lanes": 2,
void behind(int *a, int *b, int *c, cudaStream_t stream) {
    scale<<<1, N, 0, stream>>>(b, 7);
    scale<<<1, N, 0, stream>>>(a, 11);
    add<<<1, N, 0, stream>>>(c, a, b);
}

static void thrown_past(cudaStream_t stream) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    for (int i = 0; i < 3; i++) {
        try {
            APART(throwing, i == 1, a, b, c, stream);
        } catch (const struct failure &) {
        }
        APART(behind, b, a, c, stream);
    }
    CHECK(cudaStreamSynchronize(stream));
    show("past a", a);
    show("past b", b);
    show("past c", c);
}

int main(void) {
    cudaStream_t own;
    CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    threads(0);
    threads(1);
    recursion(0);
    recursion(own);
    APART(exceptions, 3, (cudaStream_t)0);
    APART(exceptions, 3, own);
    APART(thrown_past, (cudaStream_t)0);
    APART(thrown_past, own);
    return 0;
}
