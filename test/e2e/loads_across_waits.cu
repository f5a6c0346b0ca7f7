// Launches take their buffers from members that are loaded again behind each check: they are the same on both sides of a wait,
// and channels overlap. Where a kernel has written the table that the pointers are loaded from, they are not, and each launch
// gets what the serial program gives it.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -O$o %s -o serial && %vgpu-kesco -O$o %s -o kesco || exit 1; \
// RUN:   for what in blur turn; do \
// RUN:     for mode in lanes auto turns graph; do KESCO_MODE=$mode sh %compare 4 ./serial ./kesco $what || exit 1; done; \
// RUN:   done; \
// RUN:   KESCO_MODE=lanes VGPU_STATS=kesco.json ./kesco blur >out && FileCheck %s --input-file=kesco.json || exit 1; \
// RUN: done
// CHECK: "launches": 24,
// CHECK: "ordered_chain": 6,

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { SIZE = 64, CHANNELS = 4, PASSES = 3 };

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != cudaSuccess)                                                                           \
            exit(1);                                                                                         \
    } while (0)

__global__ void rows(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void columns(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] * 2 + out[threadIdx.x]; }

struct Plane {
    int width, height;
    float *data;
};

struct Table {
    float *of[CHANNELS];
};

__global__ void turn(Table *table) {
    float *first = table->of[0];
    for (int i = 1; i < CHANNELS; i++)
        table->of[i - 1] = table->of[i];
    table->of[CHANNELS - 1] = first;
}

struct Blur {
    std::vector<Plane> between;
    void apply(const std::vector<Plane> &in, std::vector<Plane> &out);
};

__attribute__((noinline)) void Blur::apply(const std::vector<Plane> &in, std::vector<Plane> &out) {
    for (int c = 0; c < (int)in.size(); c++) {
        rows<<<1, SIZE>>>(in[c].data, between[c].data);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        columns<<<1, SIZE>>>(between[c].data, out[c].data);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
}

__attribute__((noinline)) void turned(Table *table, const float *in) {
    for (int i = 0; i < 2 * CHANNELS; i++) {
        rows<<<1, SIZE>>>(in, table->of[0]);
        CHECK(cudaDeviceSynchronize());
        turn<<<1, 1>>>(table);
        CHECK(cudaDeviceSynchronize());
        columns<<<1, SIZE>>>(table->of[0], table->of[1]);
        CHECK(cudaDeviceSynchronize());
        columns<<<1, SIZE>>>(table->of[1], table->of[2]);
        CHECK(cudaDeviceSynchronize());
    }
}

static float *allocate(float value) {
    std::vector<float> values(SIZE, value);
    float *data;
    CHECK(cudaMalloc(&data, SIZE * sizeof *data));
    CHECK(cudaMemcpy(data, values.data(), SIZE * sizeof *data, cudaMemcpyHostToDevice));
    return data;
}

static float sum(const float *data) {
    float values[SIZE], result = 0;
    CHECK(cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost));
    for (float value : values)
        result += value;
    return result;
}

int main(int argc, char **argv) {
    std::vector<Plane> in, out;
    Blur blur;
    for (int c = 0; c < CHANNELS; c++) {
        in.push_back({SIZE, 1, allocate(c)});
        out.push_back({SIZE, 1, allocate(2 * c)});
        blur.between.push_back({SIZE, 1, allocate(3 * c)});
    }
    if (strcmp(argv[1], "blur") == 0) {
        for (int pass = 0; pass < PASSES + argc - 2; pass++)
            blur.apply(in, out);
    } else {
        Table *table;
        CHECK(cudaMallocManaged(&table, sizeof *table));
        for (int c = 0; c < CHANNELS; c++)
            table->of[c] = out[c].data;
        turned(table, in[1].data);
    }
    for (const Plane &each : out)
        printf("%g\n", sum(each.data));
    return 0;
}
