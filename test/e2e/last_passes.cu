// A solver in a file of its own, whose steps the program's loop counts: what would be made for its last steps, as these alone are
// left to pay for it, is not. With more steps to come, it is.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -Dis_main -c -o %t/m0.o && %vgpu -O2 %s -c -o %t/s0.o && %vgpu %t/m0.o %t/s0.o -o %t/serial
// RUN: %vgpu-kesco -O2 %s -Dis_main -c -o %t/m1.o && %vgpu-kesco -O2 %s -c -o %t/s1.o && %vgpu-kesco %t/m1.o %t/s1.o -o %t/kesco
// RUN: for steps in 7 8 9 10 11 12 13 14 40; do \
// RUN:   VGPU_TIME=1 VGPU_STATS=%t/0.json %t/serial $steps >%t/expected || exit 1; \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/1.json %t/kesco $steps | diff %t/expected - || exit 1; \
// RUN:   echo $steps `sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' %t/0.json %t/1.json`; \
// RUN: done | tee %t/times | awk '{ bad += $3 > ($1 < 40 ? 1.015 : 0.75) * $2 } END { exit bad > 0 || NR < 9 }'

enum { COUNT = 256, FIELDS = 3 };

struct Solver {
    float *next[FIELDS], *now[FIELDS];
    Solver();
    void splash(float by);
    void step(int rounds);
    float look() const;
};

#ifdef is_main
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    const int steps = atoi(argv[1]);
    Solver solver;
    for (int i = 0; i < steps; i++) {
        solver.splash(i * 0.25f);
        solver.step(10);
    }
    return printf("%d %g\n", argc, solver.look()) < 0;
}
#else
__global__ void add(float *to, float by) {
    to[threadIdx.x] += by * threadIdx.x;
}
__global__ void smooth(float *to, const float *from) {
    to[threadIdx.x] = from[threadIdx.x] * 0.5f + from[(threadIdx.x + 1) % COUNT] * 0.5f;
}

Solver::Solver() {
    for (int i = 0; i < FIELDS; i++) {
        cudaMalloc(&next[i], COUNT * sizeof(float));
        cudaMalloc(&now[i], COUNT * sizeof(float));
        cudaMemset(now[i], 0, COUNT * sizeof(float));
    }
}

void Solver::splash(float by) {
    add<<<1, COUNT>>>(now[0], by);
    add<<<1, COUNT>>>(now[1], by);
}

static void spread(float *to, float *from, int rounds) {
    for (int i = 0; i < rounds; i++) {
        smooth<<<1, COUNT>>>(to, from);
        smooth<<<1, COUNT>>>(from, to);
    }
}

void Solver::step(int rounds) {
    for (int i = 0; i < FIELDS; i++)
        spread(next[i], now[i], rounds);
    add<<<1, COUNT>>>(now[2], 0.5f);
    add<<<1, COUNT>>>(now[0], -0.5f);
}

float Solver::look() const {
    float host[COUNT], sum = 0;
    for (float *array : now) {
        cudaMemcpy(host, array, sizeof host, cudaMemcpyDeviceToHost);
        for (float value : host)
            sum += value;
    }
    return sum;
}
#endif
