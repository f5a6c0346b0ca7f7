// Managed memory of which there is more than the device has: what does not fit is not fetched, because what is there would have
// to leave. Where all fits, all is fetched in each pass. No time is lost to the program without fetches.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: %vgpu-kesco -O2 -fplugin-arg-kesco-prefetch=off %s -o %t/off
// RUN: env VGPU_MEMORY=8 sh %compare 5 %t/serial %t/kesco
// RUN: for memory in 8 16; do for name in off kesco; do \
// RUN:   env VGPU_MEMORY=$memory VGPU_STATS=%t/$memory.$name %t/$name >%t/out || exit 1; \
// RUN:   for key in cudaMemPrefetchAsync evicted_bytes virtual_time_us; do \
// RUN:     sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" %t/$memory.$name | grep . || echo 0; \
// RUN:   done; \
// RUN: done; done | tr '\n' ' ' | tee %t/all | awk '{ print; exit !(NF == 12 && $1 == 0 && $2 > 0 && \
// RUN:   $4 >= 40 && $4 < 50 && $5 <= $2 && $6 < $3 && $8 == 0 && $10 >= 60 && $11 == 0 && $12 < $9) }'
// RUN: not env VGPU_MEMORY=0 %t/serial 2>&1 | grep 'VGPU_MEMORY=0: must be a whole number of MiB from 1 to 1048576'
// RUN: not env VGPU_MEMORY=2 %t/serial device

#include <cstdio>

enum { BUFFERS = 3, N = 3 << 18, PASSES = 20 };

__global__ void twice(float *values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] *= 2;
}

int main(int count, char **) {
    float *buffers[BUFFERS], *own;
    double sum = 0;
    if (count > 1) return cudaMalloc(&own, N * sizeof *own) != cudaSuccess;
    for (float *&buffer : buffers)
        if (cudaMallocManaged(&buffer, N * sizeof *buffer) != cudaSuccess) return 1;
    for (int pass = 0; pass < PASSES; pass++) {
        for (float *buffer : buffers)
            for (int i = 0; i < N; i++)
                buffer[i] = i % 7 + pass;
        twice<<<N / 256, 256>>>(buffers[0]);
        twice<<<N / 256, 256>>>(buffers[1]);
        twice<<<N / 256, 256>>>(buffers[2]);
        cudaDeviceSynchronize();
        for (float *buffer : buffers)
            sum += buffer[17 * pass];
    }
    printf("%g\n", sum);
    return cudaDeviceSynchronize() != cudaSuccess;
}
