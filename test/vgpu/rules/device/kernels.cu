/* What image.c has for the virtual GPU, for any device: the same kernels, by the same names. */
#include "test/vgpu/rules/image.h"

#include <cstdio>

__device__ int counter = 7;
__constant__ int constants[4] = {1, 2, 3, 4};

/* Host code appends too, but never while a kernel does. */
__global__ void note(void *memory, int entry) {
    journal *const to = static_cast<journal *>(memory);
    volatile int *const count = &to->count;
    int at = *count, found;
    while (at < JOURNAL_LIMIT) {
        found = atomicCAS_system(&to->count, at, at + 1);
        if (found == at) {
            *static_cast<volatile int *>(&to->entries[at]) = entry;
            __threadfence_system();
            return;
        }
        at = found;
    }
}

__global__ void fill(char *memory, unsigned long size, char value) {
    for (unsigned long i = 0; i < size; i++)
        static_cast<volatile char *>(memory)[i] = value;
}

__global__ void sum(const char *memory, unsigned long size, long *result) {
    long total = 0;
    for (unsigned long i = 0; i < size; i++)
        total += static_cast<const volatile char *>(memory)[i];
    *result = total;
}

__global__ void add(int *memory, int value) {
    atomicAdd(memory, value);
}

__global__ void count(int which) {
    counter += constants[which & 3];
}

__global__ void move(pair what) {
    *(what.to - what.back) = *(what.from - what.back);
}

__global__ void work(const char *memory, unsigned long size, unsigned long amount) {
    volatile unsigned long done = 0;
    unsigned long total = 0;
    for (unsigned long i = 0; i < size; i++)
        total += static_cast<const volatile char *>(memory)[i];
    for (unsigned long i = 0; i < amount / 4; i++)
        done = total + i;
}

__global__ void print() {
    printf("printed\n");
}

__global__ void trap() {
    __trap();
}

__global__ void share() {
    __shared__ volatile char memory[40 << 10];
    memory[threadIdx.x] = 1;
    __trap();
}

/* The rules know host stubs and the variable's shadow by these names. */
#ifndef __CUDA_ARCH__
#define NAME(name, is) asm(".globl " #name "\n.set " #name ", " #is)
NAME(note_stub, _Z19__device_stub__notePvi);
NAME(fill_stub, _Z19__device_stub__fillPcmc);
NAME(sum_stub, _Z18__device_stub__sumPKcmPl);
NAME(add_stub, _Z18__device_stub__addPii);
NAME(count_stub, _Z20__device_stub__counti);
NAME(trap_stub, _Z19__device_stub__trapv);
NAME(share_stub, _Z20__device_stub__sharev);
NAME(move_stub, _Z19__device_stub__move4pair);
NAME(print_stub, _Z20__device_stub__printv);
NAME(work_stub, _Z19__device_stub__workPKcmm);
NAME(counter_shadow, counter);
#endif
