// Behind a wait or a download, the program asks whether its stream is done: it is, also where the opening before was timed, and
// where lanes had more than what was downloaded. By the real clock, as which openings are timed is another matter by that.
// RUN: %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for seed in 1 2 3 4; do KESCO_MODE=auto VGPU_SEED=$seed %t.kesco 1000 waits || exit 1; done | FileCheck %s
// RUN: for mode in lanes graph auto; do for seed in 1 2 3 4; do \
// RUN:   KESCO_MODE=$mode VGPU_SEED=$seed %t.kesco 30 downloads || exit 1; done; done | FileCheck %s --check-prefix=DOWNLOADS
// CHECK-COUNT-4: 0 times not done
// DOWNLOADS-COUNT-12: 0 times not done

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SIZE = 256 };

static __global__ void step(float *to, const float *from, float by) { to[threadIdx.x] = from[threadIdx.x] * by + 1; }

static void run(float *to, const float *from, float by) {
    step<<<1, SIZE>>>(to, from, by);
    cudaDeviceSynchronize();
}

static __attribute__((noinline)) void steps(float *a, float *b, float *c) {
    run(b, a, 0.5f);
    run(c, a, 0.25f);
    run(a, b, 0.125f);
    run(b, c, 0.75f);
}

static __attribute__((noinline)) float download(float *a, float *b, float *c) {
    float values[SIZE];
    step<<<1, SIZE>>>(b, a, 0.5f);
    step<<<1, SIZE>>>(c, a, 0.25f);
    cudaMemcpy(values, b, sizeof values, cudaMemcpyDeviceToHost);
    return values[SIZE - 1];
}

int main(int, char **argv) {
    const int passes = atoi(argv[1]);
    const bool waits = strcmp(argv[2], "waits") == 0;
    float *memory[3];
    int open = 0;
    for (float *&one : memory) {
        cudaMalloc(&one, SIZE * sizeof *one);
        cudaMemset(one, 0, SIZE * sizeof *one);
    }
    for (int pass = 0; pass < passes; pass++) {
        if (waits)
            steps(memory[0], memory[1], memory[2]);
        else
            download(memory[0], memory[1], memory[2]);
        open += cudaStreamQuery(nullptr) != cudaSuccess;
    }
    printf("%d times not done\n", open);
    return 0;
}
