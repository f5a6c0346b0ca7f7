// A program of several source files that copies to and from the host between calls of functions that launch: what these do
// overlaps, as the host waits for its copy alone. What it would have waited for, it has waited for before it could tell: where
// kernels work on memory of the host, on a stream that waits for no other, and where one fails.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DPARTS -c -o %t.parts.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DPARTS -c -o %t.parts.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.parts.serial.o -o %t.serial && %vgpu %t.main.o %t.parts.o -o %t.both || exit 1; \
// RUN:   for case in plain wrapped reused mapped managed beside asked fresh; do \
// RUN:     sh %compare 6 %t.serial %t.both $case || exit 1; \
// RUN:     for mode in auto turns graph serial; do \
// RUN:       KESCO_MODE=$mode sh %compare 2 %t.serial %t.both $case || exit 1; \
// RUN:     done; \
// RUN:   done; \
// RUN:   for case in fails frees waits; do STATUS=3 sh %compare 4 %t.serial %t.both $case || exit 1; done; \
// RUN:   for case in others unseen; do STATUS=4 sh %compare 4 %t.serial %t.both $case || exit 1; done; \
// RUN:   STATUS=3 sh %compare 2 %t.serial %t.both refused || exit 1; \
// RUN: done
//
// With optimisation, what follows from an error is seen.
// RUN: for case in plain wrapped; do \
// RUN:   env VGPU_STATS=%t.json %t.both $case >/dev/null && FileCheck %s --input-file=%t.json || exit 1; \
// RUN: done
// RUN: env KESCO_LOG=1 %t.both reused 2>&1 >/dev/null | FileCheck %s --check-prefix=OPEN
//
// In time: the host's copies beside long kernels, without being told what to do.
// RUN: for name in serial both; do KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t.$name plain 30000; done >%t.times
// RUN: awk 'NR == 1 { serial = $1 } NR == 2 { exit !(1.5 * $1 <= serial) }' %t.times
//
// CHECK: "launches": 16,
// CHECK: "ordered_chain": 2,
// OPEN: region begins
// OPEN-NOT: region begins

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { SIZE = 512, TURNS = 8, BYTES = SIZE * sizeof(float) };

#define CHECK_AS(call, status)                                                                                             \
    do {                                                                                                                   \
        const cudaError_t error = (call);                                                                                  \
        if (error != cudaSuccess) {                                                                                        \
            fprintf(stderr, "%s\n", cudaGetErrorName(error));                                                              \
            exit(status);                                                                                                  \
        }                                                                                                                  \
    } while (0)
#define CHECK(call) CHECK_AS(call, 3)

void scale(float *values, int passes);
void shift(float *values, int passes);
void upload(float *to, const float *from);
void download(float *to, const float *from);
void failAt(float *values, int which);
void checkOtherwise(float *to, const float *from);
void uploadUnseen(float *to, const float *from);
void clear(float *values);

#ifdef PARTS

__global__ void scaling(float *values, int passes) {
    float value = values[threadIdx.x];
    for (int pass = 0; pass < passes; pass++)
        value = value * 0.5f + threadIdx.x % 5;
    values[threadIdx.x] = value;
}

__global__ void shifting(float *values, int passes) {
    for (int pass = 0; pass < passes; pass++)
        values[threadIdx.x] += pass * 0.25f;
}

__global__ void failing(float *values, int which) {
    if (values[which] >= 0)
        values[(1L << 40) + which] = 1;
}

void scale(float *values, int passes) {
    scaling<<<1, SIZE>>>(values, passes);
    CHECK(cudaGetLastError());
}

void shift(float *values, int passes) {
    shifting<<<1, SIZE>>>(values, passes);
    CHECK(cudaGetLastError());
}

void upload(float *to, const float *from) {
    CHECK(cudaMemcpy(to, from, BYTES, cudaMemcpyHostToDevice));
}

void download(float *to, const float *from) {
    CHECK(cudaMemcpy(to, from, BYTES, cudaMemcpyDeviceToHost));
}

void failAt(float *values, int which) {
    failing<<<1, 1>>>(values, which);
}

void checkOtherwise(float *to, const float *from) {
    CHECK_AS(cudaMemcpy(to, from, BYTES, cudaMemcpyHostToDevice), 4);
}

void uploadUnseen(float *to, const float *from) {
    cudaMemcpy(to, from, BYTES, cudaMemcpyHostToDevice);
}

void clear(float *values) {
    CHECK_AS(cudaMemset(values, 0, BYTES), 4);
}

#else

static float *buffers[TURNS];
static float total;
static int passes = 3;

static std::vector<float> valuesOf(int turn) {
    std::vector<float> values(SIZE);
    for (int i = 0; i < SIZE; i++)
        values[i] = turn + i % 9;
    return values;
}

static void add(const float *values) {
    for (int i = 0; i < SIZE; i++)
        total += values[i] * (1 + i % 3);
}

/* Each buffer by itself, copied by this function, or by others. */
static void plain() {
    std::vector<float> result(SIZE);
    for (int i = 0; i < TURNS; i++) {
        const std::vector<float> values = valuesOf(i);
        CHECK(cudaMemcpy(buffers[i], values.data(), BYTES, cudaMemcpyHostToDevice));
        scale(buffers[i], passes);
        shift(buffers[i], 2);
    }
    for (float *buffer : buffers) {
        CHECK(cudaMemcpy(result.data(), buffer, BYTES, cudaMemcpyDeviceToHost));
        add(result.data());
    }
}

static void wrapped() {
    std::vector<float> result(SIZE);
    for (int i = 0; i < TURNS; i++) {
        upload(buffers[i], valuesOf(i).data());
        scale(buffers[i], passes);
        shift(buffers[i], 2);
    }
    for (float *buffer : buffers) {
        download(result.data(), buffer);
        add(result.data());
    }
}

/* Two buffers again and again, and what the host has is changed right behind each copy. */
static void reused() {
    std::vector<float> values = valuesOf(0), result(SIZE);
    for (int i = 0; i < TURNS; i++) {
        upload(buffers[i % 2], values.data());
        values[i] += 5;
        scale(buffers[i % 2], passes);
        CHECK(cudaMemcpy(result.data(), buffers[i / 2 % 2], BYTES, cudaMemcpyDeviceToHost));
        add(result.data());
        shift(buffers[(i + 1) % 2], 2);
    }
}

/* A kernel works on the host's own memory, which is copied, or read, behind another copy. */
static void onHostMemory(float *memory) {
    const std::vector<float> values = valuesOf(3);
    memcpy(memory, values.data(), BYTES);
    for (int i = 0; i < TURNS; i++) {
        upload(buffers[i], values.data());
        scale(buffers[i], passes);
        shift(memory, 3);
        upload(buffers[(i + 1) % TURNS], i % 2 == 0 ? memory : values.data());
        add(memory);
    }
}

static void mapped() {
    float *memory;
    CHECK(cudaMallocHost(&memory, BYTES));
    onHostMemory(memory);
    CHECK(cudaFreeHost(memory));
}

static void managed() {
    float *memory;
    CHECK(cudaMallocManaged(&memory, BYTES));
    onHostMemory(memory);
    CHECK(cudaFree(memory));
}

/* Behind a copy that waits for all kernels, another stream waits for none. */
static void beside() {
    cudaStream_t stream;
    std::vector<float> values = valuesOf(1);
    float *result;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&result, BYTES));
    for (int i = 0; i < TURNS; i++) {
        upload(buffers[i], values.data());
        scale(buffers[i], passes);
        upload(buffers[(i + 1) % TURNS], values.data());
        CHECK(cudaMemcpyAsync(result, buffers[i], BYTES, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        add(result);
    }
    CHECK(cudaFreeHost(result));
    CHECK(cudaStreamDestroy(stream));
}

/* Behind a copy or a wait, the device has nothing to do. */
static void asked() {
    const std::vector<float> values = valuesOf(1);
    std::vector<float> result(SIZE);
    for (int i = 0; i < TURNS; i++) {
        upload(buffers[i], values.data());
        scale(buffers[i], passes);
        if (i % 2 == 0)
            download(result.data(), buffers[(i + 3) % TURNS]);
        else
            CHECK(cudaDeviceSynchronize());
        total += cudaStreamQuery(nullptr) == cudaSuccess;
    }
}

/* Memory that comes and goes. */
static void fresh() {
    std::vector<float> result(SIZE);
    for (int i = 0; i < TURNS; i++) {
        float *memory;
        CHECK(cudaMalloc(&memory, BYTES));
        upload(memory, valuesOf(i).data());
        scale(memory, passes);
        upload(buffers[i], valuesOf(i).data());
        shift(memory, 2);
        scale(buffers[i], 2);
        download(result.data(), memory);
        add(result.data());
        CHECK(cudaFree(memory));
    }
}

/* A kernel fails that nobody waits for but by copies of other memory. */
static void failBefore(bool frees) {
    const std::vector<float> values = valuesOf(1);
    std::vector<float> result(SIZE);
    for (int i = 0; i < TURNS; i++)
        upload(buffers[i], values.data());
    failAt(buffers[0], 1);
    download(result.data(), buffers[1]);
    if (frees)
        CHECK_AS(cudaFree(buffers[2]), 7);
    else
        CHECK_AS(cudaDeviceSynchronize(), 7);
    printf("not reached\n");
}

/* It shows where a memset comes behind a copy that nobody looks at. */
static void failUnseen() {
    const std::vector<float> values = valuesOf(1);
    for (int i = 0; i < TURNS; i++)
        upload(buffers[i], values.data());
    failAt(buffers[0], 1);
    uploadUnseen(buffers[1], values.data());
    clear(buffers[1]);
    exit(9);
}

static void fail(bool otherwise) {
    const std::vector<float> values = valuesOf(1);
    plain();
    for (int i = 0; i < TURNS; i++) {
        if (i == 3)
            failAt(buffers[i], i);
        (otherwise ? checkOtherwise : upload)(buffers[(i + 1) % TURNS], values.data());
        scale(buffers[i], passes);
    }
    printf("not reached\n");
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "plain";
    if (argc > 2)
        passes = atoi(argv[2]);
    for (int i = 0; i < TURNS; i++)
        CHECK(cudaMalloc(&buffers[i], BYTES));
    if (strcmp(name, "plain") == 0)
        plain();
    else if (strcmp(name, "wrapped") == 0)
        wrapped();
    else if (strcmp(name, "reused") == 0)
        reused();
    else if (strcmp(name, "mapped") == 0)
        mapped();
    else if (strcmp(name, "managed") == 0)
        managed();
    else if (strcmp(name, "beside") == 0)
        beside();
    else if (strcmp(name, "asked") == 0)
        asked();
    else if (strcmp(name, "fresh") == 0)
        fresh();
    else if (strcmp(name, "refused") == 0)
        upload(nullptr, valuesOf(0).data());
    else if (strcmp(name, "frees") == 0 || strcmp(name, "waits") == 0)
        failBefore(strcmp(name, "frees") == 0);
    else if (strcmp(name, "unseen") == 0)
        failUnseen();
    else
        fail(strcmp(name, "others") == 0);
    printf("%a %s\n", total, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

#endif
