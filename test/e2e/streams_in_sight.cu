// A stream that the function makes itself, or that lies in a member or a variable, and a checked wait for it behind each
// kernel: the waits are put off, and kernels on different memory overlap. Where the stream in the variable is another
// by the time of the wait, the program waits for that one.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 1 2; do \
// RUN:   %vgpu -O$o %s -o %t/serial && %vgpu-kesco -O$o -fplugin-arg-kesco-sync-elision=on %s -o %t/kesco || exit 1; \
// RUN:   for way in 0 1 2 3 4; do \
// RUN:     sh %compare 3 %t/serial %t/kesco $way -1 || exit 1; \
// RUN:     test $way = 4 || { KESCO_MODE=lanes VGPU_STATS=%t/stats.json %t/kesco $way -1 >/dev/null && \
// RUN:       grep '"ordered_chain": 8,' %t/stats.json; } || { echo $o $way; exit 1; }; \
// RUN:     for pass in 0 3 7; do for mode in serial lanes graph auto; do for seed in 0 2; do \
// RUN:       test $mode = serial && program=serial || program=kesco; \
// RUN:       KESCO_MODE=$mode VGPU_SEED=$seed VGPU_CHECK=races %t/$program $way $pass >%t/$program.out 2>/dev/null; \
// RUN:       echo "status $?" >>%t/$program.out; \
// RUN:       test $mode = serial || cmp %t/serial.out %t/kesco.out || { echo $o $way $pass $mode $seed; exit 1; }; \
// RUN:     done; done; done; \
// RUN:   done || exit 1; \
// RUN: done

#include <cstdio>
#include <cstdlib>

enum { N = 64, PASSES = 8 };

static __global__ void mix(int *out, long distance) { out[threadIdx.x + distance] = out[threadIdx.x] * 3 + 1; }

#define APART __attribute__((noinline))
#define CHECK(call) \
    do { \
        if ((call) != cudaSuccess) { \
            printf("fails\n"); \
            exit(3); \
        } \
    } while (0)

static int *buffers[3];

// The chain of one buffer is 8 long, and there are three.
#define PASS(stream, i, failing) \
    for (int *buffer : {a, b, c}) { \
        mix<<<1, N, 0, stream>>>(buffer, (i) == (failing) ? 1l << 40 : 0); \
        CHECK(cudaStreamSynchronize(stream)); \
    }

APART void local(int *a, int *b, int *c, int failing) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < PASSES; i++)
        PASS(stream, i, failing);
    CHECK(cudaStreamDestroy(stream));
}

struct Context {
    cudaStream_t stream, other;
    Context() {
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaStreamCreate(&other));
    }
    ~Context() {
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
    }
    void run(int *buffer, bool fails) {
        mix<<<1, N, 0, stream>>>(buffer, fails ? 1l << 40 : 0);
        CHECK(cudaStreamSynchronize(stream));
    }
};

APART void member(int *a, int *b, int *c, int failing) {
    Context context;
    for (int i = 0; i < PASSES; i++) {
        context.run(a, i == failing);
        context.run(b, i == failing);
        context.run(c, i == failing);
    }
}

static cudaStream_t shared;

APART void variable(int *a, int *b, int *c, int failing) {
    CHECK(cudaStreamCreate(&shared));
    for (int i = 0; i < PASSES; i++)
        PASS(shared, i, failing);
}

APART void behind_pointer(Context &context, int *a, int *b, int *c, int failing) {
    for (int i = 0; i < PASSES; i++)
        PASS(context.stream, i, failing);
}

APART void pointer(int *a, int *b, int *c, int failing) {
    Context context;
    behind_pointer(context, a, b, c, failing);
}

// Waits for what the pass before has launched. `place` is where the context has its stream.
APART void turns(Context &context, cudaStream_t *place, int *const *p, int failing) {
    cudaStream_t next = context.other;
    for (int i = 0; i < PASSES; i++) {
        const cudaStream_t before = context.stream;
        mix<<<1, N, 0, context.stream>>>(p[i], i == failing ? 1l << 40 : 0);
        *place = next;
        next = before;
        CHECK(cudaStreamSynchronize(context.stream));
        if (i > 0)
            printf("%d\n", p[i - 1][i]);
    }
}

APART void turning(int *, int *, int *, int failing) {
    Context context;
    int *p[PASSES]; // which the host reads, too
    for (int *&each : p) {
        CHECK(cudaMallocHost(&each, N * sizeof(int)));
        for (int j = 0; j < N; j++)
            each[j] = j;
    }
    turns(context, &context.stream, p, failing);
    CHECK(cudaDeviceSynchronize());
}

int main(int, char **arguments) {
    static void (*const ways[])(int *, int *, int *, int) = {local, member, variable, pointer, turning};
    int host[N];
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < N; j++)
            host[j] = k * 5 + j;
        CHECK(cudaMalloc(&buffers[k], sizeof host));
        CHECK(cudaMemcpy(buffers[k], host, sizeof host, cudaMemcpyHostToDevice));
    }
    ways[atoi(arguments[1])](buffers[0], buffers[1], buffers[2], atoi(arguments[2]));
    for (int *buffer : buffers) {
        CHECK(cudaMemcpy(host, buffer, sizeof host, cudaMemcpyDeviceToHost));
        for (int each : host)
            printf("%d\n", each);
    }
    return 0;
}
