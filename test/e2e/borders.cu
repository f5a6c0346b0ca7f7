// Solvers that set the first and the last row and column beside what they compute within: which bytes kernels go to is known
// in parts, as the run has them, and what is beside each other overlaps. Where it is not beside after all, as parts that the
// program gives meet, or both matrices are one, the run sees that, and results stay.
// RUN: for how in 1 2 3; do for memory in cudaMalloc cudaMallocManaged; do \
// RUN:   %vgpu -O2 %s -DHOW=$how -DALLOCATE=$memory -o %t.serial && %vgpu-kesco -O2 %s -DHOW=$how -DALLOCATE=$memory -o %t.kesco || exit 1; \
// RUN:   for size in "66 60" "3 1" "1 1" "2 2" "66 3"; do \
// RUN:     for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $size 6 0 || exit 1; done; done; \
// RUN:   sh %compare 3 %t.serial %t.kesco 66 60 6 1 || exit 1; \
// RUN:   KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco 66 60 50 0 >/dev/null && echo "$how $memory" `cat %t.json` || exit 1; \
// RUN:   [ $memory != cudaMalloc ] && continue; \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial 66 60 200 0 >%t.out && KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco 66 60 200 0 | diff %t.out - || exit 1; \
// RUN:   echo `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json` | awk '{ exit $2 > 0.6 * $1 }' || exit 1; \
// RUN: done; done >%t.all && FileCheck %s --input-file=%t.all
// Of four kernels a step, three come after each other. Members that the host reads between launches may be in managed memory.
// CHECK-COUNT-5: "ordered_chain": 15{{[0-2]}},
// CHECK: 3 cudaMallocManaged

// RUN: %vgpu -O2 %s -DHOW=4 -DALLOCATE=cudaMalloc -o %t.serial && %vgpu-kesco -O2 %s -DHOW=4 -DALLOCATE=cudaMalloc -o %t.kesco
// RUN: for parts in "20 20" "20 30" "20 10" "20 19"; do \
// RUN:   for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco $parts 6 0 || exit 1; done; \
// RUN:   KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco $parts 50 0 >/dev/null && echo "$parts" `cat %t.json` || exit 1; \
// RUN: done >%t.all && FileCheck %s --check-prefix=PARTS --input-file=%t.all
// PARTS: 20 20 {{.*}}"ordered_chain": 10{{[0-2]}},
// PARTS: 20 30 {{.*}}"ordered_chain": 10{{[0-2]}},
// PARTS: 20 10 {{.*}}"ordered_chain": 1{{[45]}}[[#]],
// PARTS: 20 19 {{.*}}"ordered_chain": 1{{[45]}}[[#]],

// A step of such a solver in another source file: ops are placed, or replayed, as the run finds.
// RUN: %vgpu -O2 %s -DHOW=5 -DALLOCATE=cudaMalloc -c -o %t.m0.o && %vgpu -O2 %s -DHOW=5 -Dis_step -c -o %t.s0.o && %vgpu %t.m0.o %t.s0.o -o %t.serial
// RUN: %vgpu-kesco -O2 %s -DHOW=5 -DALLOCATE=cudaMalloc -c -o %t.m1.o && %vgpu-kesco -O2 %s -DHOW=5 -Dis_step -c -o %t.s1.o && %vgpu-kesco %t.m1.o %t.s1.o -o %t.kesco
// RUN: for size in "66 60" "3 1" "2 2"; do for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $size 6 0 || exit 1; done; done
// RUN: KESCO_MODE=lanes VGPU_STATS=%t.json %t.kesco 66 60 50 0 >/dev/null && FileCheck %s --check-prefix=STEP --input-file=%t.json
// STEP: "ordered_chain": 15{{[0-4]}},
// RUN: VGPU_TIME=1 VGPU_STATS=%t.0.json %t.serial 66 60 100 0 >%t.expected && KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.1.json %t.kesco 66 60 100 0 | diff %t.expected -
// RUN: echo `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t.0.json %t.1.json` | awk '{ exit $2 > 0.8 * $1 }'

#include <cstdio>
#include <cstdlib>

void step(double *now, double *next, int width, int height);

#if HOW != 5 || defined(is_step)
__global__ void within(double *to, const double *from, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < width - 1 && y < height - 1) {
        int at = y * width + x;
        to[at] = from[at] + 0.1 * (from[at + 1] + from[at - 1] + from[at + width] + from[at - width] - 4 * from[at]);
    }
}

__global__ void rows(double *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        to[x] = 1;
        to[(height - 1) * width + x] = 2;
    }
}

__global__ void columns(double *to, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < height) {
        to[y * width] = 3;
        to[y * width + width - 1] = 4;
    }
}

__global__ void front(double *to, int end) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end)
        to[i] = to[i] * 0.5 + i;
}

__global__ void back(double *to, int from, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[from + i] = to[from + i] * 0.25 + i;
}

__global__ void keep(double *to, const double *from, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

#define SOLVE(now, next, width, height, steps)                                                                               \
    for (int step = 0; step < steps; step++) {                                                                                     \
        within<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(next, now, width, height);                           \
        rows<<<(width + 63) / 64, 64>>>(next, width, height);                                                                       \
        columns<<<(height + 63) / 64, 64>>>(next, width, height);                                                                  \
        keep<<<(width * height + 63) / 64, 64>>>(now, next, width * height);                                                       \
    }

#endif

#ifdef is_step
void step(double *now, double *next, int width, int height) {
    SOLVE(now, next, width, height, 1)
}
#else
#if HOW != 5
struct Solver {
    double *now, *next;
    int width, height;
    __attribute__((noinline)) void solve(int steps) { SOLVE(now, next, width, height, steps) }
};

__attribute__((noinline)) void solve(double *now, double *next, int width, int height, int steps) {
    SOLVE(now, next, width, height, steps)
}

#endif

int main(int, char **argv) {
    const int width = atoi(argv[1]), height = atoi(argv[2]), steps = atoi(argv[3]);
    const size_t bytes = sizeof(double) * width * height;
    double *now, *next, *host = (double *)malloc(bytes), sum = 0;
    for (int i = 0; i < width * height; i++)
        host[i] = i % 7;
    ALLOCATE((void **)&now, bytes);
    ALLOCATE((void **)&next, bytes);
    cudaMemcpy(now, host, bytes, cudaMemcpyDefault);
    cudaMemcpy(next, host, bytes, cudaMemcpyDefault);
#if HOW == 1
    SOLVE(now, next, width, height, steps)
#elif HOW == 2
    void (*volatile how)(double *, double *, int, int, int) = solve;
    how(now, atoi(argv[4]) ? now : next, width, height, steps);
#elif HOW == 3
    Solver solver = {now, next, width, height}, *volatile at = &solver;
    at->solve(steps);
#elif HOW == 5
    for (int i = 0; i < steps; i++)
        step(now, next, width, height);
#else
    for (int step = 0; step < steps; step++) {
        front<<<2, 64>>>(now, width);
        back<<<2, 64>>>(now, height, 40);
        keep<<<2, 64>>>(next, now, width * height);
    }
#endif
    cudaMemcpy(host, now, bytes, cudaMemcpyDefault);
    for (int i = 0; i < width * height; i++)
        sum += host[i] * (i % 13);
    return printf("%.9g\n", sum) < 0;
}
#endif
