// Functions that return CUDA's error where a call fails, as most libraries in C do: the optimiser makes one value of what they
// return. All waits but the last are put off, and what the caller is told stays the same, whichever step a kernel fails in; not
// where each call has a number of its own.
// RUN: for how in "-O1" "-O2" "-O3 -DASKS" "-O2 -DLAST" "-O2 -DNUMBERS"; do \
// RUN:   %vgpu $how %s -c -o %t.1.serial.o && %vgpu $how -DSTEP %s -c -o %t.2.serial.o && \
// RUN:   %vgpu-kesco $how %s -c -o %t.1.o && %vgpu-kesco $how -DSTEP %s -c -o %t.2.o && \
// RUN:   %vgpu %t.1.serial.o %t.2.serial.o -o %t.serial && %vgpu %t.1.o %t.2.o -o %t.kesco && \
// RUN:   sh %compare 5 %t.serial %t.kesco || exit 1; \
// RUN:   for mode in auto graph serial; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco || exit 1; done; \
// RUN:   for failing in 0 1 2 10 11 12; do for seed in 0 1 2; do \
// RUN:     VGPU_SEED=$seed %t.serial $failing >%t.expected 2>/dev/null; expected=$?; test $expected -eq 3 || exit 1; \
// RUN:     for mode in lanes auto graph; do \
// RUN:       KESCO_MODE=$mode VGPU_SEED=$seed %t.kesco $failing >%t.actual 2>/dev/null; \
// RUN:       test $? -eq 3 && diff %t.expected %t.actual || { echo "$how $failing $seed $mode"; exit 1; }; \
// RUN:     done; \
// RUN:   done; done; \
// RUN:   VGPU_STATS=%t.json %t.kesco >/dev/null && sed -n 's/.*"ordered_chain": \([0-9]*\),/\1/p' %t.json || exit 1; \
// RUN: done >%t.chains && FileCheck %s --input-file=%t.chains
// CHECK: {{^[89]$}}
// CHECK-NEXT: {{^[89]$}}
// CHECK-NEXT: {{^[0-9]+$}}
// CHECK-NEXT: {{^[89]$}}
// CHECK-NEXT: {{^2[34]$}}

#include <cstdio>
#include <cstdlib>

enum { SIZE = 128, FIELDS = 3, STEPS = 8 };

#ifdef NUMBERS
#define TRY(call, number)                                                                                              \
    do {                                                                                                               \
        if ((call) != cudaSuccess) return number;                                                                      \
    } while (0)
#else
#define TRY(call, number)                                                                                              \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) return error;                                                                        \
    } while (0)
#endif
#ifdef ASKS
#define DONE(number) TRY(cudaGetLastError(), number); TRY(cudaDeviceSynchronize(), number)
#else
#define DONE(number) TRY(cudaDeviceSynchronize(), number)
#endif

#ifdef STEP

__global__ void turn(float *values, long more) { values[threadIdx.x + more] = values[threadIdx.x + more] * 0.75f + threadIdx.x; }

int step(float *const (&fields)[FIELDS], int failing) {
    constexpr long Far = 1L << 38;
    turn<<<1, SIZE>>>(fields[0], failing == 0 ? Far : 0);
    DONE(1001);
    turn<<<1, SIZE>>>(fields[1], failing == 1 ? Far : 0);
    DONE(1002);
    turn<<<1, SIZE>>>(fields[2], failing == 2 ? Far : 0);
#ifdef LAST
    return cudaDeviceSynchronize();
#else
    DONE(1003);
    return cudaSuccess;
#endif
}

#else

int step(float *const (&fields)[FIELDS], int failing);

int main(int count, char **arguments) {
    const int failing = count > 1 ? atoi(arguments[1]) : -1;
    float *fields[FIELDS], values[SIZE], total = 0;
    for (float *&field : fields)
        if (cudaMalloc(&field, SIZE * sizeof *field) != cudaSuccess ||
            cudaMemset(field, 0, SIZE * sizeof *field) != cudaSuccess)
            return 2;
    for (int i = 0; i < STEPS; i++) {
        const int error = step(fields, failing >= 0 && failing / 10 == i ? failing % 10 : -1);
        if (error != cudaSuccess) {
            printf("failed: %d\n", error);
            return 3;
        }
    }
    for (const float *field : fields) {
        if (cudaMemcpy(values, field, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
        for (float value : values)
            total += value;
    }
    printf("%.9g\n", total);
    return 0;
}

#endif
