// What each function of the C library and of CUDA does to a region: nothing, a new object, or its end.
// RUN: %kesco-host -std=c++17 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

#include <chrono>
#include <cstdio>
#include <ctime>
#include <sys/time.h>

__attribute__((kesco_outputs(1))) __global__ void known(void *out) { *(char *)out = 1; }

// CHECK-LABEL: "name": "harmless()", "lanes": 2,
// CHECK: "barriers": []
void harmless() {
    float *a, *b;
    timespec now;
    timeval then;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a);
    int number, size;
    cudaFuncAttributes attributes;
    cudaFuncCache cache;
    cudaSharedMemConfig banks;
    cudaDeviceProp wanted{};
    cudaMemPool_t pool;
    size_t heap;
    unsigned flags;
    char bus[16];
    cudaDriverGetVersion(&number);
    cudaRuntimeGetVersion(&number);
    cudaFuncGetAttributes(&attributes, known);
    cudaPointerAttributes of;
    cudaPointerGetAttributes(&of, a);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaFuncSetAttribute(known, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
    cudaFuncSetCacheConfig(known, cudaFuncCachePreferL1);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    cudaDeviceGetCacheConfig(&cache);
    cudaFuncSetSharedMemConfig(known, cudaSharedMemBankSizeEightByte);
    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    cudaDeviceGetSharedMemConfig(&banks);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    cudaDeviceGetStreamPriorityRange(&number, &size);
    cudaStreamGetPriority(0, &number);
    cudaStreamGetFlags(0, &flags);
    cudaGetDeviceFlags(&flags);
    cudaDeviceCanAccessPeer(&number, 0, 0);
    cudaDeviceGetP2PAttribute(&number, cudaDevP2PAttrAccessSupported, 0, 1);
    cudaChooseDevice(&number, &wanted);
    cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaOccupancyMaxPotentialBlockSize(&number, &size, known);
    puts(cudaGetErrorString(cudaPeekAtLastError()));
    fputs(cudaGetErrorName(cudaGetLastError()), stderr);
    putchar('.');
    fputc('.', stdout);
    putc('\n', stdout);
    printf("%ld %ld\n", (long)clock(), (long)time(nullptr));
    fprintf(stderr, "%d\n", 1);
    perror("known");
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &now);
    gettimeofday(&then, nullptr);
    auto start = std::chrono::steady_clock::now();
    auto date = std::chrono::system_clock::now();
    known<<<1, 1>>>(b);
    (void)start, (void)date;
}

// CHECK-LABEL: "name": "allocations()", "lanes": 6,
// CHECK: {"id": 0, "kind": "allocate", {{.*}}"writes": ["pooled"]
// CHECK: {"id": 1, {{.*}}"writes": ["linear"]
// CHECK: {"id": 2, {{.*}}"writes": ["managed"]
// CHECK: {"id": 3, {{.*}}"writes": ["pinned"]
// CHECK: {"id": 4, {{.*}}"writes": ["flagged"]
// CHECK: {"id": 5, {{.*}}"writes": ["pitched"]
// CHECK: {"id": 6, {{.*}}"writes": ["pooled"]
void allocations() {
    float *linear, *managed, *pinned, *flagged, *pitched, *pooled;
    size_t pitch;
    cudaMalloc(&linear, 4);
    cudaMallocManaged(&managed, 4);
    cudaMallocHost(&pinned, 4);
    cudaHostAlloc(&flagged, 4, cudaHostAllocDefault);
    cudaMallocPitch(&pitched, &pitch, 4, 4);
    cudaMallocAsync(&pooled, 4, 0);
    known<<<1, 1>>>(linear);
    known<<<1, 1>>>(managed);
    known<<<1, 1>>>(pinned);
    known<<<1, 1>>>(flagged);
    known<<<1, 1>>>(pitched);
    known<<<1, 1>>>(pooled);
}

// CHECK-LABEL: "name": "barriers(CUstream_st*, CUevent_st*)", "lanes": 2,
// CHECK: "barriers": [
// CHECK-NEXT: call to 'cudaDeviceSynchronize'
// CHECK-NEXT: call to 'cudaStreamSynchronize'
// CHECK-NEXT: call to 'cudaStreamQuery'
// CHECK-NEXT: call to 'cudaStreamWaitEvent'
// CHECK-NEXT: call to 'cudaEventRecord'
// CHECK-NEXT: call to 'cudaEventSynchronize'
// CHECK-NEXT: call to 'cudaSetDevice'
// CHECK-NEXT: call to 'cudaFreeHost'
// CHECK-NEXT: call to 'cudaFree'
// CHECK-NEXT: call to 'cudaLaunchHostFunc'
// CHECK-NEXT: call to 'cudaDeviceReset'"}]
void barriers(cudaStream_t stream, cudaEvent_t event) {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    known<<<1, 1>>>(b);
    cudaStreamSynchronize(stream);
    known<<<1, 1>>>(a);
    cudaStreamQuery(0);
    known<<<1, 1>>>(b);
    cudaStreamWaitEvent(0, event, 0);
    known<<<1, 1>>>(a);
    cudaEventRecord(event);
    known<<<1, 1>>>(b);
    cudaEventSynchronize(event);
    known<<<1, 1>>>(a);
    cudaSetDevice(0);
    known<<<1, 1>>>(b);
    cudaFreeHost(nullptr);
    known<<<1, 1>>>(b);
    cudaFree(a);
    known<<<1, 1>>>(a);
    cudaMalloc(&a, 4);
    known<<<1, 1>>>(b);
    cudaLaunchHostFunc(0, nullptr, nullptr);
    known<<<1, 1>>>(a);
    cudaDeviceReset();
    known<<<1, 1>>>(b);
}
