// Waits whose errors a function stores in a member, the last of them in a loop's last pass: they are put off, the host
// reads the arrays of managed buffers that the next pass takes its pointers from meanwhile, and what is still put off
// where the function ends tells of a kernel that failed.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: sh %compare 3 %t/serial %t/kesco 0
// RUN: env KESCO_MODE=auto VGPU_STATS=%t/kesco.json %t/kesco 0 | FileCheck %s
// RUN: FileCheck --check-prefix=STATS %s < %t/kesco.json
// Memory that is fetched on some way, which this run does not take.
// RUN: %vgpu-kesco -O2 -DFETCHES %s -o %t/fetches
// RUN: env VGPU_STATS=%t/kesco.json VGPU_CHECK=races %t/fetches 0 | grep -x '0 0 18'
// RUN: grep '"cudaDeviceSynchronize": [12],' %t/kesco.json
// RUN: sh -c 'for way in 1 2 3 4 5 6; do for seed in 0 1 2; do for program in serial kesco; do VGPU_SEED=$seed %t/$program $way \
// RUN:   >%t/$program.out 2>%t/$program.err; done; cmp %t/serial.out %t/kesco.out || exit 1; done; done'
// RUN: FileCheck --check-prefix=FAILED %s < %t/kesco.out
// CHECK: 0 0 66
// STATS: "event_waits": 0,
// STATS: "syncs": 2,
// FAILED: failed

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef FETCHES
enum { N = 32, COUNT = 4 };
#else
enum { N = 32, COUNT = 12 };
#endif

__global__ void twice(const int *from, int *to, long distance) { to[threadIdx.x + distance] = 2 * from[threadIdx.x]; }

struct Stage {
    virtual void run(int failing) = 0;
    virtual ~Stage() {}
    int error = 0;
};

struct Buffers : Stage {
    int count, **in, **out;

    explicit Buffers(int n) : count(n) {
        in = (int **)malloc(count * sizeof(int *));
        out = (int **)malloc(count * sizeof(int *));
        for (int i = 0; i < count; i++) {
            error = cudaMallocManaged(&in[i], N * sizeof(int));
            error = cudaMallocManaged(&out[i], N * sizeof(int));
            for (int j = 0; j < N; j++)
                in[i][j] = i * j;
        }
    }

    void run(int failing) override {
        for (int i = 0; i < count; i++) {
#ifdef FETCHES
            if (count > COUNT)
                cudaMemPrefetchAsync(in[i], N * sizeof(int), {cudaMemLocationTypeDevice, 0}, 0, 0);
#endif
            twice<<<1, N>>>(in[i], out[i], i == failing ? 1l << 40 : 0);
            error = cudaDeviceSynchronize();
        }
    }
};

// These look at the error before the function ends: at the member, by another pointer, in a function, bytewise.
#define RUN \
    for (int i = 0; i < count; i++) { \
        twice<<<1, N>>>(in[i], out[i], i == COUNT - 1 ? 1l << 40 : 0); \
        error = cudaDeviceSynchronize(); \
    }

__attribute__((noinline)) static bool is_well(const Buffers *buffers) { return buffers->error == cudaSuccess; }

struct Looks : Buffers {
    explicit Looks(int n) : Buffers(n) {}

    bool member() {
        RUN
        return error == cudaSuccess;
    }

    bool pointer(const int *error_too) {
        RUN
        return *error_too == cudaSuccess;
    }

    bool function() {
        RUN
        return is_well(this);
    }

    bool bytes() {
        int copy;
        RUN
        memcpy(&copy, &error, sizeof copy);
        return copy == cudaSuccess;
    }
};

static bool look(int way) {
    Looks *looks = new Looks(COUNT);
    switch (way) {
    case 3: return looks->member();
    case 4: return looks->pointer(&looks->error);
    case 5: return looks->function();
    default: return looks->bytes();
    }
}

int main(int argc, char **argv) {
    const int way = argc > 1 ? atoi(argv[1]) : 0;
    if (way >= 3)
        return printf("%s\n", look(way) ? "well" : "failed"), 0;
    Buffers *buffers = new Buffers(COUNT);
    Stage *stage = buffers;
    stage->run(way == 1 ? COUNT - 1 : way == 2 ? 0 : -1);
    if (stage->error != cudaSuccess)
        return printf("failed: %d\n", stage->error), 0;
    printf("%d %d %d\n", stage->error, buffers->out[0][3], buffers->out[COUNT - 1][3]);
    return 0;
}
