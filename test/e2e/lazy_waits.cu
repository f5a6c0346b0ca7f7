// Waits that are put off: what the host sees is what it sees in the serial program, whatever memory it is, and errors of
// kernels still come to a check of the program's.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 1 2 3; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 8 %t/serial %t/kesco || exit 1; \
// RUN:   sh %compare 4 %t/serial %t/kesco managed || exit 1; \
// RUN:   sh %compare 8 %t/serial %t/kesco shared || exit 1; \
// RUN:   STATUS=3 sh %compare 4 %t/serial %t/kesco fault || exit 1; \
// RUN: done
// RUN: VGPU_CONCURRENT_MANAGED=0 sh %compare 4 %t/serial %t/kesco managed

// The waits are gone where the memory is the device's alone, and only there; and all are there where KeSCo is off.
// RUN: VGPU_STATS=%t/serial.stats %t/serial && VGPU_STATS=%t/kesco.stats %t/kesco
// RUN: VGPU_STATS=%t/off.stats KESCO_DISABLE=1 %t/kesco
// RUN: VGPU_STATS=%t/managed.stats %t/serial managed && VGPU_STATS=%t/both.stats %t/kesco managed
// RUN: for run in serial kesco off managed both; do grep -o '"cudaDeviceSynchronize": [0-9]*' %t/$run.stats; done | FileCheck %s --check-prefix=WAITS
// WAITS: "cudaDeviceSynchronize": 19
// WAITS-NEXT: "cudaDeviceSynchronize": 10
// WAITS-NEXT: "cudaDeviceSynchronize": 19
// WAITS-NEXT: "cudaDeviceSynchronize": 19
// WAITS-NEXT: "cudaDeviceSynchronize": {{19|2[0-9]}}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void scale(int *a, int f) { a[threadIdx.x] *= f; }
static __global__ void add(int *out, const int *a, const int *b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static const char *mode = "";

static void throw_if(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

static int *allocate() {
    int *p;
    throw_if(strcmp(mode, "managed") == 0 ? cudaMallocManaged(&p, N * sizeof(int)) : cudaMalloc(&p, N * sizeof(int)), "allocate");
    return p;
}

struct Free {
    void operator()(int *p) const { cudaFree(p); }
};

class Benchmark {
  public:
    virtual ~Benchmark() = default;
    virtual void alloc() = 0;
    virtual void execute(int round) = 0;
    virtual void show() const = 0;
};

class Sums : public Benchmark {
    std::unique_ptr<int, Free> a, b, c;
    cudaError_t err = cudaSuccess;
    int rounds = 0;
    std::vector<int> history;

    void alloc() override {
        a.reset(allocate()), b.reset(allocate()), c.reset(allocate());
        set<<<1, N>>>(c.get(), 0);
        throw_if(cudaDeviceSynchronize(), "alloc");
    }

    // CHECK: "name": "Sums::execute(int)", "lanes": 2,
    void execute(int round) override {
        set<<<1, N>>>(a.get(), round);
        err = cudaDeviceSynchronize();
        rounds++;
        set<<<1, N>>>(b.get(), rounds);
        err = cudaDeviceSynchronize();
        history.push_back(round);
        scale<<<1, N>>>(strcmp(mode, "fault") == 0 && round == 2 ? nullptr : a.get(), 3);
        throw_if(cudaDeviceSynchronize(), "scale");
        scale<<<1, N>>>(b.get(), history[0] + 1);
        throw_if(cudaDeviceSynchronize(), "scale");
        add<<<1, N>>>(c.get(), a.get(), b.get());
        throw_if(cudaDeviceSynchronize(), "add");
    }

    void show() const override {
        int result[N];
        throw_if(cudaMemcpy(result, c.get(), sizeof result, cudaMemcpyDeviceToHost), "show");
        printf("%d %d after %zu of %d\n", result[0], result[N - 1], history.size(), rounds);
    }
};

// On memory that the host may touch, it sees what it would see, right behind the wait.
class Peeks : public Benchmark {
    int *a, *b;
    long sum = 0;

    void alloc() override { a = allocate(), b = allocate(); }

    // CHECK: "name": "Peeks::execute(int)", "lanes": 2,
    void execute(int round) override {
        const bool looks = strcmp(mode, "managed") == 0;
        set<<<1, N>>>(a, round);
        set<<<1, N>>>(b, 7);
        cudaDeviceSynchronize();
        if (looks)
            sum += a[0], b[1] = 50;
        scale<<<1, N>>>(a, 2);
        scale<<<1, N>>>(b, 3);
    }

    void show() const override {
        int result[2];
        throw_if(cudaMemcpy(&result[0], a, sizeof(int), cudaMemcpyDeviceToHost), "show");
        throw_if(cudaMemcpy(&result[1], b + 1, sizeof(int), cudaMemcpyDeviceToHost), "show");
        printf("%d %d %ld\n", result[0], result[1], sum);
    }
};

// Pointers into one allocation are told by the guard, also where only one of the two could not be told before.
static int looks;

__attribute__((noinline)) static void shared(int *a, int *b, int *c) {
    set<<<1, N>>>(a, 3);
    cudaDeviceSynchronize();
    looks++;
    scale<<<1, N>>>(b, 2);
    scale<<<1, N>>>(c, 5);
    cudaDeviceSynchronize();
    looks++;
}

// What the default stream itself has been given is waited for, too: an op that all others come before.
__attribute__((noinline)) static void joined(int *a, int *b, int *c, int count) {
    for (int i = 0; i < count; i++) {
        set<<<1, N>>>(a, i);
        set<<<1, N>>>(b, 2);
        add<<<1, N>>>(c, a, b);
        cudaDeviceSynchronize();
        looks++;
    }
}

static void share() {
    void (*volatile call)(int *, int *, int *) = shared;
    void (*volatile loop)(int *, int *, int *, int) = joined;
    int *a = allocate(), *b = allocate(), *c = allocate(), *host;
    cudaStream_t beside;
    throw_if(cudaMallocHost(&host, N * sizeof(int)), "share");
    throw_if(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking), "share");
    int *rounds[][3] = {{a, b, c}, {a, a, b}, {a, b, a}, {b, a, a}};
    for (auto &round : rounds) {
        call(round[0], round[1], round[2]);
        throw_if(cudaMemcpyAsync(host, a, N * sizeof(int), cudaMemcpyDeviceToHost, beside), "share");
        throw_if(cudaStreamSynchronize(beside), "share");
        printf("%d %d\n", host[0], looks);
        loop(a, b, c, 3);
        throw_if(cudaMemcpyAsync(host, c, N * sizeof(int), cudaMemcpyDeviceToHost, beside), "share");
        throw_if(cudaStreamSynchronize(beside), "share");
        printf("%d %d\n", host[0], looks);
    }
}

static void run(Benchmark &benchmark) {
    benchmark.alloc();
    for (int round = 1; round <= 3; round++)
        benchmark.execute(round);
    benchmark.show();
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : "";
    try {
        Sums sums;
        run(sums);
        Peeks peeks;
        run(peeks);
        if (strcmp(mode, "shared") == 0)
            share();
    } catch (const std::exception &e) {
        printf("%s\n", strchr(e.what(), ':'));
        return 3;
    }
    return 0;
}
