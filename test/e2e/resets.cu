// A program that resets its device between regions, from any thread, and as the last thing that it does: nothing that KeSCo
// made for it is touched once it is gone, in any mode, nor by what watches regions at the end of the process. To touch it
// ends the program on the virtual GPU, as it would on a real one.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial -lpthread
// RUN: %vgpu-kesco -O2 %s -o %t/kesco -lpthread
// RUN: for last in here there nowhere; do for mode in lanes auto turns graph; do \
// RUN:   VGPU_DEVICES=2 KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco $last || exit 1; \
// RUN: done; done
// RUN: for last in here there nowhere; do for mode in lanes turns; do \
// RUN:   for watch in KESCO_TRACE=%t/trace.json KESCO_PROFILE=%t/profile.json KESCO_STATS=1; do \
// RUN:     env $watch VGPU_DEVICES=2 KESCO_MODE=$mode sh %compare 2 %t/serial %t/kesco $last || { echo $watch; exit 1; }; \
// RUN: done; done; done
#include "../traps/Inputs/trap.h"

#include <cstring>
#include <pthread.h>

static void work(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int rounds) {
    for (int i = 0; i < rounds; i++) {
        scale<<<1, N>>>(a, i + 3);
        scale<<<1, N>>>(b, i + 5);
        add<<<1, N>>>(c, a, b);
    }
}

static void beside(cudaStream_t stream, int *__restrict__ a, int *__restrict__ b) {
    scale<<<1, N, 0, stream>>>(a, 3);
    scale<<<1, N, 0, stream>>>(b, 5);
    scale<<<1, N, 0, stream>>>(a, 7);
}

static int sum(const int *device) {
    int host[N], total = 0;
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host)
        total += value;
    return total;
}

static int *make(void) {
    int *memory;
    CHECK(cudaMalloc(&memory, N * sizeof *memory));
    CHECK(cudaMemset(memory, 1, N * sizeof *memory));
    return memory;
}

static void captured(cudaStream_t stream, int *a, int *b) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    beside(stream, a, b);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void all(const char *what) {
    int *a = make(), *b = make(), *c = make();
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 12; i++)
        work(a, b, c, 4);
    printf("%s: %d\n", what, sum(c));
    beside(stream, a, b);
    captured(stream, a, b);
    CHECK(cudaStreamSynchronize(stream));
    printf("%s: %d %d\n", what, sum(a), sum(b));
}

// A thread that works before a reset, and behind it.
static pthread_barrier_t turn;

static void *in_turns(void *) {
    all("thread");
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    all("thread, behind a reset");
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    return nullptr;
}

static void *reset(void *) {
    CHECK(cudaDeviceReset());
    return nullptr;
}

static void in_a_thread(void *(*run)(void *)) {
    pthread_t thread;
    pthread_create(&thread, nullptr, run, nullptr);
    pthread_join(thread, nullptr);
}

int main(int, char **arguments) {
    pthread_t thread;
    all("main");
    CHECK(cudaDeviceReset());
    all("main, behind a reset");
    pthread_barrier_init(&turn, nullptr, 2);
    pthread_create(&thread, nullptr, in_turns, nullptr);
    pthread_barrier_wait(&turn);
    CHECK(cudaDeviceReset());
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    in_a_thread(reset);
    all("main, behind another thread's reset");
    pthread_barrier_wait(&turn);
    pthread_join(thread, nullptr);
    CHECK(cudaSetDevice(1));
    all("other device");
    CHECK(cudaDeviceReset());
    CHECK(cudaSetDevice(0));
    all("first device");
    CHECK(cudaSetDevice(1));
    all("other device, behind a reset");
    CHECK(cudaSetDevice(0));
    if (strcmp(arguments[1], "here") == 0)
        CHECK(cudaDeviceReset());
    else if (strcmp(arguments[1], "there") == 0)
        in_a_thread(reset);
}
