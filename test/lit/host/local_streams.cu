// A stream that the function makes is the same for all its ops: CUDA's functions keep no pointer to the variable.
// RUN: for o in 0 2; do %kesco-host -O$o -S -emit-llvm %s -o /dev/null -fplugin-arg-kesco-report=%t.json && \
// RUN:   FileCheck %s --input-file=%t.json || exit 1; done

__attribute__((kesco_outputs(1))) __global__ void set(float *out) { *out = 1; }

// CHECK: "name": "made(float const*)", "lanes": 2,
// CHECK: "barriers": [
// CHECK-NOT: another stream
// CHECK: "name": "asked()", "lanes": 2,
// CHECK-NOT: another stream
void made(const float *host) {
    float *a, *b;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(a, 0, 4096, stream);
    set<<<1, 1, 0, stream>>>(b);
    cudaStreamSynchronize(stream);
}

void asked() {
    float *a, *b;
    int device;
    cudaStream_t stream;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    cudaGetDevice(&device);
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, device);
    cudaMemsetAsync(a, device, 4096, stream);
    set<<<1, 1, 0, stream>>>(b);
    cudaStreamSynchronize(stream);
}
