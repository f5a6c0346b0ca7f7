// A function with a loop that says how often it goes round, called from elsewhere, as most are that programs are made of: its
// launches have to wait for each other, so that they are replayed from early on. Where estimates say that the device is far
// behind the host, as the kernel has a loop that hardly ever goes on, it is asked how long it takes.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -DSWEEP -c -o %t/sweep.serial.o && %vgpu -O2 %s -c -o %t/main.serial.o
// RUN: %vgpu-kesco -O2 %s -DSWEEP -c -o %t/sweep.o && %vgpu-kesco -O2 %s -c -o %t/main.o
// RUN: %vgpu %t/main.serial.o %t/sweep.serial.o -o %t/serial && %vgpu %t/main.o %t/sweep.o -o %t/kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco sweep 60 && \
// RUN:   KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco spikes 300 || exit 1; done
// RUN: for how in "sweep 4" "sweep 12" "sweep 25" "spikes 40" "spikes 200" "sweep 100" "sweep 400" "spikes 4000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | \
// RUN:   awk '{ bad += $4 > (NR <= 5 ? 1.02 : NR == 6 ? 0.75 : NR == 7 ? 0.65 : 0.9) * $3 } END { exit bad > 0 || NR < 8 }'

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

struct Problem {
    int passes;
    std::vector<double> at;
};

void sweep(const Problem &problem, std::vector<double> &at);
void spikes(const Problem &problem, std::vector<double> &at);

#ifdef SWEEP

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const cudaError_t error_ = (call);                                                                   \
        if (error_ != cudaSuccess) {                                                                         \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));                     \
            std::exit(EXIT_FAILURE);                                                                         \
        }                                                                                                    \
    } while (0)

__global__ void gather(const double *at, int count, unsigned long long *sums, unsigned long long *weights) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    atomicAdd(&sums[(7 * i + 3) % count], (unsigned long long)(at[i] * 1024));
    atomicAdd(&weights[(7 * i + 3) % count], 2ull);
}

__global__ void apply(double *at, int count, const unsigned long long *sums, const unsigned long long *weights) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && weights[i] != 0)
        at[i] = 0.5 * at[i] + (double)sums[i] / 1024.0 / (double)weights[i];
}

void sweep(const Problem &problem, std::vector<double> &at) {
    const int count = (int)problem.at.size(), blocks = (count + 63) / 64;
    double *now = nullptr;
    unsigned long long *sums = nullptr, *weights = nullptr;
    CHECK(cudaMalloc(&now, count * sizeof *now));
    CHECK(cudaMalloc(&sums, count * sizeof *sums));
    CHECK(cudaMalloc(&weights, count * sizeof *weights));
    CHECK(cudaMemcpy(now, problem.at.data(), count * sizeof *now, cudaMemcpyHostToDevice));
    for (int pass = 0; pass < problem.passes; ++pass) {
        CHECK(cudaMemset(sums, 0, count * sizeof *sums));
        CHECK(cudaMemset(weights, 0, count * sizeof *weights));
        gather<<<blocks, 64>>>(now, count, sums, weights);
        apply<<<blocks, 64>>>(now, count, sums, weights);
    }
    CHECK(cudaGetLastError());
    at.assign(count, 0.0);
    CHECK(cudaMemcpy(at.data(), now, count * sizeof *now, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(now));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(weights));
}

// A wave that is looked at closely where it is high, as it never is.
__global__ void step(const double *from, double *to, int count, int pass) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double value = 0;
    for (int near = 0; near < 30; ++near)
        value += from[(i + near) % count] / 31.0;
    if (value >= 900.0)
        for (int turn = 0; turn < 20000; ++turn)
            value = 0.5 * value + from[(i + turn) % count];
    to[i] = value + 0.01 * (pass % 3);
}

void spikes(const Problem &problem, std::vector<double> &at) {
    const int count = (int)problem.at.size(), blocks = (count + 63) / 64;
    double *now = nullptr, *next = nullptr;
    CHECK(cudaMalloc(&now, count * sizeof *now));
    CHECK(cudaMalloc(&next, count * sizeof *next));
    CHECK(cudaMemcpy(now, problem.at.data(), count * sizeof *now, cudaMemcpyHostToDevice));
    for (int pass = 0; pass < problem.passes; ++pass) {
        step<<<blocks, 64>>>(now, next, count, pass);
        std::swap(now, next);
    }
    CHECK(cudaGetLastError());
    at.resize(count);
    CHECK(cudaMemcpy(at.data(), now, count * sizeof *now, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(now));
    CHECK(cudaFree(next));
}

#else

// What to do, how often.
int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    Problem problem = {std::atoi(argv[2]), std::vector<double>(200)};
    std::vector<double> at;
    for (int i = 0; i < 200; i++)
        problem.at[i] = i % 17 + 1;
    argv[1][1] == 'w' ? sweep(problem, at) : spikes(problem, at);
    double sum = 0;
    for (double each : at)
        sum += each;
    std::printf("%a %a\n", sum, at[5]);
    return 0;
}

#endif
