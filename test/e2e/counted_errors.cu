// A wait that fails is put off only to one that has the same consequence: how many failed, which was the first, and what is
// thrown are as in the serial program.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o %s -o %t/kesco || exit 1; \
// RUN:   for way in 0 1 2 3 4 5 6 7 8; do for seed in 0 1 2; do for program in serial kesco; do \
// RUN:     VGPU_SEED=$seed %t/$program $way >%t/$program.$way.out 2>/dev/null; echo "status $?" >>%t/$program.$way.out; \
// RUN:   done; cmp %t/serial.$way.out %t/kesco.$way.out || exit 1; done; done; \
// RUN: done
// RUN: cat %t/kesco.0.out %t/kesco.2.out %t/kesco.4.out %t/kesco.5.out %t/kesco.6.out %t/kesco.7.out %t/kesco.8.out | FileCheck %s
// CHECK: 2 0
// CHECK: 0 1
// CHECK: status 1
// CHECK: status 11
// CHECK: 0 2
// CHECK: 2 0
// CHECK: {{^0$}}
// CHECK-NEXT: {{^2$}}

#include <cstdio>
#include <cstdlib>

enum { N = 32 };

__global__ void set(float *values, int value) { values[threadIdx.x] = value; }
__global__ void far(float *values, long distance) { values[threadIdx.x + distance] += 1; }

struct Failure {
    int code;
};

[[gnu::noinline]] static void show(const int *failed) { printf("%d\n", *failed); }

struct Waits {
    float *a, *b;
    int count = 0, first = 0, steps = 1;
    int log[2] = {}, *next = log;
    long distance = 1l << 40;

    void sums() {
        far<<<1, N>>>(a, distance);
        count += cudaDeviceSynchronize() != cudaSuccess;
        set<<<1, N>>>(b, 2);
        count += cudaDeviceSynchronize() != cudaSuccess;
    }

    void counts() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            ++count;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            ++count;
    }

    void keeps() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess && !first)
            first = 1;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess && !first)
            first = 2;
    }

    void successes() {
        far<<<1, N>>>(a, distance);
        count += cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
        set<<<1, N>>>(b, 2);
        count += cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
    }

    void walk(int *to) {
        int step = 0;
        while (step < steps)
            step++;
        if (!*to)
            *to = step + 1;
    }

    void walks() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            walk(next);
        steps = 2;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            walk(next);
        first = log[0];
    }

    void logs() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            *next++ = 1;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            *next++ = 1;
        count = next - log;
    }

    void locals() {
        int failed[2] = {};
        show(failed);
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            failed[first]++;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            failed[first]++;
        show(failed);
    }

    void numbers() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            throw 1;
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            throw 2;
    }

    void objects() {
        far<<<1, N>>>(a, distance);
        if (cudaDeviceSynchronize() != cudaSuccess)
            throw Failure{1};
        set<<<1, N>>>(b, 2);
        if (cudaDeviceSynchronize() != cudaSuccess)
            throw Failure{2};
    }
};

int main(int, char **argv) {
    void (Waits::*volatile ways[])() = {&Waits::sums,      &Waits::counts,  &Waits::keeps,
                                        &Waits::successes, &Waits::numbers, &Waits::objects,
                                        &Waits::walks,     &Waits::logs, &Waits::locals};
    Waits waits;
    cudaMalloc(&waits.a, N * sizeof(float));
    cudaMalloc(&waits.b, N * sizeof(float));
    try {
        (waits.*ways[atoi(argv[1])])();
    } catch (int code) {
        return code;
    } catch (const Failure &failure) {
        return 10 + failure.code;
    }
    printf("%d %d\n", waits.count, waits.first);
    return 0;
}
