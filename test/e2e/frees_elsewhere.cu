// Functions of another source file with scratch memory of their own, which a destructor of a third one frees: cudaFree lets
// the host wait, which is put off as waits are, and the memory stays until then. That holds where the program looks at
// what it returns and where it does not, if what the program does about an error can be done later, and where it is freed
// in line, if the compiler optimises; where the host touches memory that is in use, it waits. Each way, what the device has is enough.
// RUN: for how in "" "-DLOOKS" "-DLOOKS -DSTREAMS" "-DLOOKS -DTHROWS" -DINLINE; do for o in 0 2; do \
// RUN:   %vgpu -O$o %s $how -DSOLVERS -c -o %t.1.serial.o && %vgpu -O$o %s $how -DBUFFERS -c -o %t.2.serial.o && \
// RUN:   %vgpu -O$o %s $how -c -o %t.3.serial.o && %vgpu %t.1.serial.o %t.2.serial.o %t.3.serial.o -o %t.serial && \
// RUN:   %vgpu-kesco -O$o %s $how -DSOLVERS -c -o %t.1.o && %vgpu-kesco -O$o %s $how -DBUFFERS -c -o %t.2.o && \
// RUN:   %vgpu-kesco -O$o %s $how -c -o %t.3.o && %vgpu %t.1.o %t.2.o %t.3.o -o %t.both && \
// RUN:   %vgpu %t.1.o %t.2.serial.o %t.3.o -o %t.without || exit 1; \
// RUN:   for memory in device managed one; do \
// RUN:     sh %compare 5 %t.serial %t.both $memory && VGPU_MEMORY=1 sh %compare 2 %t.serial %t.both $memory && \
// RUN:       sh %compare 2 %t.serial %t.without $memory || exit 1; \
// RUN:     for mode in auto turns graph serial; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.both $memory || exit 1; done; \
// RUN:   done; \
// RUN:   env VGPU_STATS=%t.$o.json %t.both device >/dev/null || exit 1; \
// RUN:   echo "$how:" `sed -n 's/.*"ordered_chain": \([0-9]*\),/\1/p' %t.$o.json`; \
// RUN: done; done >%t.chains && FileCheck %s --input-file=%t.chains
// CHECK: {{^}}: 41{{$}}
// CHECK-NEXT: {{^}}: 13{{$}}
// CHECK-NEXT: -DLOOKS: 41{{$}}
// CHECK-NEXT: -DLOOKS: 13{{$}}
// CHECK-NEXT: -DLOOKS -DSTREAMS: 41{{$}}
// CHECK-NEXT: -DLOOKS -DSTREAMS: 13{{$}}
// CHECK-NEXT: -DLOOKS -DTHROWS: 41{{$}}
// CHECK-NEXT: -DLOOKS -DTHROWS: 41{{$}}
// CHECK-NEXT: -DINLINE: 41{{$}}
// CHECK-NEXT: -DINLINE: 13{{$}}

// A kernel that fails: the program ends as ever, with what it says of it.
// RUN: for mode in lanes auto graph serial; do for step in 0 3; do \
// RUN:   %t.serial fails $step >%t.expected 2>&1; expected=$?; KESCO_MODE=$mode %t.both fails $step >%t.actual 2>&1; actual=$?; \
// RUN:   test $expected -eq 3 && test $actual -eq 3 && grep -q "illegal memory access" %t.actual || exit 1; \
// RUN: done; done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#if defined(STREAMS)
#include <iostream>
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(error) << std::endl;                \
            std::exit(3);                                                                                              \
        }                                                                                                              \
    } while (0)
#elif defined(THROWS)
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));                                 \
    } while (0)
#else
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));                                     \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)
#endif

#ifdef LOOKS
#define FREE(pointer) CHECK(cudaFree(pointer))
#else
#define FREE(pointer) cudaFree(pointer)
#endif

enum { SIZE = 256, SOLVERS_COUNT = 4, STEPS = 5 };

class Buffer {
    float *memory = nullptr;

  public:
#ifdef INLINE
    explicit Buffer(int count) { CHECK(cudaMalloc(&memory, count * sizeof *memory)); }
    ~Buffer() { FREE(memory); }
#else
    explicit Buffer(int count);
    ~Buffer() noexcept(false);
#endif
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    float *get() const { return memory; }
};

class Solver {
    float *state;
    Buffer extra;

  public:
    Solver(const char *kind, int number);
    void step(bool fails);
    float *get() const { return state; }
};

#if defined(SOLVERS)

#include "Inputs/memory_kinds.h"

__global__ void start(float *state, float first) { state[threadIdx.x] = first + threadIdx.x % 7; }
__global__ void square(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x] * 0.1f; }
__global__ void mix(float *state, const float *in) { state[threadIdx.x] = state[threadIdx.x] * 0.5f + in[SIZE - 1 - threadIdx.x]; }

Solver::Solver(const char *kind, int number) : state(allocate(kind, number, SIZE)), extra(SIZE) {
    start<<<1, SIZE>>>(state, number);
}

void Solver::step(bool fails) {
    Buffer scratch(SIZE);
    square<<<1, SIZE>>>(fails ? nullptr : scratch.get(), state);
    CHECK(cudaGetLastError());
    mix<<<1, SIZE>>>(state, scratch.get());
    CHECK(cudaGetLastError());
}

#elif defined(BUFFERS)

#ifndef INLINE
Buffer::Buffer(int count) { CHECK(cudaMalloc(&memory, count * sizeof *memory)); }
Buffer::~Buffer() noexcept(false) { FREE(memory); }
#endif

#else

#include <memory>
#include <vector>

static int run(const char *kind, int failing) {
    std::vector<std::unique_ptr<Solver>> all;
    for (int i = 0; i < SOLVERS_COUNT; i++)
        all.emplace_back(new Solver(kind, i));
    for (int step = 0; step < STEPS; step++) {
        for (auto &solver : all)
            solver->step(step == failing && solver == all[1]);
        if (strcmp(kind, "managed") == 0 && step % 2 == 0) {
            CHECK(cudaDeviceSynchronize());
            all[0]->get()[step] += 1;
        }
    }
    float total = 0, values[SIZE];
    for (auto &solver : all) {
        CHECK(cudaMemcpy(values, solver->get(), sizeof values, cudaMemcpyDeviceToHost));
        for (float value : values)
            total += value;
    }
    printf("%.9g\n", total);
    return 0;
}

int main(int count, char **arguments) {
    try {
        return run(arguments[1], count > 2 ? atoi(arguments[2]) : -1);
    } catch (const std::exception &failure) {
        fprintf(stderr, "%s\n", failure.what());
        return 3;
    }
}

#endif
