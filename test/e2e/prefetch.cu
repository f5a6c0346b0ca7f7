// prefetch=on: managed memory is there when kernels and the host come to use it, so there are fewer page faults and the
// program takes less time; what it computes is the same. Devices without concurrent managed access get nothing.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial
// RUN: %vgpu-kesco -O2 -fplugin-arg-kesco-prefetch=off %s -o %t/kesco
// RUN: %vgpu-kesco -O2 -fplugin-arg-kesco-prefetch=on %s -o %t/fetching
// RUN: sh %compare 5 %t/serial %t/kesco 1000000
// RUN: sh %compare 5 %t/serial %t/fetching 1000000
// RUN: sh %compare 5 %t/serial %t/fetching 10
// RUN: for name in kesco fetching; do \
// RUN:   VGPU_STATS=%t/$name.json %t/$name 1000000 || exit 1; \
// RUN:   sed -n 's/.*"\(page_faults\|virtual_time_us\)": \(.*\),/\2/p' %t/$name.json || exit 1; \
// RUN: done | grep -v sum | tr '\n' ' ' | awk '{ print; exit !($1 > 1.2 * $3 && $2 > $4) }'
// RUN: FileCheck --check-prefix=CALLS --input-file=%t/fetching.json %s
// CALLS: "cudaMemPrefetchAsync": 3

// With lanes or without.
// RUN: env KESCO_MODE=auto VGPU_STATS=%t/auto.json %t/fetching 1000000
// RUN: FileCheck --check-prefix=CALLS --input-file=%t/auto.json %s

// Small memory, and devices that cannot.
// RUN: VGPU_STATS=%t/small.json %t/fetching 10
// RUN: env VGPU_CONCURRENT_MANAGED=0 VGPU_STATS=%t/exclusive.json %t/fetching 1000000
// RUN: FileCheck --check-prefix=NONE --input-file=%t/small.json %s
// RUN: FileCheck --check-prefix=NONE --input-file=%t/exclusive.json %s
// NONE: "virtual_time_us"
// NONE-NOT: cudaMemPrefetchAsync

// By default, where lanes are: as long as the host touches memory in between, it is fetched before each pass, but for one
// that shows what its op takes without.
// RUN: %vgpu-kesco -O2 -DPASSES=30 %s -o %t/auto
// RUN: %vgpu -O2 -DPASSES=30 %s -o %t/serial
// RUN: sh %compare 5 %t/serial %t/auto 100000
// RUN: env VGPU_STATS=%t/auto.json %t/auto 100000
// RUN: env VGPU_STATS=%t/serial.json %t/serial 100000
// RUN: FileCheck --check-prefix=EACH --input-file=%t/auto.json %s
// EACH: "cudaMemPrefetchAsync": {{29|3[0-9]|4[0-9]}}
// RUN: for name in serial auto; do sed -n 's/.*"virtual_time_us": \(.*\),/\1/p' %t/$name.json; done | tr '\n' ' ' | \
// RUN:   awk '{ print; exit !($1 > 1.5 * $2) }'

#include <cstdio>
#include <cstdlib>

#ifndef PASSES
#define PASSES 1
#endif

__global__ void twice(float *out, const float *in, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 2 * in[i];
}

int main(int, char **argv) {
    size_t count = strtoul(argv[1], nullptr, 10), bytes = count * sizeof(float);
    float *a, *b, *c;
    double sum = 0;
    cudaMallocManaged(&a, bytes);
    cudaMallocManaged(&b, bytes);
    cudaMalloc(&c, bytes);
    for (size_t i = 0; i < count; i++)
        a[i] = (float)i;
    unsigned blocks = (unsigned)((count + 255) / 256);
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < count && PASSES > 1; i++)
            a[i] = (float)(i + pass);
        twice<<<blocks, 256>>>(b, a, count);
        twice<<<blocks, 256>>>(c, a, count);
        cudaDeviceSynchronize();
    }
    for (size_t i = 0; i < count; i++)
        sum += b[i];
    printf("sum %f\n", sum);
    return 0;
}
