// Kernels that wait for their own blocks never run beside each other, though their memory is different: half of each on
// the device, neither would ever end. Other work runs beside them.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

#define BLOCKS 1 // more than that, no block of the virtual GPU would wait for

__device__ static void meet(int *arrived) {
    int all = gridDim.x * blockDim.x;
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < all)
        ;
    __threadfence();
    __syncthreads();
}

// Each thread sums what all threads have written.
KESCO_OUTPUTS(2) __global__ void sum_over_grid(int *arrived, int *values, int start) {
    int own = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, sum = 0;
    values[own] = start + own;
    meet(arrived);
    for (int i = 0; i < all; i++)
        sum += ((volatile int *)values)[i] * (i + own);
    meet(arrived + 1);
    values[own] = sum;
}

static int *allocate_counts(void) {
    int *counts;
    CHECK(cudaMalloc(&counts, 2 * sizeof *counts));
    CHECK(cudaMemset(counts, 0, 2 * sizeof *counts));
    return counts;
}

// CHECK-LABEL: "name": "spinning()", "lanes": 5,
// CHECK: {"id": 3, {{.*}}"name": "sum_over_grid",
// CHECK: {"id": 4, {{.*}}"name": "fill",
// CHECK: {"id": 5, {{.*}}"name": "sum_over_grid",
// CHECK: {"id": 7, {{.*}}"name": "sum_over_grid",
// CHECK: "edges": [
// CHECK-DAG: {"from": 3, "to": 5, "kind": "WAW", "object": "spin loop"}
// CHECK-DAG: {"from": 5, "to": 7, "kind": "WAW", "object": "spin loop"}
// CHECK: "waits": [
// CHECK-DAG: {"op": 5, "on": 3}
// CHECK-DAG: {"op": 7, "on": 5}
void spinning(void) {
    int *first = allocate(), *second = allocate(), *third = allocate(), *a = allocate(), *b = allocate();
    int *counts1 = allocate_counts(), *counts2 = allocate_counts(), *counts3 = allocate_counts();
    sum_over_grid<<<BLOCKS, N / BLOCKS>>>(counts1, first, 1);
    fill<<<1, N>>>(a, 1);
    sum_over_grid<<<BLOCKS, N / BLOCKS>>>(counts2, second, 2);
    fill<<<1, N>>>(b, 2);
    sum_over_grid<<<BLOCKS, N / BLOCKS>>>(counts3, third, 3);
    show("first", first);
    show("second", second);
    show("third", third);
    show("a", a);
    show("b", b);
}

// In a loop, the kernel is kept apart from itself.
// CHECK-LABEL: "name": "spinning_in_a_loop(int)", "lanes": 3,
// CHECK: {"id": 1, {{.*}}"name": "sum_over_grid", {{.*}}"lane": [[SAME:[0-9]]],
// CHECK: {"id": 2, {{.*}}"name": "sum_over_grid", {{.*}}"lane": [[SAME]],
void spinning_in_a_loop(int count) {
    int *first = allocate(), *second = allocate(), *a = allocate(), *counts;
    CHECK(cudaMalloc(&counts, 4 * count * sizeof *counts));
    CHECK(cudaMemset(counts, 0, 4 * count * sizeof *counts));
    for (int i = 0; i < count; i++) {
        sum_over_grid<<<BLOCKS, N / BLOCKS>>>(counts + 4 * i, first, i);
        sum_over_grid<<<BLOCKS, N / BLOCKS>>>(counts + 4 * i + 2, second, 2 * i);
        fill<<<1, N>>>(a, i);
    }
    show("first in a loop", first);
    show("second in a loop", second);
    show("a in a loop", a);
}

int main(void) {
    APART(spinning);
    APART(spinning_in_a_loop, 4);
    return 0;
}
