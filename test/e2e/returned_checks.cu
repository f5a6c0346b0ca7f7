// Waits in loops behind which the function returns where there is an error, or goes to where it cleans up: they are put
// off, and the program's own check is made once more where the function ends, or before something else would miss the
// error. Messages, results and what is cleaned up are the serial program's.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 1 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o -fplugin-arg-kesco-sync-elision=on -Werror %s -o %t/kesco && \
// RUN:   for way in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do \
// RUN:     sh %compare 3 %t/serial %t/kesco $way -1 || exit 1; \
// RUN:     case $way in 5|9) chain=12;; 12) chain=13;; *) chain=1;; esac; \
// RUN:     VGPU_STATS=%t/stats.json %t/kesco $way -1 >/dev/null && grep "\"ordered_chain\": $chain," %t/stats.json || exit 1; \
// RUN:     for pass in 0 7 11; do for mode in serial lanes graph turns auto; do \
// RUN:       case $mode in serial|lanes|turns) seed=0;; *) seed=2;; esac; \
// RUN:       test $mode = serial && program=serial || program=kesco; \
// RUN:       status=0; KESCO_MODE=$mode VGPU_SEED=$seed %t/$program $way $pass >%t/$program.out 2>%t/$program.err || status=$?; \
// RUN:       { echo $status; cat %t/$program.out; cat %t/$program.err; } >%t/$program.all; \
// RUN:       test $mode = serial || cmp %t/serial.all %t/kesco.all || { echo $o $way $pass $mode $seed; exit 1; }; \
// RUN:     done; done; \
// RUN:   done || exit 1; \
// RUN: done || exit 1

#include <cstdio>
#include <cstdlib>

enum { N = 64, COUNT = 12 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

#define RETURN(call, value) \
    do { \
        cudaError_t error = (call); \
        if (error != cudaSuccess) { \
            fprintf(stderr, "failed: %s\n", cudaGetErrorName(error)); \
            return value; \
        } \
    } while (0)

#define LAUNCH mix<<<1, N>>>(p[i], i == failing ? 1l << 40 : 0)

__attribute__((noinline)) cudaError_t error(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH;
        RETURN(cudaGetLastError(), error);
        RETURN(cudaDeviceSynchronize(), error);
    }
    return cudaSuccess;
}

// Memory is only freed if all went well.
__attribute__((noinline)) int frees(int **p, int failing, int count) {
    int *scratch;
    RETURN(cudaMalloc(&scratch, 64), 3);
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 3);
    }
    cudaFree(scratch);
    puts("freed");
    return 0;
}

// One place cleans up.
__attribute__((noinline)) int cleans(int **p, int failing) {
    int *scratch = nullptr;
    int result = 0;
    for (int i = 0; i < COUNT; i++) {
        LAUNCH;
        cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            fprintf(stderr, "cannot: %s\n", cudaGetErrorString(error));
            result = 4;
            goto end;
        }
    }
    puts("through");
end:
    cudaFree(scratch);
    printf("cleaned %d\n", result);
    return result;
}

// The variable that it is kept in is returned.
__attribute__((noinline)) cudaError_t keeps(int **p, int failing, int count) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count; i++) {
        LAUNCH;
        if ((error = cudaDeviceSynchronize()) != cudaSuccess)
            goto end;
    }
end:
    printf("end %d\n", (int)error);
    cudaFree(nullptr);
    return error;
}

struct Note {
    const char *text;
    ~Note() { printf("%s\n", text); }
};

// What is made before the loop is taken back, and so is what is made behind it, once each.
__attribute__((noinline)) int objects(int **p, int failing) {
    Note first = {"first"};
    for (int i = 0; i < COUNT; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 5);
    }
    Note second = {"second"};
    cudaFree(nullptr);
    return 0;
}

__attribute__((noinline)) int inner(int **p, int failing, int count) {
    for (int i = 0; i < count; i++) {
        Note pass = {"pass"};
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 6);
    }
    return 0;
}

// The last error is asked for behind the wait.
__attribute__((noinline)) int asks(int **p, int failing) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH;
        cudaDeviceSynchronize();
        RETURN(cudaGetLastError(), 7);
    }
    return 0;
}

// Another wait tells nobody.
__attribute__((noinline)) bool silent(int **p, int failing, int count) {
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), false);
    }
    cudaDeviceSynchronize();
    return true;
}

// Two ways with other consequences, which end at one place.
__attribute__((noinline)) int differs(int **p, int failing, bool other) {
    if (other) {
        for (int i = 0; i < COUNT; i++) {
            LAUNCH;
            RETURN(cudaDeviceSynchronize(), 8);
        }
    } else {
        for (int i = 0; i < COUNT; i++) {
            LAUNCH;
            RETURN(cudaDeviceSynchronize(), 9);
        }
    }
    return 0;
}

// The number of the pass is returned, of which the end knows nothing.
__attribute__((noinline)) int passes(int **p, int failing, int count) {
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), i + 1);
    }
    return 0;
}

// It looks at the second wait on one way alone.
__attribute__((noinline)) int seldom(int **p, int failing, bool then) {
    for (int i = 0; i < COUNT; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 10);
    }
    cudaDeviceSynchronize();
    if (then && cudaGetLastError() != cudaSuccess)
        return 10;
    return 0;
}

// Another call takes the error for one of its own, which ends well.
__attribute__((noinline)) int takes(int **p, int failing, int count) {
    int *more;
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 11);
    }
    if (cudaMalloc(&more, 1024) != cudaSuccess)
        return 0;
    return 0;
}

static int total;

// Another wait, which tells nobody, is made at its place, since the host then reads what is in flight.
__attribute__((noinline)) int reads(int **p, int failing, int count, int *shared) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 12);
        mix<<<1, N>>>(shared, 0);
        cudaDeviceSynchronize();
        sum += shared[0];
    }
    total = sum;
    return 0;
}

// Another call may see the error first, and is dealt with in the same way.
__attribute__((noinline)) int sees(int **p, int failing, int count) {
    int *more;
    for (int i = 0; i < count; i++) {
        LAUNCH;
        RETURN(cudaDeviceSynchronize(), 13);
        RETURN(cudaMalloc(&more, 1024), 13);
    }
    RETURN(cudaMalloc(&more, 1024), 13);
    return 0;
}

static int run(int way, int **p, int failing) {
    switch (way) {
    case 0:
        return error(p, failing);
    case 1:
        return frees(p, failing, COUNT);
    case 2:
        return cleans(p, failing);
    case 3:
        return keeps(p, failing, COUNT);
    case 4:
        return objects(p, failing);
    case 5:
        return inner(p, failing, COUNT);
    case 6:
        return asks(p, failing);
    case 7:
        return silent(p, failing, COUNT);
    case 8:
        return differs(p, failing, failing == 7);
    case 9:
        return passes(p, failing, COUNT);
    case 10:
        return seldom(p, failing, failing == 7);
    case 11:
        return takes(p, failing, COUNT);
    case 12: {
        int *shared;
        cudaMallocManaged(&shared, N * sizeof(int));
        return reads(p, failing, COUNT, shared);
    }
    default:
        return sees(p, failing, COUNT);
    }
}

int main(int, char **arguments) {
    int *p[COUNT], host[N];
    for (int *&each : p) {
        cudaMalloc(&each, sizeof host);
        cudaMemset(each, 0, sizeof host);
    }
    const int result = run(atoi(arguments[1]), p, atoi(arguments[2]));
    printf("%d\n", result);
    for (int *each : p)
        if (cudaMemcpy(host, each, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
            printf("%d %d\n", host[0], host[N - 1]);
}
