// An object that the host fills anew in each pass of a short loop, all of which is one region: its memory is fetched for
// each pass, not for the first one alone, and the results are those of the serial program.
// RUN: for level in 1 2; do \
// RUN:   %vgpu -O$level %s -o %t.serial && %vgpu-kesco -O$level %s -o %t.kesco || exit 1; \
// RUN:   sh %compare 4 %t.serial %t.kesco && KESCO_MODE=auto sh %compare 2 %t.serial %t.kesco || exit 1; \
// RUN:   for mode in serial lanes; do \
// RUN:     env KESCO_MODE=$mode VGPU_TIME=1 VGPU_STATS=%t.json %t.kesco >%t.out && sed -n 's/.*"page_faults": \([0-9]*\).*/\1/p' %t.json; \
// RUN:   done | awk '{ faults[NR] = $1 } END { exit !(NR == 2 && 3 * faults[2] <= 2 * faults[1]) }' || exit 1; \
// RUN: done

#include <cstdio>

enum { N = 1 << 12 };

__global__ void square(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * x[i] * 0.5f;
}

__global__ void add(const float *x, const float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}

struct Solver {
    float *x, *y, *z;
    int error;

    void alloc() {
        error = cudaMallocManaged(&x, N * sizeof(float));
        error = cudaMallocManaged(&y, N * sizeof(float));
        error = cudaMallocManaged(&z, N * sizeof(float));
    }

    void fill(int pass) {
        for (int i = 0; i < N; i++) {
            x[i] = i + pass;
            y[i] = N - i;
        }
    }

    void run() {
        square<<<N / 256, 256>>>(x);
        error = cudaDeviceSynchronize();
        square<<<N / 256, 256>>>(y);
        error = cudaDeviceSynchronize();
        add<<<N / 256, 256>>>(x, y, z);
        error = cudaDeviceSynchronize();
    }
};

int main(void) {
    static Solver solver;

    solver.alloc();
    for (int pass = 0; pass < 4; pass++) {
        solver.fill(pass);
        solver.run();
        printf("%d %g\n", solver.error, solver.z[17 * pass]);
    }
    return 0;
}
