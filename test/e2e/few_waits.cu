// Programs that end soon: loops of a few passes, with a wait behind each kernel. Waits are put off before the region has lanes,
// which costs nothing, so that nothing is lost where streams never come to be worth their price; and where a buffer is one that
// the host touches between the waits, what it sees there is what the serial program would show.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for how in "12 10 10" "12 10 1500" "16 10 1500" "40 10 1500" "12 3000 10"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $5 > 0.8 * $4 } END { exit bad > 0 || NR < 5 }'
// RUN: for shared in "" shared; do \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco 12 10 1500 $shared || exit 1; done; done

#include <cstdio>
#include <cstdlib>

enum { LENGTH = 256 };

__global__ void busy(float *values, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
    for (int step = 0; step < steps; step++)
        value = value * 1.0001f + 0.5f;
    values[i] = value;
}

static float *make() {
    float *device;
    if (cudaMalloc(&device, LENGTH * sizeof *device) != cudaSuccess) exit(1);
    cudaMemset(device, 0, LENGTH * sizeof *device);
    return device;
}

static void check(cudaError_t error) {
    if (error != cudaSuccess) exit(3);
}

template<bool IS_SHARED> static void run(int passes, int first, int second) {
    float *a = make(), *b = make(), *c = make(), last[3], sum = 0;
    if (IS_SHARED) check(cudaMallocManaged(&c, LENGTH * sizeof *c));
    for (int pass = 0; pass < passes; pass++) {
        const int steps = pass < passes / 2 ? first : second;
        busy<<<4, 64>>>(a, steps);
        check(cudaDeviceSynchronize());
        busy<<<4, 64>>>(b, steps);
        check(cudaDeviceSynchronize());
        busy<<<4, 64>>>(c, first);
        check(cudaDeviceSynchronize());
        if (IS_SHARED) sum += c[pass % LENGTH];
    }
    check(cudaMemcpy(&last[0], a, sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&last[1], b, sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&last[2], c, sizeof(float), cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", last[0], last[1], last[2], sum);
}

int main(int count, char **arguments) {
    if (count < 4) return 2;
    (count > 4 ? run<true> : run<false>)(atoi(arguments[1]), atoi(arguments[2]), atoi(arguments[3]));
}
