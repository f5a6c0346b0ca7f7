// Launches of functions in another source file, of one or a few each, are replayed together as what calls the functions goes
// round: across calls, beside functions of several launches, through pointers, in steps of more launches than a graph has. What
// could tell sees what it would: copies, waits, other threads, exits, exceptions, launches that fail, other shapes of launches.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DSTEPS -c -o %t/steps.serial.o && %vgpu -O$o %s -c -o %t/main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DSTEPS -c -o %t/steps.o && %vgpu-kesco -O$o %s -c -o %t/main.o && \
// RUN:   %vgpu %t/main.serial.o %t/steps.serial.o -o %t/serial && %vgpu %t/main.o %t/steps.o -o %t/kesco || exit 1; \
// RUN:   for way in plain several long varies looks pointers other copies; do \
// RUN:     for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco $way 90 || exit 1; done; \
// RUN:   done; \
// RUN:   for mode in auto turns graph; do \
// RUN:     for way in throws exits fails lowers; do \
// RUN:       STATUS=7 KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco $way 90 && cmp %t/serial.result.err %t/kesco.result.err || exit 1; \
// RUN:     done; \
// RUN:   done; \
// RUN: done
//
// By virtual time, twice as fast where there is enough to do, and never slower.
// RUN: for how in "plain 20" "plain 45" "several 45" "looks 55" "while 100" "plain 1000" "several 1000" "long 200" "looks 1000" \
// RUN:     "pointers 1000" "copies 1000" "while 2000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $4 > (NR <= 5 ? 1.02 : 0.7) * $3 } END { exit bad > 0 || NR < 12 }'

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(error_));                            \
            exit(7);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { COUNT = 256 };

void spread(float *to, const float *from);
void add(float *to, const float *from, float scale);
void damp(float *to, float scale, int threads);
void both(float *a, float *b, float scale);
float first_of(const float *from);
void turn(float *to, int bytes);
void allow(int bytes);

#ifdef STEPS

__global__ void spread_kernel(float *to, const float *from) {
    const int i = threadIdx.x;
    to[i] = 0.5f * from[i] + 0.25f * (from[(i + 1) % COUNT] + from[(i + COUNT - 1) % COUNT]);
}
__global__ void add_kernel(float *to, const float *from, float scale) {
    to[threadIdx.x] += scale * from[threadIdx.x];
}
__global__ void damp_kernel(float *to, float scale) {
    for (int i = threadIdx.x; i < COUNT; i += blockDim.x)
        to[i] *= scale;
}

__global__ void turn_kernel(float *to) {
    extern __shared__ float values[];
    values[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = values[(threadIdx.x + 1) % COUNT];
}

void spread(float *to, const float *from) {
    spread_kernel<<<1, COUNT>>>(to, from);
    CHECK(cudaGetLastError());
}
void add(float *to, const float *from, float scale) {
    add_kernel<<<1, COUNT>>>(to, from, scale);
    CHECK(cudaGetLastError());
}
void damp(float *to, float scale, int threads) {
    damp_kernel<<<1, threads>>>(to, scale);
    CHECK(cudaGetLastError());
}
void both(float *a, float *b, float scale) {
    spread_kernel<<<1, COUNT>>>(b, a);
    add_kernel<<<1, COUNT>>>(a, b, scale);
    damp_kernel<<<1, COUNT>>>(a, 0.5f);
    spread_kernel<<<1, COUNT>>>(b, a);
}
float first_of(const float *from) {
    float result;
    CHECK(cudaMemcpy(&result, from, sizeof result, cudaMemcpyDeviceToHost));
    return result;
}

void turn(float *to, int bytes) {
    turn_kernel<<<1, COUNT, bytes>>>(to);
    CHECK(cudaGetLastError());
}
void allow(int bytes) {
    CHECK(cudaFuncSetAttribute(turn_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

#else

static float *a, *b, *c;

static void print_result() {
    float result[COUNT], sum = 0;
    for (const float *from : {a, b, c}) {
        CHECK(cudaMemcpy(result, from, sizeof result, cudaMemcpyDeviceToHost));
        for (float each : result)
            sum += each;
    }
    printf("%.9g\n", sum);
}

static void step(int pass, int threads) {
    spread(b, a);
    add(c, b, 0.5f / (1 + pass % 3));
    damp(c, 0.999f, threads);
    add(b, c, -0.01f);
    std::swap(a, b);
}

// What it has launched, another thread relies on as soon as it is told.
static void run_beside_other(int passes) {
    std::atomic<int> done(0);
    std::thread other([&] {
        while (done.load() == 0)
            std::this_thread::yield();
        CHECK(cudaDeviceSynchronize());
        print_result();
    });
    for (int pass = 0; pass < passes; pass++)
        step(pass, COUNT);
    done.store(1);
    other.join();
}

static void run_pointers(int passes) {
    void (*const adds[])(float *, const float *, float) = {add, add};
    void (*const spreads[])(float *, const float *) = {spread, spread};
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < 2; i++) {
            spreads[i](b, a);
            adds[i](c, b, 0.25f);
            spreads[i](a, c);
        }
}

static void run_until_done(int passes) {
    const volatile int most = passes;
    int pass = 0;
    while (true) {
        step(pass++, COUNT);
        if (pass == most)
            break;
    }
}

static void run(const char *way, int passes) {
    const auto is = [&](const char *name) { return strcmp(way, name) == 0; };
    if (is("other"))
        return run_beside_other(passes);
    if (is("pointers"))
        return run_pointers(passes);
    if (is("while"))
        return run_until_done(passes);
    for (int pass = 0; pass < passes; pass++) {
        step(pass, is("varies") ? 32 << pass / 30 % 4 : is("fails") && pass == 70 ? 4096 : COUNT);
        if (is("several"))
            both(a, b, 0.1f);
        for (int i = 0; is("long") && i < 80; i++)
            damp(c, 1 - 0.001f * i, COUNT);
        if (is("varies") && pass % 7 == 3)
            spread(a, c);
        if (is("looks") && pass % 20 == 19)
            printf("%d %g\n", pass, first_of(c));
        if (is("copies") && pass % 10 == 9)
            CHECK(cudaMemcpy(b, c, COUNT * sizeof *b, cudaMemcpyDeviceToDevice));
        if (is("lowers") && pass % 70 == 0)
            allow(pass == 0 ? 65536 : 1024);
        if (is("lowers"))
            turn(c, 60000);
        if (is("throws") && pass == 75)
            throw std::runtime_error("a pass");
        if (is("exits") && pass == 75)
            exit(7);
    }
}

int main(int, char **argv) {
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i % 17;
    for (float **each : {&a, &b, &c}) {
        CHECK(cudaMalloc(each, sizeof values));
        CHECK(cudaMemcpy(*each, values, sizeof values, cudaMemcpyHostToDevice));
    }
    if (strcmp(argv[1], "exits") == 0)
        atexit(print_result);
    try {
        run(argv[1], atoi(argv[2]));
    } catch (const std::runtime_error &error) {
        fprintf(stderr, "%s\n", error.what());
        print_result();
        return 7;
    }
    print_result();
}

#endif
