// A chain of kernels whose work only their data know, taken for longer than they are: the device is asked whether it has work
// left, and where it has not, they are replayed. Where they do take long, they are left as they are.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for seed in 0 1 2 3; do KESCO_MODE=auto VGPU_SEED=$seed VGPU_CHECK=races %t/kesco 500 1 >%t/out || exit 1; done
// RUN: for how in "2000 1" "200 3000"; do for run in serial kesco; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t/$run $how || exit 1; \
// RUN: done; done | tr '\n' ' ' | awk '{ print; exit !(NF == 4 && $2 < 0.6 * $1 && $4 < 1.01 * $3) }'

// Where CUDA does not let it be asked, or refuses the question.
// RUN: for call in cudaEventCreate:1 cudaEventCreate:2 cudaEventRecord:1 cudaEventQuery:1; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_FAIL=$call %t/kesco 500 1 || { echo $call; exit 1; }; \
// RUN: done

#include <cstdio>
#include <cstdlib>

enum { N = 128 };

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        exit(3);
}

__global__ void relax(float *values, const int *repeats) {
    float value = values[threadIdx.x];
    for (int i = 0; i < repeats[threadIdx.x & 3]; i++)
        value = value * 0.5f + 0.25f;
    values[threadIdx.x] = value + 1;
}

// Each pass adds at least 1 to what half of it is left of, which comes to 2 and a half where there is one repeat.
int main(int, char **argv) {
    const int passes = atoi(argv[1]), repeats[] = {atoi(argv[2]), atoi(argv[2]), atoi(argv[2]), atoi(argv[2])};
    float *values, result[N];
    int *turns;
    check(cudaMalloc(&values, sizeof result));
    check(cudaMalloc(&turns, sizeof repeats));
    check(cudaMemset(values, 0, sizeof result));
    check(cudaMemcpy(turns, repeats, sizeof repeats, cudaMemcpyHostToDevice));
    for (int pass = 0; pass < passes; pass++)
        relax<<<1, N>>>(values, turns);
    check(cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost));
    for (float value : result)
        if (value < 1.4f || value > 2.6f)
            return printf("%g\n", value);
    return cudaGetLastError() != cudaSuccess;
}
