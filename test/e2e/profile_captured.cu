// A region that is captured is not profiled, and KESCO_LOG says so.
// RUN: %vgpu-kesco -O1 %s -o %t
// RUN: KESCO_LOG=1 KESCO_PROFILE=%t.json %t 2>&1 | FileCheck %s
// CHECK: kesco: a captured region is not profiled
// CHECK-NEXT: kesco: region begins: 2 lanes

__global__ void set(int *out) { *out = 1; }

int main() {
    cudaStream_t stream;
    cudaGraph_t graph;
    int *a, *b;
    cudaMalloc(&a, sizeof(int));
    cudaMalloc(&b, sizeof(int));
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, stream>>>(a);
    set<<<1, 1, 0, stream>>>(b);
    return cudaStreamEndCapture(stream, &graph);
}
