// Device variables that no kernel writes, and whose addresses stay in the code: no pointer of the program leads to them, whatever
// their linkage is, so that kernels that read them beside memory of which nothing is known overlap. What kernels write, or give
// the addresses of away, or the host asks the address of, may be what pointers lead to.
// RUN: %vgpu -O2 %s -DSTEPS -c -o %t.1.serial.o && %vgpu -O2 %s -c -o %t.2.serial.o && %vgpu %t.1.serial.o %t.2.serial.o -o %t.serial
// RUN: for o in 0 2; do %vgpu-kesco -O$o %s -DSTEPS -c -o %t.1.o && %vgpu-kesco -O$o %s -c -o %t.2.o && \
// RUN:   %vgpu %t.1.o %t.2.o -o %t.kesco || exit 1; \
// RUN:   for how in read copied written given asked; do \
// RUN:     for mode in lanes auto graph; do KESCO_MODE=$mode sh %compare 4 %t.serial %t.kesco $how || exit 1; done; \
// RUN:     env VGPU_STATS=%t.json %t.kesco $how >/dev/null || exit 1; \
// RUN:     echo $o $how `sed -n 's/.*"ordered_chain": \([0-9]*\),/\1/p' %t.json`; \
// RUN:   done; \
// RUN: done >%t.chains && FileCheck %s --input-file=%t.chains
// CHECK: 0 read 20
// CHECK-NEXT: 0 copied 60
// CHECK-NEXT: 0 written 61
// CHECK-NEXT: 0 given 62
// CHECK-NEXT: 0 asked 61
// CHECK-NEXT: 2 read 20
// CHECK-NEXT: 2 copied 60
// CHECK-NEXT: 2 written 61
// CHECK-NEXT: 2 given 62
// CHECK-NEXT: 2 asked 61

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { COUNT = 256, PASSES = 20 };

struct Parts {
    int *a, *b, *c;
};

#ifdef STEPS

__device__ int table[4] = {1, 2, 3, 4}, copied_table[4], written_table[4], given_table[4] = {5, 6, 7, 8}, asked_table[4];

template <int *TABLE> __global__ void step(int *values) {
    int value = values[threadIdx.x];
    for (int i = 0; i < 100; i++)
        value = value * 3 + TABLE[i & 3];
    values[threadIdx.x] = value;
}
__global__ void write(int by) { written_table[threadIdx.x] += by; }
__global__ void give(int **address) { *address = given_table; }
__global__ void fill(int *values, int by) { values[threadIdx.x] = by + threadIdx.x; }

template <int *TABLE> static void steps(const Parts &parts, int *through) {
    for (int i = 0; i < PASSES; i++) {
        step<TABLE><<<1, COUNT>>>(parts.a);
        step<TABLE><<<1, COUNT>>>(parts.b);
        if (i == PASSES / 2 && through != nullptr)
            fill<<<1, 4>>>(through, 40); /* into the table */
        step<TABLE><<<1, COUNT>>>(parts.c);
    }
}

void run(const Parts &parts, const char *how) {
    const int values[4] = {9, 8, 7, 6};
    int *address = nullptr, **place;
    if (strcmp(how, "read") == 0)
        return steps<table>(parts, nullptr);
    if (strcmp(how, "copied") == 0) {
        cudaMemcpyToSymbol(copied_table, values, sizeof values);
        steps<copied_table>(parts, nullptr);
        cudaMemcpyToSymbol(copied_table, values + 1, 4);
        return steps<copied_table>({parts.a, parts.b, parts.a}, nullptr);
    }
    if (strcmp(how, "written") == 0) {
        write<<<1, 4>>>(3);
        return steps<written_table>(parts, nullptr);
    }
    if (strcmp(how, "given") == 0) {
        cudaMalloc(&place, sizeof *place);
        give<<<1, 1>>>(place);
        cudaMemcpy(&address, place, sizeof *place, cudaMemcpyDeviceToHost);
        return steps<given_table>(parts, address);
    }
    cudaGetSymbolAddress(reinterpret_cast<void **>(&address), asked_table);
    steps<asked_table>(parts, address);
}

#else

void run(const Parts &parts, const char *how);

int main(int argc, char **argv) {
    Parts parts;
    int host[COUNT];
    for (int **part : {&parts.a, &parts.b, &parts.c}) {
        cudaMalloc(part, sizeof host);
        cudaMemset(*part, 1, sizeof host);
    }
    run(parts, argv[1]);
    for (const int *part : {parts.a, parts.b, parts.c}) {
        cudaMemcpy(host, part, sizeof host, cudaMemcpyDeviceToHost);
        unsigned sum = 0;
        for (int value : host)
            sum = sum * 31 + value;
        printf("%u\n", sum);
    }
    return argc != 2;
}

#endif
