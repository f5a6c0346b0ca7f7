// Summaries can be taken out of what is built, and have served by then.
// RUN: rm -rf %t && mkdir %t
// RUN: for option in "" -fgpu-rdc "-fgpu-rdc --no-offload-new-driver" --cuda-include-ptx=all; do \
// RUN:   %kesco -O2 $option -c %s -o %t/kept.o && grep -q KESCO-SUMMARY %t/kept.o && \
// RUN:   %kesco -O2 $option -c %s -o %t/stripped.o -fplugin-arg-kesco-strip-summaries -fplugin-arg-kesco-report=%t/plan.json \
// RUN:     -Werror && not grep -q KESCO-SUMMARY %t/stripped.o && not grep -q 'K _Z3setPi' %t/stripped.o && \
// RUN:   FileCheck %s --input-file=%t/plan.json || exit 1; \
// RUN: done
// CHECK: "lanes": 2,

// Where they cannot, a warning says so.
// RUN: %kesco -O2 -Xcuda-fatbinary --compress-all -c %s -o %t/compressed.o -fplugin-arg-kesco-strip-summaries 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAYS
// STAYS: warning: kesco: 'strip-summaries' cannot take the access summaries out of device code that is compressed or bitcode; compile without '-Xcuda-fatbinary --compress-all' and '-foffload-lto'

// The device code still runs.
// RUN: %vgpu-kesco -O2 %s -o %t/run -fplugin-arg-kesco-strip-summaries && VGPU_CHECK=races VGPU_STATS=%t/stats %t/run \
// RUN:   && FileCheck %s --check-prefix=STRIPPED --input-file=%t/stats
// STRIPPED: "launches": 2,
// STRIPPED: "summaries_checked": 0,
__global__ void set(int *a) { a[threadIdx.x] = 1; }

int main() {
    int *a, *b;
    if (cudaMalloc(&a, 128) || cudaMalloc(&b, 128))
        return 1;
    set<<<1, 32>>>(a);
    set<<<1, 32>>>(b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
