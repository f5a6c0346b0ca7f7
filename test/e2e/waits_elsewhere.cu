// Members that launch and wait, with a check of each, called from another source file, as programs of several files have them:
// the host waits once, before it could tell, where the device alone has the memory, and each time where the host reads what
// kernels write. Where a kernel fails, the check that the program has ends it. Either file may be compiled without KeSCo.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %vgpu -O2 %s -DMEMBERS -c -o members.serial.o && %vgpu -O2 %s -c -o main.serial.o
// RUN: %vgpu-kesco -O2 %s -DMEMBERS -c -o members.o && %vgpu-kesco -O2 %s -c -o main.o
// RUN: %vgpu main.serial.o members.serial.o -o serial && %vgpu main.o members.o -o both
// RUN: %vgpu main.serial.o members.o -o callees && %vgpu main.o members.serial.o -o callers
// RUN: for how in 0 1 2 3 4 5 6 7 8 9 10; do for memory in device managed mapped; do \
// RUN:   for mode in lanes auto turns; do KESCO_MODE=$mode sh %compare 3 ./serial ./both $how $memory || exit 1; done; \
// RUN:   sh %compare 1 ./serial ./callees $how $memory && sh %compare 1 ./serial ./callers $how $memory && \
// RUN:   VGPU_CONCURRENT_MANAGED=0 sh %compare 1 ./serial ./both $how $memory || { echo $how $memory; exit 1; }; done; done
//
// The first wait of the one region, or the first few without lanes, that at its end, and three copies, which are no waits; those that stay are 18, with a
// clock around each too, beside the first, and what that of a constructor, which is put off, is settled by.
// RUN: for how in 0 1 2 3 4; do \
// RUN:   KESCO_MODE=lanes VGPU_STATS=lanes.json ./both $how device >out && grep -q '"syncs": [23],' lanes.json && \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=auto.json ./both $how device >out && grep -q '"syncs": 9,' auto.json && \
// RUN:   grep -q '"ordered_chain": 6,' lanes.json || { echo $how; exit 1; }; done
// RUN: for how in 5 6 7 8 9 10; do for mode in lanes:20 auto:21; do \
// RUN:   KESCO_MODE=${mode%%:*} VGPU_TIME=1 VGPU_STATS=kept.json ./both $how device >out && grep -q "\"syncs\": ${mode##*:}," kept.json || { echo $how; exit 1; }; \
// RUN: done; done
//
// What fails tells of itself as the program does, no later than its next check. Where that does not look, the constructor's check
// may, whose wait was put off with it.
// RUN: for how in 0 1 2 3 4; do for mode in lanes auto serial; do \
// RUN:   KESCO_MODE=$mode STATUS=3 sh %compare 3 ./serial ./both $how device 2 || exit 1; cat both.result.err; done; done | \
// RUN:   grep -v '^vgpu' | grep -v '^line 9[0-9]:' | FileCheck %s
// CHECK-COUNT-12: {{^}}line {{[0-9]+}}: an illegal memory access was encountered{{$}}
// CHECK-NOT: line

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

enum { SIZE = 64, FIELDS = 3, PASSES = 6 };
constexpr long FAR = 1L << 28;

struct Field {
    explicit Field(const char *memory);
    void checked(int fails);
    void handed(int fails);
    void unchecked(int fails);
    void asked(int fails);
    void ofStream(int fails);
    void throws(int fails);
    cudaError_t returns(int fails);
    void stores(int fails);
    void prints(int fails);
    void copies(int fails);
    unsigned *values, *other, host[SIZE];
    cudaError_t error;
};

#ifdef MEMBERS

static void end(cudaError_t error, int line) {
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
    exit(3);
}

static void check(cudaError_t error, int line) {
    if (error != cudaSuccess)
        end(error, line);
}

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess)                                                                           \
            end(error_, __LINE__);                                                                           \
    } while (0)

// `at`: far outside of the buffer where it fails.
__global__ void work(unsigned *to, const unsigned *from, long at) {
    to[threadIdx.x + at] = to[threadIdx.x] * 3 + from[threadIdx.x];
}

__global__ void say(unsigned *to, int fails) {
    if (threadIdx.x == 0)
        printf("kernel %u\n", to[0] + fails);
    to[threadIdx.x] += 1;
}

Field::Field(const char *memory) : host(), error(cudaSuccess) {
    for (unsigned **each : {&values, &other}) {
        if (strcmp(memory, "managed") == 0)
            CHECK(cudaMallocManaged(each, SIZE * sizeof **each));
        else if (strcmp(memory, "mapped") == 0)
            CHECK(cudaMallocHost(each, SIZE * sizeof **each));
        else
            CHECK(cudaMalloc(each, SIZE * sizeof **each));
        CHECK(cudaMemset(*each, 1, SIZE * sizeof **each));
    }
    CHECK(cudaDeviceSynchronize());
}

void Field::checked(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

void Field::handed(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    check(cudaGetLastError(), __LINE__);
    check(cudaDeviceSynchronize(), __LINE__);
}

void Field::unchecked(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    cudaDeviceSynchronize();
}

void Field::asked(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    cudaDeviceSynchronize();
    CHECK(cudaGetLastError());
}

void Field::ofStream(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    CHECK(cudaStreamSynchronize(0));
}

void Field::throws(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    if (cudaDeviceSynchronize() != cudaSuccess)
        throw std::runtime_error("failed");
}

cudaError_t Field::returns(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    return cudaDeviceSynchronize();
}

void Field::stores(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    error = cudaDeviceSynchronize();
}

void Field::prints(int fails) {
    say<<<1, SIZE>>>(values, fails);
    CHECK(cudaDeviceSynchronize());
}

void Field::copies(int fails) {
    work<<<1, SIZE>>>(values, other, fails * FAR);
    CHECK(cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
}

#else

static void step(Field &field, int how, int fails) {
    switch (how) {
    case 0: return field.checked(fails);
    case 1: return field.handed(fails);
    case 2: return field.unchecked(fails);
    case 3: return field.asked(fails);
    case 4: return field.ofStream(fails);
    case 5: return field.throws(fails);
    case 6: return (void)field.returns(fails);
    case 7: return field.stores(fails);
    case 8: return field.prints(fails);
    case 9: return field.copies(fails);
    }
}

int main(int argc, char **argv) {
    const int how = atoi(argv[1]), fails = argc > 3 ? atoi(argv[3]) : -1;
    const bool isVisible = strcmp(argv[2], "device") != 0;
    Field a(argv[2]), b(argv[2]), c(argv[2]), *fields[FIELDS] = {&a, &b, &c};
    unsigned long sum = 0;
    int times = 0;

    for (int pass = 0; pass < PASSES; pass++)
        for (Field *field : fields) {
            if (how == 10) {
                const auto start = std::chrono::steady_clock::now();
                field->checked(0);
                times += (std::chrono::steady_clock::now() - start).count() >= 0;
            } else {
                step(*field, how, fails == pass);
            }
            if (how == 8)
                printf("host %d\n", pass);
            if (isVisible)
                sum += field->values[pass];
            sum = sum * 3 + field->host[pass];
        }
    for (Field *field : fields) {
        if (cudaMemcpy(field->host, field->values, sizeof field->host, cudaMemcpyDefault) != cudaSuccess)
            return 3;
        for (unsigned value : field->host)
            sum = sum * 7 + value;
    }
    printf("%lu %d %d\n", sum, times, a.error);
    return 0;
}

#endif
