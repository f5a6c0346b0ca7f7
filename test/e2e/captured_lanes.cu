// Launches that the program captures into a graph of its own: the graph has branches where its kernels take long enough for
// them, by estimates, and stays a chain where they would cost more than they save. Captured again, it has the same form, whatever
// has been found out meanwhile, so that graphs can be updated.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 3 20 && \
// RUN:   KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 3 2000 && \
// RUN:   KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 2 700 again || exit 1; done
// RUN: for how in "1 10" "100 10" "1000 10" "100 2000"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial $how >%t.expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco $how | diff %t.expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json`; \
// RUN: done | tee %t.times | awk '{ bad += $4 > (NR <= 3 ? 1.02 : 0.5) * $3 } END { exit bad > 0 || NR < 4 }'

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

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

static void step_on(float *const *buffers, int turns, cudaStream_t stream) {
    cudaMemsetAsync(buffers[3], 0, COUNT * sizeof(float), stream);
    work<<<1, COUNT, 0, stream>>>(buffers[0], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[1], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[2], turns);
    work<<<1, COUNT, 0, stream>>>(buffers[3], turns);
    mix<<<1, COUNT, 0, stream>>>(buffers[0], buffers[1], buffers[3]);
    work<<<1, COUNT, 0, stream>>>(buffers[2], turns);
}

static void (*volatile step)(float *const *, int, cudaStream_t) = step_on; // so that it is one function, captured or not

// How many nodes of the graph are in a row.
static size_t depth_of(cudaGraph_t graph) {
    size_t count = 0, longest = 1;
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count);
    std::vector<cudaGraphNode_t> from(count), to(count);
    std::map<cudaGraphNode_t, size_t> depths;
    cudaGraphGetEdges(graph, from.data(), to.data(), nullptr, &count);
    for (size_t pass = 0; pass < count; pass++)
        for (size_t edge = 0; edge < count; edge++) {
            depths[to[edge]] = std::max(depths[to[edge]], depths[from[edge]] + 1);
            longest = std::max(longest, depths[to[edge]] + 1);
        }
    return longest;
}

static cudaGraph_t capture(float *const *buffers, int turns, cudaStream_t stream, cudaStreamCaptureMode mode) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, mode);
    step(buffers, turns, stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess)
        exit(1);
    return graph;
}

// How often the graph is launched, how long its kernels are, and whether they are then launched one by one, and captured again.
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
    graph = capture(buffers, turns, stream, cudaStreamCaptureModeGlobal);
    if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
        return 1;
    for (int i = 0; i < launches; i++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; argc > 3 && i < 100; i++) {
        for (int again = 0; again < 3; again++)
            step(buffers, turns, stream);
        cudaStreamSynchronize(stream);
        if (i % 10 == 0 &&
            depth_of(capture(buffers, turns, stream, cudaStreamCaptureModeRelaxed)) != depth_of(graph))
            printf("another form\n");
    }
    float sum = 0;
    for (float *each : buffers) {
        cudaMemcpy(result, each, sizeof result, cudaMemcpyDeviceToHost);
        for (float value : result)
            sum += value;
    }
    printf("%a\n", sum);
    return cudaGetLastError();
}
