// What else a program does with memory that cudaFree has been given, while what it frees is kept: freed twice, asked about,
// missing where an op of a stream allocates, of another device, of a pool, which cudaFree does not wait for, and freed while
// another thread captures, where cudaFree is allowed and to wait for the device is not. All is as in the serial program.
// RUN: for unit in JOBS BUFFERS MAIN; do \
// RUN:   %vgpu -O2 %s -D$unit -c -o %t.$unit.serial.o && %vgpu-kesco -O2 %s -D$unit -c -o %t.$unit.o || exit 1; \
// RUN: done; \
// RUN: %vgpu %t.JOBS.serial.o %t.BUFFERS.serial.o %t.MAIN.serial.o -o %t.serial -pthread && \
// RUN: %vgpu %t.JOBS.o %t.BUFFERS.o %t.MAIN.o -o %t.kesco -pthread
// RUN: for how in twice asked full device pool captured; do for mode in lanes auto graph; do \
// RUN:   env VGPU_MEMORY=64 VGPU_DEVICES=2 KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco $how || { echo "$how $mode"; exit 1; }; \
// RUN: done; done

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

enum { COUNT = 256, STEPS = 20, LARGE = 2 << 20 };

float *allocate(size_t size);
float *allocateFromPool(size_t size);
void release(float *memory);
void work(float *to, const float *from);
void workOn(cudaStream_t stream, float *to, const float *from);
int allocateIn(cudaStream_t stream, float *to, size_t size);

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        const cudaError_t error_ = (call);                                                                                                 \
        if (error_ != cudaSuccess) {                                                                                                       \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_));                                                                 \
            exit(3);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

#ifdef JOBS
__global__ void add(float *to, const float *from) {
    to[threadIdx.x] = to[threadIdx.x] * 0.5f + from[threadIdx.x] + 1;
}

void work(float *to, const float *from) {
    add<<<1, COUNT>>>(to, from);
    CHECK(cudaGetLastError());
}

void workOn(cudaStream_t stream, float *to, const float *from) {
    add<<<1, COUNT, 0, stream>>>(to, from);
}

// Between what is freed, and kept, and what that lacks.
int allocateIn(cudaStream_t stream, float *to, size_t size) {
    float *temporary, *own;
    for (int i = 0; i < 4; i++) {
        CHECK(cudaMalloc(&temporary, size / 2));
        add<<<1, COUNT>>>(to, temporary);
        add<<<1, COUNT>>>(to, to);
        CHECK(cudaFree(temporary));
    }
    const cudaError_t error = cudaMallocAsync(&own, size, stream);
    if (error == cudaSuccess)
        cudaFreeAsync(own, stream);
    return error;
}
#endif

#ifdef BUFFERS
float *allocate(size_t size) {
    float *memory;
    CHECK(cudaMalloc(&memory, size));
    CHECK(cudaMemset(memory, 0, size));
    return memory;
}

float *allocateFromPool(size_t size) {
    float *memory;
    CHECK(cudaMallocAsync(&memory, size, 0));
    CHECK(cudaMemsetAsync(memory, 0, size, 0));
    CHECK(cudaStreamSynchronize(0));
    return memory;
}

void release(float *memory) {
    cudaFree(memory);
}
#endif

#ifdef MAIN
static void step(float *a, float *b) {
    float *temporary = allocate(COUNT * 4), *other = allocate(COUNT * 4);
    work(temporary, a);
    work(other, b);
    work(a, temporary);
    work(b, other);
    release(temporary);
    release(other);
}

static void twice(float *a, float *b) {
    float *memory = allocate(COUNT * 4);
    work(memory, a);
    release(memory);
    release(memory);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    float *next = allocate(COUNT * 4), kept;
    work(next, b);
    step(a, b);
    printf("%s", cudaGetErrorName(cudaMemcpy(&kept, next, sizeof kept, cudaMemcpyDeviceToHost)));
    printf(" %g\n", kept);
}

static void asked(float *a) {
    float *memory = allocate(COUNT * 4);
    cudaPointerAttributes attributes;
    work(memory, a);
    release(memory);
    CHECK(cudaPointerGetAttributes(&attributes, memory));
    printf("%d\n", attributes.type);
}

static void full(float *a, float *b) {
    size_t left, all;
    CHECK(cudaMemGetInfo(&left, &all));
    float *most = allocate(left - LARGE);
    for (int i = 0; i < 4; i++)
        step(a, b);
    printf("%d\n", allocateIn(0, a, LARGE * 3 / 4));
    release(most);
}

static void device(float *a, float *b) {
    float *managed, *memory;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMallocManaged(&managed, COUNT * 4));
    memset(managed, 0, COUNT * 4);
    memory = allocate(COUNT * 4);
    for (int i = 0; i < 4; i++)
        work(managed, memory);
    CHECK(cudaSetDevice(0));
    for (int i = 0; i < STEPS; i++)
        step(a, b);
    release(memory);
    printf("%g\n", managed[0]);
}

static void pool(float *a, float *b, float *c) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    float *memory = allocateFromPool(LARGE), result;
    for (int i = 0; i < STEPS; i++) {
        step(a, b);
        work(a, memory);
        CHECK(cudaDeviceSynchronize());
    }
    release(memory);
    workOn(stream, c, a);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&result, c, sizeof result, cudaMemcpyDefault));
    printf("%g\n", result);
}

static void captured(float *a, float *b, float *c) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    workOn(stream, c, c);
    std::thread([&] {
        for (int i = 0; i < STEPS; i++)
            step(a, b);
    }).join();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    float *a = allocate(COUNT * 4), *b = allocate(COUNT * 4), *c = allocate(COUNT * 4), result[3];
    for (int i = 0; i < STEPS; i++)
        step(a, b);
    if (strcmp(how, "twice") == 0)
        twice(a, b);
    else if (strcmp(how, "asked") == 0)
        asked(a);
    else if (strcmp(how, "full") == 0)
        full(a, b);
    else if (strcmp(how, "device") == 0)
        device(a, b);
    else if (strcmp(how, "pool") == 0)
        pool(a, b, c);
    else
        captured(a, b, c);
    CHECK(cudaMemcpy(&result[0], a, sizeof *result, cudaMemcpyDefault));
    CHECK(cudaMemcpy(&result[1], b, sizeof *result, cudaMemcpyDefault));
    CHECK(cudaMemcpy(&result[2], c, sizeof *result, cudaMemcpyDefault));
    printf("%g %g %g\n", result[0], result[1], result[2]);
    return 0;
}
#endif
