// Launches that the program captures into a graph of its own: the graph has branches where its kernels take long enough for
// them, by estimates, and stays a chain where they would cost more than they save.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 3 20 && \
// RUN:   KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 3 2000 || exit 1; done
// RUN: for how in "1 10" "100 10" "1000 10" "100 2000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $how >%t.expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $how | diff %t.expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json`; \
// RUN: done | tee %t.times | awk '{ bad += $4 > (NR <= 3 ? 1.02 : 0.5) * $3 } END { exit bad > 0 || NR < 4 }'

#include <cstdio>
#include <cstdlib>

enum { COUNT = 128, BUFFERS = 4 };

__global__ void work(float *to, int turns) {
    float value = to[threadIdx.x];
    for (int i = 0; i < turns; i++)
        value = value * 0.999f + 0.1f;
    to[threadIdx.x] = value;
}

__global__ void mix(float *to, const float *a, const float *b) {
    to[threadIdx.x] = 0.5f * (a[threadIdx.x] + b[(threadIdx.x + 1) % COUNT]);
}

static void step(float *const *buffers, int turns, cudaStream_t stream) {
    cudaMemsetAsync(buffers[3], 0, COUNT * sizeof(float), stream);
    work<<<1, COUNT, 0, stream>>>(buffers[0], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[1], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[2], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[3], turns);
    mix<<<1, COUNT, 0, stream>>>(buffers[0], buffers[1], buffers[3]);
    work<<<1, COUNT, 0, stream>>>(buffers[2], turns);
}

// How often the graph is launched, and how long its kernels are.
int main(int argc, char **argv) {
    const int launches = atoi(argv[1]), turns = atoi(argv[2]);
    float *buffers[BUFFERS], result[COUNT];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    for (float *&each : buffers) {
        cudaMalloc(&each, COUNT * sizeof(float));
        cudaMemset(each, 0, COUNT * sizeof(float));
    }
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, argc > 3 ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal);
    step(buffers, turns, stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
        return 1;
    for (int i = 0; i < launches; i++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    float sum = 0;
    for (float *each : buffers) {
        cudaMemcpy(result, each, sizeof result, cudaMemcpyDeviceToHost);
        for (float value : result)
            sum += value;
    }
    printf("%a\n", sum);
    return cudaGetLastError();
}
