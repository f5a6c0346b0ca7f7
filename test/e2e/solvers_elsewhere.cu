// Solvers of another source file, each of whose steps is many launches: steps of several solvers overlap, as kernels take long;
// or each is replayed as a graph, as launching them does. What steps call, throw, or time sees what it would have seen, and a
// launch that fails is told of where it was.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DSOLVER -c -o %t.solver.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DSOLVER -c -o %t.solver.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.solver.serial.o -o %t.serial && %vgpu %t.main.o %t.solver.o -o %t.both && \
// RUN:   %vgpu %t.main.serial.o %t.solver.o -o %t.solvers && %vgpu %t.main.o %t.solver.serial.o -o %t.main || exit 1; \
// RUN:   for memory in device managed; do \
// RUN:     for way in plain loop calls checked clock throws fails; do \
// RUN:       sh %compare 3 %t.serial %t.both 3 6 1 $memory $way || exit 1; \
// RUN:       for mode in auto turns graph serial; do \
// RUN:         KESCO_MODE=$mode sh %compare 2 %t.serial %t.both 3 20 1 $memory $way || exit 1; \
// RUN:       done; \
// RUN:     done; \
// RUN:     for mode in lanes turns graph; do \
// RUN:       KESCO_MODE=$mode sh %compare 1 %t.serial %t.solvers 3 6 1 $memory plain && \
// RUN:       KESCO_MODE=$mode sh %compare 1 %t.serial %t.main 3 6 1 $memory plain || exit 1; \
// RUN:     done; \
// RUN:   done; \
// RUN: done
//
// RUN: env VGPU_STATS=%t.json %t.both 3 6 1 device plain >/dev/null && FileCheck %s --check-prefix=LANES --input-file=%t.json
// RUN: env VGPU_STATS=%t.json %t.both 3 6 1 device loop >/dev/null && FileCheck %s --check-prefix=LOOP --input-file=%t.json
// RUN: env VGPU_STATS=%t.json KESCO_MODE=graph %t.both 3 6 1 device plain >/dev/null && \
// RUN:   FileCheck %s --check-prefix=GRAPH --input-file=%t.json
// LANES: "graph_kernels": 0,
// LANES: "ordered_chain": 21,
// LOOP: "graph_kernels": 0,
// LOOP: "ordered_chain": 25,
// GRAPH: "graph_kernels": {{[4-9][0-9]}},
// GRAPH: "ordered_chain": 75,
//
// Steps of short kernels are launched as graphs, also with one solver; those of long ones overlap.
// RUN: env VGPU_TIME=1 VGPU_STATS=%t.json KESCO_MODE=auto %t.both 3 80 1 device plain >/dev/null && \
// RUN:   FileCheck %s --check-prefix=SHORT --input-file=%t.json
// RUN: env VGPU_TIME=1 VGPU_STATS=%t.json KESCO_MODE=auto %t.both 1 400 1 device plain >/dev/null && \
// RUN:   FileCheck %s --check-prefix=SHORT --input-file=%t.json
// RUN: env VGPU_TIME=1 VGPU_STATS=%t.json KESCO_MODE=auto %t.both 3 60 9000 device plain >/dev/null && \
// RUN:   FileCheck %s --check-prefix=LONG --input-file=%t.json
// SHORT: "graph_kernels": {{[0-9]?[1-9][0-9][0-9]}},
// LONG: "graph_kernels": 0,
// LONG: "ordered_chain": {{[12][0-9][0-9]}},

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess)                                                                           \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_));                                     \
    } while (0)

enum { SIZE = 256 };

class Solver {
  public:
    Solver(int number, int rounds, const char *memory);
    void step(const char *way);
    float sum() const;

  private:
    void solve();

    float *field, *flux, *energy;
    int rounds, steps = 0;
};

int passed(int steps);
float measured(const float *energy);

#ifdef SOLVER

__global__ void start(float *field, int number) { field[threadIdx.x] = number + threadIdx.x % 7; }

__global__ void differ(float *flux, const float *field, int rounds) {
    float value = field[threadIdx.x] - field[(threadIdx.x + 1) % SIZE];
    for (int i = 0; i < rounds; i++)
        value = value * 0.875f + 0.25f;
    flux[threadIdx.x] = value;
}

__global__ void limit(float *flux, float most) { flux[threadIdx.x] = min(flux[threadIdx.x], most); }

__global__ void add(float *field, const float *flux, int rounds) {
    float value = flux[threadIdx.x];
    for (int i = 0; i < rounds; i++)
        value = value * 0.875f + 0.25f;
    field[threadIdx.x] = field[threadIdx.x] * 0.5f + value;
}

__global__ void measure(float *energy, const float *field) {
    if (threadIdx.x == 0)
        for (int i = 0; i < SIZE; i++)
            *energy += field[i] * field[i];
}

Solver::Solver(int number, int rounds, const char *memory) : rounds(rounds) {
    const bool managed = strcmp(memory, "managed") == 0;
    for (float **buffer : {&field, &flux, &energy})
        CHECK(managed ? cudaMallocManaged(buffer, SIZE * sizeof **buffer)
                      : cudaMalloc(buffer, SIZE * sizeof **buffer));
    start<<<1, SIZE>>>(field, number);
    CHECK(cudaGetLastError());
}

void Solver::solve() {
    differ<<<1, SIZE>>>(flux, field, rounds);
    limit<<<1, SIZE>>>(flux, 2.0f + steps % 5);
    cudaMemsetAsync(energy, 0, sizeof *energy);
    add<<<1, SIZE>>>(field, flux, rounds);
    measure<<<1, 32>>>(energy, field);
    steps++;
}

void Solver::step(const char *way) {
    if (strcmp(way, "loop") == 0) {
        differ<<<1, SIZE>>>(flux, field, rounds);
        for (int i = 0; i < 3; i++)
            add<<<1, SIZE>>>(field, flux, rounds + i);
        return;
    }
    if (strcmp(way, "fails") == 0 && steps == 4)
        limit<<<1, 4096>>>(flux, 1);
    if (strcmp(way, "checked") == 0) {
        differ<<<1, SIZE>>>(flux, field, rounds);
        CHECK(cudaGetLastError());
        limit<<<1, SIZE>>>(flux, 2.5f);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        add<<<1, SIZE>>>(field, flux, rounds);
        CHECK(cudaGetLastError());
        add<<<1, SIZE>>>(field, flux, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    solve();
    CHECK(cudaGetLastError());
    if (strcmp(way, "calls") == 0) {
        add<<<1, SIZE>>>(field, flux, passed(steps));
        add<<<1, SIZE>>>(field, flux, rounds + (measured(energy) > 1000));
    }
    if (strcmp(way, "clock") == 0 && std::chrono::steady_clock::now().time_since_epoch().count() == 0)
        limit<<<1, SIZE>>>(flux, 1);
    if (strcmp(way, "throws") == 0 && steps % 3 == 0)
        throw std::runtime_error("a step of three");
}

float Solver::sum() const {
    std::vector<float> values(SIZE);
    float total;
    CHECK(cudaMemcpy(&total, energy, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(values.data(), field, SIZE * sizeof(float), cudaMemcpyDeviceToHost));
    for (float value : values)
        total += value;
    return total;
}

#else

int passed(int steps) {
    return steps % 4;
}

float measured(const float *energy) {
    float value;
    CHECK(cudaMemcpy(&value, energy, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main(int, char **argv) {
    std::vector<Solver> solvers;
    const int steps = atoi(argv[2]);
    int thrown = 0;

    for (int i = 0; i < atoi(argv[1]); i++)
        solvers.emplace_back(i, atoi(argv[3]), argv[4]);
    for (int step = 0; step < steps; step++)
        for (Solver &solver : solvers)
            try {
                solver.step(argv[5]);
            } catch (const std::runtime_error &) {
                thrown++;
            }
    for (const Solver &solver : solvers)
        printf("%a\n", solver.sum());
    printf("%d thrown, %s\n", thrown, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

#endif
