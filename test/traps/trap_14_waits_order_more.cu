// A call that synchronises orders more than the ops of the function at hand: what other functions have issued to streams of
// their own, other threads that have been joined, and libraries. It is only left out where all of that is known.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -DLIBRARY -c -o %t/library.o
// RUN: %vgpu -O1 %s -c -o %t/serial.o && %vgpu %t/serial.o %t/library.o -pthread -o %t/serial
// RUN: %vgpu -O1 %s -DFLAGS=cudaStreamNonBlocking -c -o %t/serial.o && %vgpu %t/serial.o %t/library.o -pthread -o %t/serial.free
// RUN: for level in 1 2 3; do \
// RUN:   %vgpu-kesco -O$level %s -c -o %t/kesco.o -fplugin-arg-kesco-report=%t/report.json -Rpass=kesco 2>%t/remarks || exit 1; \
// RUN:   FileCheck %s --input-file=%t/report.json && FileCheck %s --input-file=%t/remarks --check-prefix=REMARK || exit 1; \
// RUN:   %vgpu %t/kesco.o %t/library.o -pthread -o %t/kesco && sh %compare 10 %t/serial %t/kesco || exit 1; \
// RUN:   %vgpu-kesco -O$level %s -DFLAGS=cudaStreamNonBlocking -c -o %t/kesco.o || exit 1; \
// RUN:   %vgpu %t/kesco.o %t/library.o -pthread -o %t/kesco && sh %compare 10 %t/serial.free %t/kesco || exit 1; \
// RUN: done
#ifdef LIBRARY

static cudaStream_t own;
static __global__ void set(int *to, int value) { to[threadIdx.x] = value; }

void library(int *to, int value) {
    if (!own)
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    set<<<1, 64, 0, own>>>(to, value);
}

#else

#include "Inputs/trap.h"

#include <pthread.h>

#ifndef FLAGS
#define FLAGS cudaStreamDefault
#endif

void library(int *to, int value); // issues to a stream of its own

// The same function for another stream: what the call before it has issued, this one reads. It waits where it begins.
// CHECK: "name": "stage(CUstream_st*, int*, int*, int const*)", "lanes": 2,
void stage(cudaStream_t stream, int *__restrict__ out, int *__restrict__ other, const int *__restrict__ in) {
    cudaDeviceSynchronize();
    add<<<1, N, 0, stream>>>(out, in, in);
    scale<<<1, N, 0, stream>>>(other, 3);
    cudaDeviceSynchronize();
    scale<<<1, N, 0, stream>>>(out, 2);
    scale<<<1, N, 0, stream>>>(other, 5);
}

// A member that a table leads to. It begins with ops, and waits behind them.
struct Task {
    cudaStream_t stream;
    int *out, *other;
    const int *in;
    virtual void run() = 0;
};
struct Adds : Task {
    void run() override;
};
struct Scales : Task {
    void run() override;
};

// CHECK: "name": "Adds::run()", "lanes": 2,
// REMARK: trap_14_waits_order_more.cu:[[#@LINE+6]]:5: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+5]]: the host does nothing that needs it before it waits again;
void Adds::run() {
    cudaStream_t s = stream;
    int *a = out, *b = other;
    const int *c = in;
    fill<<<1, N, 0, s>>>(b, 1);
    cudaDeviceSynchronize();
    add<<<1, N, 0, s>>>(a, c, c);
    cudaDeviceSynchronize();
    scale<<<1, N, 0, s>>>(a, 2);
    scale<<<1, N, 0, s>>>(b, 2);
}

void Scales::run() {
    cudaStream_t s = stream;
    int *a = out, *b = other;
    const int *c = in;
    fill<<<1, N, 0, s>>>(b, 2);
    cudaDeviceSynchronize();
    add<<<1, N, 0, s>>>(a, c, c);
    cudaDeviceSynchronize();
}

// The wait of each pass moves behind the loop, but not that of the first.
// CHECK: "name": "passes(int, int*, int*, int const*)", "lanes": 2,
// REMARK: trap_14_waits_order_more.cu:[[#@LINE+4]]:9: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+3]] and to where the loop ends: the host does nothing that needs it before;
void passes(int n, int *__restrict__ out, int *__restrict__ other, const int *__restrict__ in) {
    for (int i = 0; i < n; i++) {
        fill<<<1, N>>>(other, i);
        cudaDeviceSynchronize();
        add<<<1, N>>>(out, in, in);
    }
}

// Behind what may issue anything, nothing is known any more.
// CHECK: "name": "with_library(int*, int*, int*)", "lanes": 2,
void with_library(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c) {
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 3);
    cudaDeviceSynchronize();
    library(c, 7);
    scale<<<1, N>>>(a, 5);
    scale<<<1, N>>>(b, 5);
    cudaDeviceSynchronize();
    add<<<1, N>>>(a, b, c);
    scale<<<1, N>>>(b, 7);
    cudaDeviceSynchronize();
}

// A library that may have been called, in some passes.
void perhaps_library(int n, int *__restrict__ a, int *__restrict__ b, int *__restrict__ c) {
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1)
            library(c, i);
        scale<<<1, N>>>(a, 3);
        cudaDeviceSynchronize();
        add<<<1, N>>>(b, b, c);
        cudaDeviceSynchronize();
    }
}

// A wait that control does not always come by.
void perhaps_wait(int n, bool wait, int *__restrict__ a, int *__restrict__ b, const int *__restrict__ c) {
    for (int i = 0; i < n; i++) {
        scale<<<1, N>>>(a, 3);
        if (wait)
            cudaDeviceSynchronize();
        if (wait)
            add<<<1, N>>>(b, b, c);
    }
    cudaDeviceSynchronize();
}

// A thread's default stream, and the thread is joined.
struct Job {
    int *out;
    int value;
};

static void *work(void *given) {
    Job *job = (Job *)given;
    fill<<<1, N, 0, cudaStreamPerThread>>>(job->out, job->value);
    return NULL;
}

static void in_thread(int *out, int value) {
    Job job = {out, value};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &job);
    pthread_join(thread, NULL);
}

// CHECK: "name": "behind_thread(int*, int*, int const*)", "lanes": 2,
void behind_thread(int *__restrict__ out, int *__restrict__ other, const int *__restrict__ in) {
    scale<<<1, N, 0, cudaStreamPerThread>>>(other, 3);
    cudaDeviceSynchronize();
    add<<<1, N, 0, cudaStreamPerThread>>>(out, in, in);
    cudaDeviceSynchronize();
}

int main() {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate();
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, FLAGS));
    CHECK(cudaStreamCreateWithFlags(&second, FLAGS));
    int **vectors[] = {&a, &b, &c, &d};
    for (int **vector : vectors)
        fill<<<1, N>>>(*vector, 1);
    CHECK(cudaDeviceSynchronize());
    APART(stage, first, a, b, c);
    APART(stage, second, c, d, a);
    CHECK(cudaDeviceSynchronize());
    show("a", a), show("b", b), show("c", c), show("d", d);

    Adds adds;
    Scales scales;
    adds.stream = first, adds.out = a, adds.other = b, adds.in = c;
    scales.stream = second, scales.out = c, scales.other = d, scales.in = b;
    Task *volatile tasks[] = {&adds, &scales, &adds};
    for (Task *task : tasks)
        task->run();
    CHECK(cudaDeviceSynchronize());
    show("a", a), show("b", b), show("c", c), show("d", d);

    for (int n = 0; n < 3; n++) {
        fill<<<1, N, 0, first>>>(c, 9 + n);
        APART(passes, n, a, b, c);
        CHECK(cudaDeviceSynchronize());
        show("a", a), show("b", b);
    }
    APART(with_library, a, b, c);
    show("a", a), show("b", b);
    APART(perhaps_library, 5, a, b, c);
    show("a", a), show("b", b);
    fill<<<1, N, 0, second>>>(c, 4);
    APART(perhaps_wait, 3, true, a, b, c);
    APART(perhaps_wait, 3, false, a, b, c);
    show("a", a), show("b", b);
    in_thread(c, 6);
    APART(behind_thread, a, b, c);
    show("a", a), show("b", b);
    return 0;
}

#endif
