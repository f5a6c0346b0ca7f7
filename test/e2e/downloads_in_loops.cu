// Each step waits behind each kernel, looks at that, and downloads two arrays at its end. All of those waits but the first few
// are put off to the downloads, which wait and tell by themselves where there are no lanes; and what is between is replayed,
// as nothing is put off there any more.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for mode in auto turns graph lanes serial; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco 40 || exit 1; done
// RUN: for program in serial kesco; do \
// RUN:   KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.$program.json %t.$program 200 || exit 1; done
// RUN: cat %t.kesco.json | FileCheck %s
// CHECK: "syncs": {{[1-9]}},
// RUN: cat %t.serial.json %t.kesco.json | awk '/virtual_time_us/ { time[++n] = $2 + 0 } END { exit !(time[2] < 0.62 * time[1]) }'
//
// Where nothing waits between, there are graphs with lanes all the same.
// RUN: %vgpu -O2 -DNO_WAITS %s -o %t.serial.none && %vgpu-kesco -O2 -DNO_WAITS %s -o %t.none
// RUN: for mode in auto turns graph lanes; do KESCO_MODE=$mode sh %compare 3 %t.serial.none %t.none 40 || exit 1; done
// RUN: KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t.json %t.none 400 && FileCheck %s --check-prefix=GRAPHS --input-file=%t.json
// GRAPHS: "graph_launches": 3{{[0-9][0-9]}},
//
// A kernel that fails is told of in the same step, in front of a download that is refused, or that is of nothing, too.
// RUN: for mode in auto turns graph lanes; do for how in fault refused nothing; do for step in 0 30; do \
// RUN:   KESCO_MODE=$mode STATUS=3 sh %compare 1 %t.serial %t.kesco 40 $how $step || exit 1; done; done; done
// A download that is refused alone, too.
// RUN: for mode in auto lanes; do \
// RUN:   KESCO_MODE=$mode STATUS=3 sh %compare 1 %t.serial %t.kesco 40 alone 20 || exit 1; done

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SIZE = 256 };

#ifdef NO_WAITS
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

static int at;

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        cudaError_t error = (call);                                                                                  \
        if (error != cudaSuccess) {                                                                                  \
            printf("step %d: %s\n", at, cudaGetErrorName(error));                                                    \
            exit(3);                                                                                                 \
        }                                                                                                            \
    } while (0)

/* What fails writes far behind the memory. */
__global__ void relax(float *values, float by, size_t ahead) {
    const size_t i = threadIdx.x + ahead;
    values[i] = values[i] * by + threadIdx.x % 5;
}

__global__ void add(const float *a, const float *b, float *sums) {
    sums[threadIdx.x] = a[threadIdx.x] + 0.5f * b[threadIdx.x];
}

int main(int argc, char **argv) {
    const int steps = atoi(argv[1]), special = argc > 3 ? atoi(argv[3]) : -1;
    const char *how = argc > 3 ? argv[2] : "";
    const bool is_alone = strcmp(how, "alone") == 0;
    float *a, *b, *sums, first[SIZE], second[SIZE], total = 0;
    CHECK(cudaMalloc(&a, sizeof first));
    CHECK(cudaMalloc(&b, sizeof first));
    CHECK(cudaMalloc(&sums, sizeof first));
    CHECK(cudaMemset(a, 0, sizeof first));
    CHECK(cudaMemset(b, 0, sizeof first));
    for (at = 0; at < steps; at++) {
        const bool is_special = at == special;
        size_t bytes = sizeof first;
        if (is_special && (is_alone || strcmp(how, "refused") == 0))
            bytes *= 1000;
        if (is_special && strcmp(how, "nothing") == 0)
            bytes = 0;
        relax<<<1, SIZE>>>(a, 0.5f, is_special && !is_alone ? size_t(1) << 40 : 0);
        WAIT();
        relax<<<1, SIZE>>>(b, 0.25f, 0);
        WAIT();
        add<<<1, SIZE>>>(a, b, sums);
        WAIT();
        relax<<<1, SIZE>>>(sums, 0.75f, 0);
        WAIT();
        CHECK(cudaMemcpy(first, a, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(second, sums, sizeof second, cudaMemcpyDeviceToHost));
        total += first[at % SIZE] + second[at % SIZE];
    }
    printf("%a\n", total);
    return 0;
}
