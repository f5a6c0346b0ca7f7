// RUN: %vgpu-clang++ -O0 %s -o %t && %t | FileCheck --strict-whitespace %s
// RUN: %vgpu-clang++ -O2 %s -o %t && %t | FileCheck --strict-whitespace %s
// Device printf: conversions, lengths, widths from arguments, the result, and many arguments.
#include "check.h"

__global__ void print(const char *text) {
    printf("plain\n");
    printf("%d %u %x %c %5d|%-5d|%05d\n", -3, 4u, 0xabc, 'z', 42, 42, 42);
    printf("%ld %lld %llu %zu\n", -5l, -6ll, 7ull, (size_t)8);
    printf("%f %.2f %10.3e %g %f\n", 1.5, 2.25, 12345.678, 0.5f, (float)3);
    printf("%s %s %%\n", "literal", text);
    printf("[%*d] [%.*f]\n", 6, 1, 2, 1.0);
    printf("%d %f %d %f %lld %c\n", 1, 2.0, 3, 4.0, 5ll, '6');
    const int count = printf("%d %d\n", 1, 2);
    printf("count %d\n", count);
    printf("%hhd %hd %p\n", (signed char)-1, (short)-2, (void *)0x10);
}

__global__ void places(void) {
    printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

int main(void) {
    char *text = DEVICE_ZEROS(char, 8);
    CUDA(cudaMemcpy(text, "device", 7, cudaMemcpyHostToDevice));
    print<<<1, 1>>>(text);
    CUDA(cudaDeviceSynchronize());
    places<<<2, 2>>>();
    CUDA(cudaDeviceSynchronize());
    return 0;
}
// CHECK: plain
// CHECK-NEXT: -3 4 abc z    42|42   |00042
// CHECK-NEXT: -5 -6 7 8
// CHECK-NEXT: 1.500000 2.25  1.235e+04 0.5 3.000000
// CHECK-NEXT: literal device %
// CHECK-NEXT: [     1] [1.00]
// CHECK-NEXT: 1 2.000000 3 4.000000 5 6
// CHECK-NEXT: 1 2
// CHECK-NEXT: count 2
// CHECK-NEXT: -1 -2 0x10
// CHECK-DAG: block 0 thread 0
// CHECK-DAG: block 0 thread 1
// CHECK-DAG: block 1 thread 0
// CHECK-DAG: block 1 thread 1
