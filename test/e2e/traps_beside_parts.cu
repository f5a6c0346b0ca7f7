// A kernel that may trap, and one behind it that works on other bytes of the same memory, of which nothing is known: where the host
// can see it when the device is dead, what the second one writes is there, or is not, as in the serial program.
// RUN: %vgpu -O2 %s -DSTEPS -c -o %t.1.serial.o && %vgpu -O2 %s -c -o %t.2.serial.o && %vgpu %t.1.serial.o %t.2.serial.o -o %t.serial
// RUN: for o in 0 2; do %vgpu-kesco -O$o %s -DSTEPS -c -o %t.1.o && %vgpu-kesco -O$o %s -c -o %t.2.o && \
// RUN:   %vgpu %t.1.o %t.2.o -o %t.kesco || exit 1; \
// RUN:   for how in host device; do for mode in lanes auto turns; do \
// RUN:     KESCO_MODE=$mode STATUS=3 sh %compare 6 %t.serial %t.kesco $how || exit 1; done; done; \
// RUN: done

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 32 };

#ifdef STEPS
__global__ void trap(int *values, bool now) {
    for (int i = 0; i < 8; i++) {
        values[i] = values[i] * 3 + i;
        assert(i != 5 || !now);
    }
}
__global__ void fill(int *values) {
    for (int i = 0; i < 8; i++)
        values[i] = 7;
}

void run(int *values, bool now) {
    trap<<<1, 1>>>(values + 10, now);
    fill<<<1, 1>>>(values);
}
#else
void run(int *values, bool now);

int main(int argc, char **argv) {
    int *values, sum = 0;
    if (argc > 1 && strcmp(argv[1], "host") == 0) {
        cudaMallocHost(&values, COUNT * sizeof *values);
        memset(values, 1, COUNT * sizeof *values);
    } else {
        cudaMalloc(&values, COUNT * sizeof *values);
        cudaMemset(values, 1, COUNT * sizeof *values);
    }
    cudaDeviceSynchronize();
    run(values, true);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < COUNT && strcmp(argv[1], "host") == 0; i++)
        sum = sum * 31 + values[i];
    printf("%d\n", sum);
    return 3;
}
#endif
