// A program that does something else about an error by where it comes to light: by what a helper returned, a flag, a stage
// that a shared place looks at, a pass that is thrown or caught, work that is done instead, what is marked before the program
// goes on. A wait is put off only to a check by which
// the same follows.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o %s -o %t/kesco || exit 1; \
// RUN:   for way in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do for pass in -1 0 5 11; do for mode in serial lanes auto; do \
// RUN:     test $mode = serial && program=serial || program=kesco; \
// RUN:     KESCO_MODE=$mode VGPU_SEED=0 VGPU_CHECK=races %t/$program $way $pass >%t/$program.out 2>/dev/null; \
// RUN:     echo "status $?" >>%t/$program.out; \
// RUN:     test $mode = serial || cmp %t/serial.out %t/kesco.out || { echo $o $way $pass $mode; exit 1; }; \
// RUN:   done; done; done; \
// RUN: done
// The same follows in each stage: they overlap.
// RUN: KESCO_MODE=lanes VGPU_STATS=%t/stats.json %t/kesco 11 -1 >/dev/null && grep '"ordered_chain": 1,' %t/stats.json

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 64, COUNT = 12, HALF = 6 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

#define LAUNCH(i) mix<<<1, N>>>(p[i], (i) == failing ? 1l << 40 : 0)
#define APART __attribute__((noinline))

static int passes, state;

static bool runs(int **p, int failing, int from, int to) {
    for (int i = from; i < to; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return false;
    }
    return true;
}

APART int falls_back(int **p, int failing) {
    if (!runs(p, failing, 0, HALF)) {
        puts("on the host");
        return 1;
    }
    if (!runs(p, failing, HALF, COUNT)) {
        puts("on the host, late");
        return 2;
    }
    return 3;
}

APART int weighs(int **p, int failing) {
    return runs(p, failing, 0, 4) + 2 * runs(p, failing, 4, 8) + 4 * runs(p, failing, 8, COUNT);
}

APART int recovers(int **p, int failing) {
    if (!runs(p, failing, 0, HALF)) {
        puts("again");
        return runs(p, -1, 0, HALF) ? 33 : 34;
    }
    return runs(p, failing, HALF, COUNT);
}

APART int tells_pass(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return passes;
        passes++;
    }
    return -1;
}

APART int works_instead(int **p, int failing) {
    int sum = 0;
    for (int i = 0; i < COUNT; i += 2)
        if (!runs(p, failing, i, i + 2))
            for (int j = 0; j < 10; j++)
                sum += j;
    return sum;
}

APART int retries(int **p, int failing) {
    for (int i = 0; i < COUNT; i += 2) {
        int times = 0;
        while (!runs(p, failing, i, i + 2) && times < 3)
            times++;
        if (times == 3)
            return 40 + i;
    }
    return 0;
}

static void early() { puts("early"); }
static void late() { puts("late"); }

APART int calls(int **p, int failing) {
    void (*told)() = early;
    for (int i = 0; i < HALF; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            goto failed;
    }
    told = late;
    for (int i = HALF; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            goto failed;
    }
    return 0;
failed:
    told();
    return 9;
}

APART int throws(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            throw i;
    }
    return 0;
}

static jmp_buf back;

APART int jumps(int **p, int failing) {
    if (const int code = setjmp(back))
        return code;
    for (state = 0; state < COUNT; state++) {
        LAUNCH(state);
        if (cudaDeviceSynchronize() != cudaSuccess)
            longjmp(back, 7 + state);
    }
    return 0;
}

APART int marks(int **p, int failing) {
    for (int i = 0; i < HALF; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            goto first;
    }
    for (int i = HALF; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            goto second;
    }
    return 0;
first:
    state = 1;
    goto end;
second:
    state = 2;
end:
    fprintf(stderr, "failed\n");
    return 5;
}

APART int looks_later(int **p, int failing) {
    const bool first = runs(p, failing, 0, HALF), second = runs(p, failing, HALF, COUNT);
    if (!first)
        return 1;
    return second ? 0 : 2;
}

APART int fails_alike(int **p, int failing) {
    if (!runs(p, failing, 0, HALF))
        return 1;
    return runs(p, failing, HALF, COUNT) ? 0 : 1;
}

static std::atomic<int> errors;

APART int counts(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            errors++;
    }
    return errors;
}

static bool first_bad, second_bad;

APART int marks_stages(int **p, int failing) {
    for (int i = 0; i < HALF; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            first_bad = true;
    }
    for (int i = HALF; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            second_bad = true;
    }
    return first_bad + 2 * second_bad;
}

APART int last_good(int **p, int failing) {
    state = -1;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() == cudaSuccess)
            state = i;
    }
    return state;
}

APART int marks_passes(int **p, int failing) {
    std::vector<int> bad(COUNT);
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        if (cudaDeviceSynchronize() != cudaSuccess)
            bad[i] = 1;
    }
    int sum = 0;
    for (int each : bad)
        sum += each;
    return sum;
}

APART int first_pass(int **p, int failing) {
    int where = -1;
    cudaError_t first = cudaSuccess;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH(i);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess && where < 0) {
            where = i;
            first = error;
        }
    }
    return where + (first != cudaSuccess ? 100 : 0);
}

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        throw 1;
}

APART int catches_each(int **p, int failing) {
    int good = 0;
    for (int i = 0; i < COUNT; i++)
        try {
            LAUNCH(i);
            check(cudaDeviceSynchronize());
            good++;
        } catch (int) {
        }
    return good;
}

APART int catches_behind(int **p, int failing) {
    int i = 0;
    try {
        for (; i < COUNT; i++) {
            LAUNCH(i);
            check(cudaDeviceSynchronize());
        }
    } catch (int) {
        return i;
    }
    return -1;
}

int main(int, char **arguments) {
    static int (*const ways[])(int **, int) = {falls_back,  weighs,      recovers,       tells_pass, works_instead,
                                               retries,     calls,       throws,         jumps,      marks,
                                               looks_later, fails_alike, counts,         marks_stages, last_good,
                                               marks_passes, first_pass, catches_each,   catches_behind};
    const int way = atoi(arguments[1]), failing = atoi(arguments[2]);
    int *p[COUNT], host[N], result = 0;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < N; j++)
            host[j] = i * 5 + j;
        cudaMalloc(&p[i], sizeof host);
        cudaMemcpy(p[i], host, sizeof host, cudaMemcpyHostToDevice);
    }
    try {
        result = ways[way](p, failing);
    } catch (int pass) {
        printf("thrown in %d\n", pass);
    }
    printf("%d, state %d\n", result, state);
    for (int i = 0; i < COUNT; i++) {
        if (cudaMemcpy(host, p[i], sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) {
            puts("no data");
            return 3;
        }
        printf("%d\n", host[i]);
    }
    return 0;
}
