// Devices without concurrent managed access: the host may touch no managed memory while any kernel runs, used by it or
// not. So wherever the serial program knew the device to be idle, it is.
// RUN: %vgpu -O1 %s -o %t.serial
// RUN: for seed in 0 1 2 3; do \
// RUN:   env VGPU_SEED=$seed VGPU_CHECK=races VGPU_CONCURRENT_MANAGED=0 %t.serial || exit 1; \
// RUN: done
// RUN: for o in 0 1 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t.kesco -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json && \
// RUN:   env VGPU_CONCURRENT_MANAGED=0 sh %compare 10 %t.serial %t.kesco && \
// RUN:   sh %compare 4 %t.serial %t.kesco || exit 1; \
// RUN: done

#include <cstdio>

#define N 64
#define SIZE (N * sizeof(int))

__global__ void fill(int *out, int value) {
    out[threadIdx.x] = value + threadIdx.x;
}
__global__ void add(int *out, const int *in) {
    out[threadIdx.x] += in[threadIdx.x];
}

static int *notes; // in managed memory, which no kernel uses

static int *allocate(void) {
    int *memory;
    cudaMalloc(&memory, SIZE);
    return memory;
}

// The host waits for what the copy waited for, not only for its lane.
// CHECK-LABEL: "name": "copy_to_the_host()", "lanes": 2,
// CHECK: "barriers": []
__attribute__((noinline)) void copy_to_the_host(void) {
    int *a = allocate(), *b = allocate(), host[N];
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    cudaMemcpy(host, b, SIZE, cudaMemcpyDeviceToHost);
    notes[0] = host[1];
    add<<<1, N>>>(b, a);
    add<<<1, N>>>(a, a);
    cudaMemcpy(host, b, SIZE, cudaMemcpyDeviceToHost);
    notes[1] = host[1];
}

// CHECK-LABEL: "name": "copy_from_the_host(int)", "lanes": 2,
// CHECK: "barriers": []
__attribute__((noinline)) void copy_from_the_host(int rounds) {
    int *a = allocate(), *b = allocate(), host[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int round = 0; round < rounds; round++) {
        fill<<<1, N>>>(a, round);
        cudaMemcpy(b, host, SIZE, cudaMemcpyHostToDevice);
        notes[2] += round;
        add<<<1, N>>>(b, b);
    }
    cudaDeviceSynchronize();
    notes[3]++;
}

// A copy that is asynchronous by its name waits for its stream so far, too, if the memory is pageable.
// CHECK-LABEL: "name": "pageable(CUstream_st*)", "lanes": 2,
// CHECK: "barriers": []
__attribute__((noinline)) void pageable(cudaStream_t own) {
    int *a = allocate(), *b = allocate(), host[N];
    fill<<<1, N, 0, own>>>(a, 3);
    fill<<<1, N, 0, own>>>(b, 4);
    cudaMemcpyAsync(host, b, SIZE, cudaMemcpyDeviceToHost, own);
    notes[4] = host[1];
    add<<<1, N, 0, own>>>(a, a);
    add<<<1, N, 0, own>>>(b, b);
    cudaStreamSynchronize(own);
    notes[5]++;
}

// Calls that synchronise are left out only before the host touches anything.
// CHECK-LABEL: "name": "waits(int)", "lanes": 2,
__attribute__((noinline)) void waits(int rounds) {
    int *a = allocate(), *b = allocate(), host;
    cudaEvent_t end;
    fill<<<1, N>>>(a, 5);
    fill<<<1, N>>>(b, 6);
    cudaDeviceSynchronize();
    add<<<1, N>>>(a, a);
    add<<<1, N>>>(b, b);
    cudaMemcpy(&host, a, sizeof host, cudaMemcpyDeviceToHost);
    notes[6] = host;
    for (int i = 0; i < rounds; i++) {
        add<<<1, N>>>(a, a);
        add<<<1, N>>>(b, b);
        cudaStreamSynchronize(0);
    }
    notes[7]++;
    cudaEventCreate(&end);
    fill<<<1, N>>>(a, 7);
    fill<<<1, N>>>(b, 8);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    notes[8]++;
    cudaEventDestroy(end);
}

// A memset of memory that the host can touch lets it wait, also where only the run tells.
// CHECK-LABEL: "name": "setting(int*)", "lanes": 3,
__attribute__((noinline)) void setting(int *managed) {
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, 9);
    fill<<<1, N>>>(b, 10);
    cudaMemset(managed, 0, SIZE);
    notes[9]++;
    add<<<1, N>>>(managed, a);
    cudaDeviceSynchronize();
    notes[10] = managed[1];
}

int main() {
    int *managed;
    cudaStream_t own;
    cudaMallocManaged(&managed, SIZE);
    cudaMallocManaged(&notes, SIZE);
    cudaStreamCreate(&own);
    for (int i = 0; i < N; i++)
        notes[i] = 0;
    copy_to_the_host();
    copy_from_the_host(3);
    pageable(own);
    waits(4);
    setting(managed);
    for (int i = 0; i <= 10; i++)
        printf("%d\n", notes[i]);
    return 0;
}
