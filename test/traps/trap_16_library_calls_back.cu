// Library functions come back into the program: a buffer of its own behind a stream, a FILE of its own, operator new of
// another unit. What they do with the device comes behind all that the program has issued, and before all that follows, at
// every level of optimisation; also where such a function's unit has no regions, so that it only asks whether there are some.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 -DMAIN %s -c -o %t/main.serial.o && %vgpu -O1 -DOTHER %s -c -o %t/other.serial.o
// RUN: %vgpu %t/main.serial.o %t/other.serial.o -o %t/serial
// RUN: for level in 0 1 2; do \
// RUN:   %vgpu-kesco -O$level -DMAIN %s -c -o %t/main.o -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   %vgpu-kesco -O$level -DOTHER %s -c -o %t/other.o -fplugin-arg-kesco-across-calls=off || exit 1; \
// RUN:   llvm-nm %t/other.o | grep -x ' *w __kesco1_interrupt' || exit 1; \
// RUN:   %vgpu %t/main.o %t/other.o -o %t/kesco || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 10 %t/serial %t/kesco || exit 1; \
// RUN: done

// A unit of which nobody has a region goes without the runtime.
// RUN: %vgpu-kesco -O2 -DALONE %s -o %t/alone && %t/alone | grep -x 'alone'
#ifdef MAIN

#include "Inputs/trap.h"

#include <atomic>
#include <iostream>
#include <streambuf>
#include <thread>

void *made(size_t bytes); // by operator new, which the other unit has

static int *shared_a, *shared_b, *shared_c;
static cudaStream_t stream;
static int calls;

// What comes back.
static void come_back() {
    calls++;
    add<<<1, N, 0, stream>>>(shared_c, shared_a, shared_b);
}

class Buffer : public std::streambuf {
    int overflow(int c) override {
        come_back();
        return c;
    }
    std::streamsize xsputn(const char *, std::streamsize n) override {
        come_back();
        return n;
    }
};

static ssize_t write_cookie(void *, const char *, size_t n) {
    come_back();
    return (ssize_t)n;
}

// CHECK: "name": "by_stream(int*, int*, std::ostream&, CUstream_st*)", "lanes": 2,
void by_stream(int *__restrict__ a, int *__restrict__ b, std::ostream &out, cudaStream_t stream) {
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 5);
    out << "x";
    scale<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(a, 2);
}

// A region on a stream that is the same each time is opened again behind the call, not before each op.
// CHECK: "name": "by_thread(int*, int*, std::ostream&)", "lanes": 2,
void by_thread(int *__restrict__ a, int *__restrict__ b, std::ostream &out) {
    scale<<<1, N, 0, cudaStreamPerThread>>>(a, 3);
    scale<<<1, N, 0, cudaStreamPerThread>>>(b, 5);
    out << "x";
    scale<<<1, N, 0, cudaStreamPerThread>>>(b, 2);
    scale<<<1, N, 0, cudaStreamPerThread>>>(a, 2);
}

// CHECK: "name": "by_file(int*, int*, _IO_FILE*, CUstream_st*)", "lanes": 2,
void by_file(int *__restrict__ a, int *__restrict__ b, FILE *out, cudaStream_t stream) {
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 5);
    fputs("x", out);
    scale<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(a, 2);
}

// CHECK: "name": "by_new(int*, int*, char**, CUstream_st*)", "lanes": 2,
void by_new(int *__restrict__ a, int *__restrict__ b, char **text, cudaStream_t stream) {
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 5);
    *text = new char[16];
    scale<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(a, 2);
}

// The same function again, from within.
static int depth;

// CHECK: "name": "by_itself(int*, int*, std::ostream&, CUstream_st*)", "lanes": 2,
void by_itself(int *__restrict__ a, int *__restrict__ b, std::ostream &out, cudaStream_t stream) {
    for (int pass = 0; pass < 2; pass++) {
        scale<<<1, N, 0, stream>>>(a, 3);
        scale<<<1, N, 0, stream>>>(b, 5);
        if (depth > 0)
            out << "x";
        scale<<<1, N, 0, stream>>>(b, 2);
    }
    scale<<<1, N, 0, stream>>>(a, 2);
}

class Deeper : public std::streambuf {
    std::streamsize xsputn(const char *, std::streamsize n) override {
        depth--;
        APART(by_itself, shared_b, shared_a, std::cerr, stream);
        depth++;
        return n;
    }
};

// What comes back may call it directly, where another definition might replace it.
void by_another(int *a, int *b, int *c, int value, std::ostream &out, cudaStream_t stream);

class Again : public std::streambuf {
    std::streamsize xsputn(const char *, std::streamsize n) override {
        if (depth-- > 0)
            by_another(shared_a, shared_b, shared_c, 7, std::cerr, stream);
        return n;
    }
};

// CHECK: "name": "by_another(int*, int*, int*, int, std::ostream&, CUstream_st*)", "lanes": 3,
__attribute__((weak)) void by_another(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int value,
                                      std::ostream &out, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, value);
    fill<<<1, N, 0, stream>>>(b, 2);
    scale<<<1, N, 0, stream>>>(b, 3);
    add<<<1, N, 0, stream>>>(b, b, a);
    if (depth > 0)
        out << "x";
    scale<<<1, N, 0, stream>>>(c, 3);
    scale<<<1, N, 0, stream>>>(b, 3);
}

// What comes back may let another thread use the device: that needs no call at all.
static std::atomic<int> turn;

class Word : public std::streambuf {
    std::streamsize xsputn(const char *, std::streamsize n) override {
        turn.store(1);
        while (turn.load() != 2)
            ;
        return n;
    }
};

// CHECK: "name": "by_word(int*, int*, std::ostream&, CUstream_st*)", "lanes": 2,
void by_word(int *__restrict__ a, int *__restrict__ b, std::ostream &out, cudaStream_t stream) {
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 5);
    out << "x";
}

static void work_meanwhile() {
    while (turn.load() != 1)
        ;
    add<<<1, N, 0, stream>>>(shared_c, shared_a, shared_b);
    turn.store(2);
}

// What stands right before a region no longer does if the program comes back in between.
// CHECK: "name": "behind_a_call(int*, int*, std::ostream&)", "lanes": 2,
void behind_a_call(int *__restrict__ a, int *__restrict__ b, std::ostream &out) {
    cudaDeviceSynchronize();
    out << "x";
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
}

void use_in_other_unit(int *a, int *b, int *c, cudaStream_t stream);

int main() {
    int *a = shared_a = allocate(), *b = shared_b = allocate(), *c = shared_c = allocate();
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    fill<<<1, N, 0, stream>>>(c, 3);
    Buffer buffer;
    std::ostream out(&buffer);
    APART(by_stream, a, b, out, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b), show("c", c);
    cudaStream_t own = stream;
    stream = cudaStreamPerThread;
    APART(by_thread, a, b, out);
    add<<<1, N, 0, stream>>>(c, a, b);
    CHECK(cudaStreamSynchronize(stream));
    stream = own;
    show("a", a), show("b", b), show("c", c);
    FILE *file = fopencookie(NULL, "w", {NULL, write_cookie, NULL, NULL});
    setvbuf(file, NULL, _IONBF, 0);
    APART(by_file, a, b, file, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b), show("c", c);
    use_in_other_unit(a, b, c, stream);
    char *text;
    APART(by_new, a, b, &text, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b), show("c", c);
    use_in_other_unit(NULL, NULL, NULL, NULL);
    delete[] text;
    Deeper deeper;
    std::ostream down(&deeper);
    depth = 1;
    APART(by_itself, a, b, down, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b);
    Again again;
    std::ostream once_more(&again);
    depth = 1;
    APART(by_another, a, b, c, 5, once_more, stream);
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b), show("c", c);
    Word word;
    std::ostream handed(&word);
    std::thread other(work_meanwhile);
    APART(by_word, a, b, handed, stream);
    other.join();
    CHECK(cudaStreamSynchronize(stream));
    show("a", a), show("b", b), show("c", c);
    APART(behind_a_call, a, b, out);
    CHECK(cudaDeviceSynchronize());
    show("a", a), show("b", b), show("c", c);
    printf("%d calls\n", calls);
    return 0;
}

#elif defined(OTHER)

#include <cstdlib>
#include <new>

static __global__ void sum(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] - b[threadIdx.x]; }

static int *first, *second, *third;
static cudaStream_t own;

void use_in_other_unit(int *a, int *b, int *c, cudaStream_t stream) {
    first = a;
    second = b;
    third = c;
    own = stream;
}

void *operator new[](size_t bytes) {
    if (first)
        sum<<<1, 64, 0, own>>>(third, first, second);
    return std::malloc(bytes);
}

void operator delete[](void *memory) noexcept { std::free(memory); }

#else

#include <stdio.h>

static __global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
    puts(cudaDeviceSynchronize() == cudaSuccess ? "alone" : "failed");
}

#endif
