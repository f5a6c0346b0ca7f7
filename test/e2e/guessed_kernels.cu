// Kernels whose work only their data know, in a loop that nothing interrupts: the device is asked how long they take before
// they get lanes, which cost more than they save where that is little.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for repeats in 1 1000; do %t/serial $repeats >%t/$repeats.out || exit 1; \
// RUN:   for seed in 0 1 2 3; do for time in 0 1; do \
// RUN:     KESCO_MODE=auto VGPU_TIME=$time VGPU_SEED=$seed VGPU_CHECK=races %t/kesco $repeats | cmp - %t/$repeats.out || exit 1; \
// RUN:   done; done; \
// RUN: done
// RUN: for repeats in 1 30 1000; do for run in serial kesco; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$run $repeats || exit 1; \
// RUN: done; done | tr '\n' ' ' | awk '{ print; exit !(NF == 6 && $2 < 1.02 * $1 && $4 < 1.02 * $3 && $6 < 0.98 * $5) }'

// Where CUDA does not let the device be asked.
// RUN: for call in cudaEventCreate:1 cudaEventCreate:2 cudaEventRecord:1 cudaEventRecord:2 cudaEventElapsedTime:1; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_FAIL=$call %t/kesco 1000 | cmp - %t/1000.out || { echo $call; exit 1; }; \
// RUN: done

#include <cstdio>
#include <cstdlib>

enum { N = 128, PASSES = 300 };

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        exit(3);
}

__global__ void relax(float *values, const int *repeats) {
    float value = values[threadIdx.x];
    for (int i = 0; i < repeats[threadIdx.x & 3]; i++)
        value = value * 0.5f + 0.25f;
    values[threadIdx.x] = value;
}

__global__ void add(float *values, const float *others) { values[threadIdx.x] += others[threadIdx.x]; }

static float *allocate() {
    float *values;
    check(cudaMalloc(&values, N * sizeof *values));
    check(cudaMemset(values, 0, N * sizeof *values));
    return values;
}

static void print_first(const float *values) {
    float first;
    check(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
    printf("%g\n", first);
}

int main(int, char **argv) {
    const int told = atoi(argv[1]), numbers[4] = {told, told, told, told};
    float *a = allocate(), *b = allocate(), *c = allocate();
    int *repeats;
    check(cudaMalloc(&repeats, sizeof numbers));
    check(cudaMemcpy(repeats, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    for (int i = 0; i < PASSES; i++) {
        relax<<<1, N>>>(a, repeats);
        if (i % 3 == 0)
            relax<<<1, N>>>(b, repeats);
        if (i % 5 < 2)
            add<<<1, N>>>(c, a);
    }
    print_first(a);
    print_first(b);
    print_first(c);
    return 0;
}
