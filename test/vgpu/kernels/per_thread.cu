// RUN: %vgpu-clang++ -g -Xclang -fgpu-default-stream=per-thread %s -o %t && %t per-thread
// RUN: %vgpu-clang++ -g -fgpu-default-stream=per-thread %s -o %t && %t per-thread
// RUN: %vgpu-clang++ -fgpu-default-stream=legacy %s -o %t.legacy && %t.legacy legacy
// RUN: env VGPU_CHECK=races sh -c '%t race 2>%t.err; test $? = 66' && FileCheck %s --input-file=%t.err
// RUN: env VGPU_CHECK=races %t.legacy race
// With the per-thread default stream, launches and API calls that name no stream act on the thread's own.
#include "check.h"

#include <cstring>
#include <thread>

__global__ void count(int *counter) {
    *counter += 1;
}

/* Only a stream that is not the legacy one can be captured. */
static void capture(bool per_thread) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *counter = DEVICE_ZEROS(int, 1), got;
    CHECK_EQUAL(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) == cudaSuccess, per_thread);
    count<<<1, 1>>>(counter);
    CHECK_EQUAL(cudaStreamEndCapture(0, &graph) == cudaSuccess, per_thread);
    if (per_thread) {
        CUDA(cudaGraphInstantiate(&exec, graph, 0));
        CUDA(cudaGraphLaunch(exec, 0));
        CUDA(cudaGraphLaunch(exec, 0));
    }
    fetch(&got, counter, sizeof(got));
    CHECK_EQUAL(got, per_thread ? 2 : 1);
}

static void race() {
    int *counter = DEVICE_ZEROS(int, 1);
    CUDA(cudaDeviceSynchronize());
    // CHECK: vgpu: race on bytes 0 to 3
    // CHECK: per_thread.cu:[[#@LINE+1]]
    std::thread other([=] { count<<<1, 1>>>(counter); });
    other.join();
    count<<<1, 1>>>(counter);
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "race") == 0)
        race();
    else
        capture(argc > 1 && strcmp(argv[1], "per-thread") == 0);
    return 0;
}
