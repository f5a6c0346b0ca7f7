// RUN: %vgpu-clang++ -g -O0 %s %S/Inputs/host_toucher.cpp -o %t.0
// RUN: %vgpu-clang++ -g -O2 %s %S/Inputs/host_toucher.cpp -o %t.2
// RUN: env VGPU_CHECK=races sh -c 'for p in %t.0 %t.2; do for k in store load loop copy structure unit; do $p $k 2>%t.err; test $? = 66 && FileCheck --check-prefix=$k %s <%t.err || { echo $p $k; exit 1; }; done; done'
// RUN: env VGPU_CHECK=races sh -c 'for p in %t.0 %t.2; do for k in waited flag readers; do $p $k || { echo $p $k; exit 1; }; done; done'
// RUN: sh -c 'env VGPU_CHECK=races %t.2 device 2>%t.err; test $? -gt 128' && FileCheck --check-prefix=device %s <%t.err
// RUN: sh -c 'for k in store device; do %t.2 $k || exit 1; done'
// What the race check sees of host code: every access of a translation unit that vgpu-clang++ compiled, by
// whatever instruction, but for volatile and atomic ones.
#include "check.h"

#include <cstring>

enum { N = 16 };

struct block {
    int values[N];
};

__global__ void fill(int *values) {
    for (int i = 0; i < N; i++)
        values[i] = i;
}

__global__ void sum(const int *values, int *total) {
    for (int i = 0; i < N; i++)
        *total += values[i];
}

void touch(int *values);

static int *values, *total;

__attribute__((noinline)) static bool is(const char *text, const char *kind) {
    return strcmp(text, kind) == 0;
}

static void write_and_touch(const char *kind) {
    static int copy[N];
    static volatile int kept;
    fill<<<1, 1>>>(values);
    if (is(kind, "store"))
        values[3] = 1; // store: the host, at {{.*}}host_accesses.cu:[[#@LINE]], writes it
    if (is(kind, "load"))
        kept = values[2]; // load: the host, at {{.*}}host_accesses.cu:[[#@LINE]], reads it
    if (is(kind, "loop")) {
        for (int i = 0; i < N; i++)
            kept = kept + values[i]; // loop: the host, at {{.*}}host_accesses.cu:[[#@LINE]], reads it
    }
    if (is(kind, "copy"))
        memcpy(copy, values, sizeof(copy)); // copy: race on bytes 0 to 63
    if (is(kind, "structure"))
        *(struct block *)copy = *(struct block *)values; // structure: race on bytes 0 to 63
    if (is(kind, "unit"))
        touch(values); // unit: the host, at {{.*}}host_toucher.cpp:3, writes it
    if (is(kind, "flag"))
        kept = *(volatile int *)values + __atomic_load_n(values, __ATOMIC_ACQUIRE);
    CUDA(cudaDeviceSynchronize());
    if (is(kind, "waited"))
        CHECK_EQUAL(values[3], 3);
    kept = copy[0];
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    CUDA(cudaMallocManaged(&values, sizeof(struct block)));
    CUDA(cudaMallocManaged(&total, sizeof(*total)));
    *total = 0;
    memset(values, 0, sizeof(struct block));
    if (is(kind, "readers")) {
        sum<<<1, 1>>>(values, total);
        CHECK_EQUAL(values[0], 0);
        CUDA(cudaDeviceSynchronize());
    } else if (is(kind, "device")) {
        int *memory = DEVICE_ZEROS(int, N);
        memory[1] = 1; // device: vgpu: the host, at {{.*}}host_accesses.cu:[[#@LINE]], writes device memory
    } else {
        write_and_touch(kind);
    }
    return 0;
}
