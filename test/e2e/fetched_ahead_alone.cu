// Large managed memory that a late op uses comes over beside the one lane of the plan, while the ops before it run; not
// behind what others have given the stream, which may yet touch it.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for way in "" callback; do sh %compare 4 %t/serial %t/kesco $way || exit 1; done
// RUN: env VGPU_CONCURRENT_MANAGED=0 sh %compare 3 %t/serial %t/kesco
// RUN: for mode in turns graph; do env KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco || exit 1; done
// RUN: for way in "" callback; do \
// RUN:   env KESCO_MODE=lanes VGPU_TIME=1 VGPU_TRACE=%t/trace$way %t/kesco $way || exit 1; \
// RUN: done
// RUN: /usr/bin/python3 %S/Inputs/beside.py %t/trace cudaMemPrefetchAsync steps
// RUN: not /usr/bin/python3 %S/Inputs/beside.py %t/tracecallback cudaMemPrefetchAsync steps

#include <cstdio>

enum { N = 1 << 19, BLOCK = 256, PASSES = 12 };

__global__ void steps(float *values, int count) {
    float value = values[threadIdx.x];
    for (int k = 0; k < count; k++)
        value = value * 0.5f + 1;
    values[threadIdx.x] = value;
}

__global__ void add(float *to, const float *a, const float *late) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = a[threadIdx.x] + late[i];
}

static void nothing(void *) {
}

int main(int argc, char **) {
    float *a, *late, *to;
    double sum = 0;
    if (cudaMallocManaged(&a, BLOCK * sizeof *a) || cudaMallocManaged(&late, N * sizeof *late) ||
        cudaMallocManaged(&to, N * sizeof *to))
        return 1;
    for (int pass = 0; pass < PASSES + argc / 9; pass++) {
        for (int i = 0; i < BLOCK; i++)
            a[i] = i + pass;
        for (int i = 0; i < N; i++)
            late[i] = i % 5 + pass;
        if (argc > 1)
            cudaLaunchHostFunc(0, nothing, NULL);
        steps<<<1, BLOCK>>>(a, 2000);
        steps<<<1, BLOCK>>>(a, 2000);
        steps<<<1, BLOCK>>>(a, 2000);
        add<<<N / BLOCK, BLOCK>>>(to, a, late);
        cudaDeviceSynchronize();
        sum += to[7] + to[N - 1];
    }
    printf("%g\n", sum);
}
