// While a region is serial, its ops may be placed on more lanes than it then gets at first. Those that have no stream yet
// are asked for nothing: a query in their place would be one of the default stream, which ends the captures of others, or
// of streams that went with a device that was reset.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: KESCO_MODE=auto VGPU_TIME=1 sh %compare 2 %t.serial %t.kesco
// RUN: KESCO_MODE=turns sh %compare 4 %t.serial %t.kesco
// RUN: KESCO_MODE=auto VGPU_TIME=1 KESCO_LOG=1 VGPU_STATS=%t.json %t.kesco 2>&1 | FileCheck %s
// CHECK: runs serially
// CHECK: a region gets 16 lanes
// CHECK-NOT: runs serially
// CHECK: capture: cudaSuccess
//
// Lanes were looked at, and no more were made.
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json
// STATS: "streams": 9,
// STATS: "cudaStreamQuery": {{[1-9]}}

#include <cstdio>

enum { SIZE = 256, TILES = 32, FIRST = 16, USED = 6, COUNT = 600 };

__global__ void mix(int *out, const int *in, int loops) {
    int value = out[threadIdx.x];

    for (int i = 0; i < loops; i++)
        value = value * 31 + in[threadIdx.x];
    out[threadIdx.x] = value;
}

__global__ void add(int *out) {
    out[threadIdx.x]++;
}

struct step {
    int out, in, loops;
};

static __attribute__((noinline)) void run(int **tiles, const step *steps, cudaStream_t stream) {
    for (int i = 0; i < COUNT; i++)
        mix<<<1, SIZE, 0, stream>>>(tiles[steps[i].out], tiles[steps[i].in], steps[i].loops);
}

// Once each of the first tiles, and then every second of a few, and the others, each with the next one.
static void choose(step *steps) {
    for (int i = 0; i < COUNT; i++) {
        int turn = i % USED, tile = turn < USED / 2 ? 2 * turn : 2 * turn - USED + 1;

        steps[i] = i < FIRST ? step{i, FIRST + i, 1} : step{tile, (tile + 1) % USED, 3000};
    }
}

int main() {
    static step steps[COUNT];
    int *tiles[TILES], *captured, values[SIZE];
    cudaStream_t origin, other;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    unsigned all = 0;

    for (int *&tile : tiles) {
        cudaMalloc(&tile, sizeof values);
        cudaMemset(tile, 1, sizeof values);
    }
    cudaMalloc(&captured, sizeof values);
    cudaMemset(captured, 0, sizeof values);
    choose(steps);
    cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking);
    cudaStreamCreate(&other);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed);
    add<<<1, SIZE, 0, other>>>(captured);
    run(tiles, steps, origin);
    std::printf("capture: %s\n", cudaGetErrorName(cudaStreamEndCapture(other, &graph)));
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, other);
    cudaDeviceSynchronize();
    for (int *tile : tiles) {
        cudaMemcpy(values, tile, sizeof values, cudaMemcpyDeviceToHost);
        for (int value : values)
            all = all * 31 + value;
    }
    cudaMemcpy(values, captured, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("%u %d\n", all, values[0]);
}
