// Small managed memory comes over in less time than the host takes to ask for it. Whether a fetch of it moved anything shows in
// how long the call takes. What the host fills anew goes on to be fetched, which takes less time than its
// faults; what nobody but the device touches is fetched ever less often.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: %vgpu-kesco -O2 -fplugin-arg-kesco-prefetch=off %s -o %t.off
// RUN: sh %compare 5 %t.serial %t.kesco 20 1
// RUN: sh %compare 5 %t.serial %t.kesco 20 0
// RUN: for filled in 1 0; do for name in off kesco; do \
// RUN:   env VGPU_STATS=%t.json %t.$name 300 $filled >%t.out && \
// RUN:   sed -n 's/.*"\(cudaMemPrefetchAsync\|virtual_time_us\)": \([0-9]*\).*/\1=\2/p' %t.json | sort || exit 1; \
// RUN: done; done | tr '\n' ' ' | tee %t.all | \
// RUN:   awk '{ for (i = 1; i <= NF; i++) { split($i, a, "="); if (a[1] ~ /Prefetch/) { fetches[++m] = a[2] } else time[++n] = a[2] } \
// RUN:     print; exit !(n == 4 && m == 2 && fetches[1] >= 550 && time[2] < 0.85 * time[1] && \
// RUN:                   fetches[2] < 40 && time[4] < 1.05 * time[3]) }'

// The governor leaves these launches on the default stream, where the same is found out.
// RUN: for name in serial kesco; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 sh %S/Inputs/virtual_time.sh %t.$name 3000 0 || exit 1; \
// RUN: done | tr '\n' ' ' | awk '{ print; exit !(NF == 2 && $2 < 1.02 * $1) }'

#include <cstdio>
#include <cstdlib>

enum { N = 256 };

__global__ void scale(float *out, const float *in, float by) {
    out[threadIdx.x] = by * in[threadIdx.x];
}

int main(int, char **argv) {
    const int passes = atoi(argv[1]), is_filled = atoi(argv[2]);
    float *a, *b, *out_a, *out_b;
    cudaMallocManaged(&a, N * sizeof(float));
    cudaMallocManaged(&b, N * sizeof(float));
    cudaMallocManaged(&out_a, N * sizeof(float));
    cudaMallocManaged(&out_b, N * sizeof(float));
    for (int pass = 0; pass < passes; pass++) {
        for (int i = 0; i < N && (is_filled || pass == 0); i++) {
            a[i] = i + pass;
            b[i] = i - pass;
        }
        scale<<<1, N>>>(out_a, a, 2);
        scale<<<1, N>>>(out_b, b, 3);
        cudaDeviceSynchronize();
    }
    printf("%g %g\n", out_a[N - 1], out_b[N - 1]);
    return 0;
}
