// A batch as people write it: managed buffers in members, filled by the host before each repetition, prefetches by hand or
// not, a kernel and a checked wait for each buffer, in a virtual function. Serially, and with races checked under many
// orders, the results are the same; kernels overlap, beside their prefetches too, though those lead to the same memory.
// RUN: for level in 1 2; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level %s -o %t.kesco || exit 1; \
// RUN:   for how in "3" "10" "10 prefetch" "40 prefetch"; do \
// RUN:     sh %compare 4 %t.serial %t.kesco $how && KESCO_MODE=auto sh %compare 2 %t.serial %t.kesco $how || exit 1; \
// RUN:   done; \
// RUN:   env KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco 10 >/dev/null && FileCheck %s --check-prefix=APART --input-file=%t.json || exit 1; \
// RUN:   env KESCO_MODE=lanes KESCO_STATS=1 VGPU_STATS=%t.json %t.kesco 10 prefetch 2>&1 | FileCheck %s --check-prefix=BESIDE || exit 1; \
// RUN:   FileCheck %s --check-prefix=PREFETCHED --input-file=%t.json || exit 1; \
// RUN:   for how in "40" "40 prefetch"; do \
// RUN:     for name in serial kesco; do KESCO_MODE=lanes VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t.$name $how || exit 1; done | \
// RUN:       awk -v how="$how" '{ at[NR] = $1 } END { exit !(NR == 2 && at[2] <= (how == "40" ? 0.8 : 1.05) * at[1]) }' || exit 1; \
// RUN:   done; \
// RUN: done
// Memory is fetched before each kernel, unless the program does that. Where CUDA refuses the lanes that come later, no error of that is left behind.
// RUN: %t.serial 40 >%t.out
// RUN: for call in cudaStreamCreateWithFlags:9 cudaStreamCreateWithFlags:16 cudaEventCreateWithFlags:20; do \
// RUN:   env KESCO_MODE=lanes VGPU_FAIL=$call KESCO_LOG=1 %t.kesco 40 2>%t.log | cmp - %t.out || exit 1; \
// RUN:   grep -q "the rest of a region runs serially: cudaError" %t.log || exit 1; \
// RUN: done
//
// One launch behind the other, in each of the three repetitions: 30.
// APART: "ordered_chain": 3,
// PREFETCHED: "ordered_chain": 6,
// BESIDE-NOT: serial:
// BESIDE: 90 ops placed, 30 behind others in flight

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 1 << 10, REPETITIONS = 3 };

__global__ void price(const double *spot, double *value, int n, double rate) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        double v = spot[i];
        for (int k = 0; k < 20; k++)
            v = v * rate + k;
        value[i] = v;
    }
}

struct Benchmark {
    int error = 0;
    virtual void alloc() = 0;
    virtual void init(int repetition) = 0;
    virtual void execute() = 0;
    virtual double result(int repetition) = 0;
    virtual ~Benchmark() = default;
};

struct Options : Benchmark {
    Options(int count, bool prefetches) : count(count), prefetches(prefetches) {
    }

    void alloc() override {
        spot = (double **)malloc(sizeof(double *) * count);
        value = (double **)malloc(sizeof(double *) * count);
        for (int i = 0; i < count; i++) {
            error = cudaMallocManaged(&spot[i], sizeof(double) * N);
            error = cudaMallocManaged(&value[i], sizeof(double) * N);
        }
    }

    void init(int repetition) override {
        for (int j = 0; j < count; j++)
            for (int i = 0; i < N; i++) {
                spot[j][i] = i + j * repetition;
                value[j][i] = 0;
            }
    }

    void execute() override {
        const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};

        for (int j = 0; j < count; j++) {
            if (prefetches) {
                cudaMemPrefetchAsync(spot[j], sizeof(double) * N, device, 0, 0);
                cudaMemPrefetchAsync(value[j], sizeof(double) * N, device, 0, 0);
            }
            price<<<4, 128>>>(spot[j], value[j], N, rate);
            error = cudaDeviceSynchronize();
        }
    }

    double result(int repetition) override {
        double sum = 0;
        for (int j = 0; j < count; j++)
            sum += value[j][(repetition * 37 + j) % N];
        return sum;
    }

    double **spot, **value, rate = 0.98;
    int count;
    bool prefetches;
};

int main(int argc, char **argv) {
    std::vector<Benchmark *> all = {new Options(argc > 1 ? atoi(argv[1]) : 10, argc > 2)};

    for (Benchmark *benchmark : all) {
        benchmark->alloc();
        for (int i = 0; i < REPETITIONS; i++) {
            benchmark->init(i);
            benchmark->execute();
            if (benchmark->error)
                printf("error %d\n", benchmark->error);
            printf("%d %.10g\n", i, benchmark->result(i));
        }
        delete benchmark;
    }
    printf("%d\n", cudaGetLastError());
    return 0;
}
