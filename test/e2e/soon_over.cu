// Programs whose loop ends soon after what it launches has come often enough for a graph, or for lanes: as the loop says how often
// it goes round, none is made that would not pay, and where many passes are to come, it is made soon.
// What prepares the memory before, of several buffers at once, keeps neither a chain nor a solver from being replayed.
// RUN: rm -rf %t && mkdir %t
// RUN: for name in chain apart solver; do \
// RUN:   %vgpu -O2 %s -Dis_$name -o %t/serial.$name && %vgpu-kesco -O2 %s -Dis_$name -o %t/kesco.$name || exit 1; done
// RUN: for how in "chain 10 16 1" "chain 12 8 1" "chain 8 48 1" "chain 5 64 1" "chain 7 64 1" "apart 4 4 5000" "apart 8 2 5000" "apart 23 4 1000" \
// RUN:     "solver 10 20 1" "chain 16 64 1" "chain 100 64 1" "apart 200 4 1000" "solver 100 20 1"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial.$how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco.$how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $6 > (NR <= 10 ? 1.01 : 0.75) * $5 } END { exit bad > 0 || NR < 13 }'

#include <cstdio>
#include <cstdlib>

enum { COUNT = 256, BUFFERS = 4 };

__global__ void work(float *to, const int *turns) {
    float value = to[threadIdx.x];
    for (int i = 0; i < *turns; i++)
        value = value * 0.999f + 0.1f;
    to[threadIdx.x] = value;
}

__global__ void fill(float *to) {
    to[threadIdx.x] = threadIdx.x;
}
__global__ void smooth(float *to, const float *from) {
    to[threadIdx.x] = from[threadIdx.x] * 0.5f + from[(threadIdx.x + 1) % COUNT] * 0.5f;
}

// A chain, a solver that looks at its result, or kernels that have nothing to do with each other; then the host waits.
int main(int argc, char **argv) {
    const int passes = atoi(argv[1]), kernels = atoi(argv[2]), length = atoi(argv[3]);
    float *buffers[BUFFERS], result[COUNT] = {0};
    int *turns;
    cudaMalloc(&turns, sizeof *turns);
    cudaMemcpy(turns, &length, sizeof length, cudaMemcpyHostToDevice);
    for (float *&each : buffers) {
        cudaMalloc(&each, COUNT * sizeof(float));
        cudaMemset(each, 0, COUNT * sizeof(float));
    }
#ifdef is_apart
    for (int pass = 0; pass < passes; pass++) {
        work<<<1, COUNT>>>(buffers[0], turns);
        work<<<1, COUNT>>>(buffers[1], turns);
        if (kernels > 2)
            work<<<1, COUNT>>>(buffers[2], turns);
        if (kernels > 3)
            work<<<1, COUNT>>>(buffers[3], turns);
        cudaMemcpy(result, buffers[0], sizeof(float), cudaMemcpyDeviceToHost);
    }
#elif defined is_solver
    fill<<<1, COUNT>>>(buffers[2]);
    fill<<<1, COUNT>>>(buffers[3]);
    for (int pass = 0; pass < passes; pass++) {
        for (int kernel = 0; kernel < kernels; kernel++) {
            smooth<<<1, COUNT>>>(buffers[3], buffers[2]);
            smooth<<<1, COUNT>>>(buffers[2], buffers[3]);
        }
        cudaMemcpy(result, buffers[2], sizeof(float), cudaMemcpyDeviceToHost);
        if (result[0] > 1e9f)
            return 1;
    }
#else
    for (int pass = 0; pass < passes; pass++) {
        cudaMemcpy(buffers[0], result, sizeof result, cudaMemcpyHostToDevice);
        for (int kernel = 0; kernel < kernels; kernel++)
            work<<<1, COUNT>>>(buffers[0], turns);
        cudaDeviceSynchronize();
    }
#endif
    cudaMemcpy(result, buffers[0], sizeof result, cudaMemcpyDeviceToHost);
    printf("%g\n", result[3]);
    return 0;
}
