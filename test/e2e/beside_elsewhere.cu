// Functions of another source file launch kernels that could overlap, of more arrays than are told apart ahead, and wait behind
// each. The caller's region goes through them: what they wait for is put off to its next download, and it is never slower.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DSTEPS -c -o %t.steps.serial.o && %vgpu -O$o %s -c -o %t.main.serial.o && \
// RUN:   %vgpu-kesco -O$o %s -DSTEPS -c -o %t.steps.o && %vgpu-kesco -O$o %s -c -o %t.main.o && \
// RUN:   %vgpu %t.main.serial.o %t.steps.serial.o -o %t.serial && %vgpu %t.main.o %t.steps.o -o %t.both && \
// RUN:   %vgpu %t.main.serial.o %t.steps.o -o %t.steps && %vgpu %t.main.o %t.steps.serial.o -o %t.main || exit 1; \
// RUN:   for mode in auto turns graph lanes serial; do \
// RUN:     for program in both steps main; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.$program 12 || exit 1; done; \
// RUN:     for step in 0 7; do KESCO_MODE=$mode STATUS=3 sh %compare 1 %t.serial %t.both 12 $step || exit 1; done; \
// RUN:   done; \
// RUN: done
//
// RUN: for program in serial both; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.$program.json %t.$program 40 >/dev/null || exit 1; done
// RUN: FileCheck %s --input-file=%t.both.json
// CHECK: "syncs": {{[1-6]?[0-9]}},
// RUN: cat %t.serial.json %t.both.json | awk '/virtual_time_us/ { time[++n] = $2 + 0 } END { exit !(time[2] < 0.8 * time[1]) }'
//
// RUN: env KESCO_MODE=lanes VGPU_STATS=%t.json %t.both 40 >/dev/null && FileCheck %s --check-prefix=LANES --input-file=%t.json
// LANES: "ordered_chain": {{1?[0-9][0-9]}},

#include <cstdio>
#include <cstdlib>

enum { SIZE = 256, PARTS = 3 };

struct Parts {
    float *of[PARTS], *old[PARTS];
};

struct Fields {
    Parts pressure, speed;
};

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        cudaError_t error = (call);                                                                                  \
        if (error != cudaSuccess) {                                                                                  \
            printf("%s\n", cudaGetErrorName(error));                                                                 \
            exit(3);                                                                                                 \
        }                                                                                                            \
    } while (0)

void move(const Fields *fields, float by, bool fails);
void press(const Fields *fields, float by);

#ifdef STEPS

__global__ void sum(float *to, float *old, const float *a, const float *b, float by, size_t ahead) {
    const size_t i = threadIdx.x + (threadIdx.x % 2) * ahead;
    to[i] = 0.5f * to[i] + by * (a[i] - b[i]) + old[i];
    old[i] *= 0.75f;
}

/* What fails writes far behind the memory. */
void moveOne(const Fields *fields, int at, float by, bool fails) {
    sum<<<1, SIZE>>>(fields->speed.of[at], fields->speed.old[at], fields->pressure.of[at],
                     fields->pressure.of[(at + 1) % PARTS], by, fails ? size_t(1) << 40 : 0);
    CHECK(cudaDeviceSynchronize());
}

void pressOne(const Fields *fields, int at, float by) {
    sum<<<1, SIZE>>>(fields->pressure.of[at], fields->pressure.old[at], fields->speed.of[at],
                     fields->speed.of[(at + 1) % PARTS], by, 0);
    CHECK(cudaDeviceSynchronize());
}

void move(const Fields *fields, float by, bool fails) {
    moveOne(fields, 0, by, false);
    moveOne(fields, 1, by, fails);
    moveOne(fields, 2, by, false);
}

void press(const Fields *fields, float by) {
    pressOne(fields, 0, by);
    pressOne(fields, 1, by);
    pressOne(fields, 2, by);
}

#else

static float *make(int seed) {
    float values[SIZE], *made;
    for (int i = 0; i < SIZE; i++)
        values[i] = i * seed % 7;
    CHECK(cudaMalloc(&made, sizeof values));
    CHECK(cudaMemcpy(made, values, sizeof values, cudaMemcpyHostToDevice));
    return made;
}

int main(int argc, char **argv) {
    const int steps = atoi(argv[1]), fails = argc > 2 ? atoi(argv[2]) : -1;
    Fields fields;
    float first[SIZE], second[SIZE], total = 0;
    for (int at = 0; at < PARTS; at++) {
        fields.pressure.of[at] = make(3 + at);
        fields.pressure.old[at] = make(4 + at);
        fields.speed.of[at] = make(5 + at);
        fields.speed.old[at] = make(6 + at);
    }
    for (int step = 0; step < steps; step++) {
        move(&fields, 0.25f, step == fails);
        press(&fields, 0.5f);
        CHECK(cudaMemcpy(first, fields.speed.of[step % 3], sizeof first, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(second, fields.pressure.of[step % 3], sizeof second, cudaMemcpyDeviceToHost));
        total = 0.5f * total + first[step % SIZE] + second[step % SIZE];
        printf("%d %a\n", step, total);
    }
    return 0;
}

#endif
