// Programs of short passes, behind each of which the host waits, by a copy or otherwise, so that only a part of a pass can be
// saved; or of loops without waits that end soon. Neither graphs nor streams are made while they would be more than a fiftieth of
// the time so far, so that nothing is lost wherever the program ends; if it goes on for long, they come and pay.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for how in "chain 20 4 1" "chain 50 2 1" "chain 100 2 1" "chain 150 2 1" "waits 20 4 100" "waits 20 6 100" "apart 90 3 500" \
// RUN:     "apart 100 4 500" "loop 50 6 1" "loop 60 6 1" "loop 100 6 1" "loop 1000 6 1" "chain 1500 4 1" "apart 200 3 1500"; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $how >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $how | diff %t/expected - || exit 1; \
// RUN:   echo $how `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ most = $2 < 200 ? 1.021 : 0.92; bad += $6 > most * $5 } END { exit bad > 0 || NR < 14 }'
// RUN: for how in "chain 20 4 1" "waits 20 4 100" "apart 20 3 500"; do for mode in auto turns graph; do \
// RUN:   KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco $how || exit 1; done; done

// Passes that are replayed do not ask for the device each.
// RUN: env KESCO_MODE=graph VGPU_STATS=%t/calls.json %t/kesco chain 1000 4 1
// RUN: FileCheck %s --input-file=%t/calls.json --check-prefix=CALLS
// CALLS: "graph_launches": {{9[0-9][0-9]}},
// CALLS: "cudaGetDevice": {{[0-9],}}

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { LENGTH = 256, BUFFERS = 6 };

__global__ void step(float *to, const float *from, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = from[i];
    for (int s = 0; s < steps; s++)
        value = value * 1.0001f + 0.5f;
    to[i] = value;
}

static float *make() {
    float *device;
    if (cudaMalloc(&device, LENGTH * sizeof *device) != cudaSuccess) exit(1);
    cudaMemset(device, 0, LENGTH * sizeof *device);
    return device;
}

static float look(const float *device) {
    float value;
    if (cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess) exit(3);
    return value;
}

// Ops that could run beside each other, and the host looks at what the last one gives.
template<int OPS> static float pass(float **buffers, int steps) {
    step<<<4, 64>>>(buffers[0], buffers[0], steps);
    step<<<4, 64>>>(buffers[1], buffers[0], steps);
    if (OPS > 2) step<<<4, 64>>>(buffers[2], buffers[2], steps);
    if (OPS > 3) step<<<4, 64>>>(buffers[3], buffers[2], steps);
    if (OPS > 4) step<<<4, 64>>>(buffers[4], buffers[4], steps);
    if (OPS > 5) step<<<4, 64>>>(buffers[5], buffers[4], steps);
    return look(buffers[OPS - 1]);
}

template<int OPS> static void apart(int passes, int steps, bool) {
    float *buffers[BUFFERS], sum = 0;
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = make();
    for (int p = 0; p < passes; p++)
        sum += pass<OPS>(buffers, steps);
    for (int i = 0; i < BUFFERS; i++)
        sum += look(buffers[i]);
    printf("%g\n", sum);
}

// Each op follows the one before.
template<int OPS> static void chain(int passes, int steps, bool waits) {
    float *a = make(), *b = make(), sum = 0;
    for (int p = 0; p < passes; p++) {
        for (int op = 0; op < OPS; op += 2) {
            step<<<4, 64>>>(b, a, steps);
            step<<<4, 64>>>(a, b, steps);
        }
        if (waits) cudaDeviceSynchronize();
        const float value = look(a);
        if (value < 0) break;
        sum += value;
    }
    printf("%g\n", sum);
}

// The same, and nobody waits before the end.
template<int OPS> static void loop(int passes, int steps, bool) {
    float *a = make(), *b = make();
    for (int p = 0; p < passes; p++)
        for (int op = 0; op < OPS; op += 2) {
            step<<<4, 64>>>(b, a, steps);
            step<<<4, 64>>>(a, b, steps);
        }
    printf("%g\n", look(a));
}

#define EACH(F) \
    switch (ops) { \
    case 2: F<2>(passes, steps, waits); break; \
    case 3: F<3>(passes, steps, waits); break; \
    case 4: F<4>(passes, steps, waits); break; \
    case 5: F<5>(passes, steps, waits); break; \
    default: F<6>(passes, steps, waits); \
    }

int main(int count, char **arguments) {
    if (count < 5) return 2;
    const char *what = arguments[1];
    const int passes = atoi(arguments[2]), ops = atoi(arguments[3]), steps = atoi(arguments[4]);
    const bool waits = !strcmp(what, "waits");
    if (!strcmp(what, "apart"))
        EACH(apart)
    else if (!strcmp(what, "loop"))
        EACH(loop)
    else
        EACH(chain)
}
