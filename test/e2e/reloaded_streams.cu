// Streams in members are loaded anew behind asynchronous copies, and count as one: the ops run side by side. Where a copy has put
// another stream there after all, the program's next ops go to that.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 1 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   sh %compare 12 %t/serial %t/kesco || exit 1; \
// RUN:   sh %compare 12 %t/serial %t/kesco changed || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 | grep -c 'region begins: 4 lanes' | grep -x 6 || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco changed 2>&1 | grep -c 'region begins: 4 lanes' | grep -x 12 || exit 1; \
// RUN: done

#include <cstdio>

enum { N = 64, BYTES = N * sizeof(int) };

static __global__ void scale(int *out, const int *a, int f) { out[threadIdx.x] = a[threadIdx.x] * f; }

// What the host has of a piece of work; the copy to it may change where the next goes.
struct State {
    cudaStream_t stream;
    int result;
};

struct Worker {
    State state;
    State *next; // on the device
    int *a, *b, *c, *d, *from, *to;

    Worker(cudaStream_t stream, cudaStream_t then) : state{stream, 0} {
        const State changed = {then, 7};
        cudaMalloc(&next, sizeof *next);
        for (int **buffer : {&a, &b, &c, &d})
            cudaMalloc(buffer, BYTES);
        cudaMallocHost(&from, BYTES);
        cudaMallocHost(&to, 2 * BYTES);
        for (int i = 0; i < N; i++)
            from[i] = i;
        cudaMemcpy(next, &changed, sizeof changed, cudaMemcpyHostToDevice);
        cudaDeviceSynchronize();
    }

    // CHECK: "name": "Worker::run(int)", "lanes": 4,
    // CHECK: "region": 0
    // CHECK-NOT: "region": 1
    void run(int turn) {
        cudaMemcpyAsync(a, from, BYTES, cudaMemcpyHostToDevice, state.stream);
        cudaMemcpyAsync(b, from, BYTES, cudaMemcpyHostToDevice, state.stream);
        scale<<<1, N, 0, state.stream>>>(c, a, turn + 1);
        cudaMemcpyAsync(&state, next, sizeof state, cudaMemcpyDeviceToHost, state.stream);
        scale<<<1, N, 0, state.stream>>>(d, from, turn + 2);
        cudaMemcpyAsync(to + N, d, BYTES, cudaMemcpyDeviceToHost, state.stream);
        cudaStreamSynchronize(state.stream);
        printf("%d %d", to[N + 1], state.result);
    }
};

// A function of its own, wherever it is called.
static void (Worker::*volatile run)(int) = &Worker::run;

int main(int argc, char **) {
    cudaStream_t one, two;

    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    Worker first(one, argc > 1 ? two : one), second(two, argc > 1 ? one : two);
    for (int turn = 0; turn < 3; turn++) {
        (first.*run)(turn);
        (second.*run)(turn);
        cudaDeviceSynchronize();
        first.state.stream = one;
        second.state.stream = two;
        cudaMemcpy(first.to, first.c, BYTES, cudaMemcpyDeviceToHost);
        printf(" %d\n", first.to[1]);
    }
}
