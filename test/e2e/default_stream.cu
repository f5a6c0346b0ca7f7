// Beside the legacy default stream, regions make do with what is done there anyway. Whatever else the program has is ordered
// against them as against the serial program's launches: its own blocking streams before, between and behind, those of
// another thread that has been told, what comes behind launches and calls that fail, a device that is reset.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial -lpthread
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -lpthread && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
// RUN: for n in 1 2 3 4; do \
// RUN:   env VGPU_FAIL=cudaStreamSynchronize:$n %t/serial >%t/expected && \
// RUN:   sh %root/test/traps/Inputs/fail.sh %t/expected %t/kesco cudaStreamSynchronize:$n || exit 1; \
// RUN: done
// RUN: for call in cudaEventRecord cudaStreamGetId cudaStreamGetCaptureInfo cudaGetDriverEntryPointByVersion; do \
// RUN:   for n in 1 2 3 5 8; do \
// RUN:     sh %root/test/traps/Inputs/fail.sh %t/kesco.result.text %t/kesco $call:$n || exit 1; \
// RUN: done; done
// RUN: sh %root/test/traps/Inputs/fail.sh %t/kesco.result.text %t/kesco \
// RUN:   cudaGetDriverEntryPointByVersion:1,cudaGetDriverEntryPointByVersion:2
#include "../traps/Inputs/trap.h"

#include <atomic>
#include <pthread.h>

static void two(int *__restrict__ a, int *__restrict__ b) {
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
}

static void joined(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int rounds) {
    for (int i = 0; i < rounds; i++) {
        scale<<<1, N>>>(a, i + 3);
        scale<<<1, N>>>(b, i + 5);
        add<<<1, N>>>(c, a, b);
    }
}

static void forked(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c) {
    scale<<<1, N>>>(a, 3);
    add<<<1, N>>>(b, a, a);
    add<<<1, N>>>(c, a, b);
    scale<<<1, N>>>(a, 2);
}

static void exchanged(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int *__restrict__ d) {
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
    add<<<1, N>>>(c, b, a);
    add<<<1, N>>>(d, a, b);
}

// The launch in the middle, which orders what is around it, fails if the grid is empty.
static void across(int grid, int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int *__restrict__ d) {
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
    add<<<grid, N>>>(c, a, b);
    add<<<1, N>>>(a, b, c);
    add<<<1, N>>>(d, b, c);
    printf("across: %s\n", cudaGetErrorName(cudaGetLastError()));
}

// Each call may fail; then nobody has waited, and it has not acted on the stream.
static void bracketed(int *__restrict__ a, int *__restrict__ b) {
    for (int i = 0; i < 2; i++) {
        cudaError_t before = cudaStreamSynchronize(0);
        cudaGetLastError();
        scale<<<1, N>>>(a, 3);
        scale<<<1, N>>>(b, 5);
        cudaError_t behind = cudaStreamSynchronize(0);
        cudaGetLastError();
        printf("bracketed: %s, %s\n", cudaGetErrorName(before), cudaGetErrorName(behind));
    }
}

static void throwing(int *__restrict__ a, int *__restrict__ b, int *__restrict__ c) {
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
    if (cudaPeekAtLastError() == cudaSuccess)
        throw 1;
    add<<<1, N>>>(c, a, b);
}

struct vectors {
    int *a, *b, *c, *d;
};

static struct vectors make_vectors(void) {
    struct vectors v = {allocate(), allocate(), allocate(), allocate()};
    for (int *vector : {v.a, v.b, v.c, v.d})
        fill<<<1, N>>>(vector, 1);
    return v;
}

static void use(const struct vectors &v, cudaStream_t own) {
    scale<<<1, N, 0, own>>>(v.a, 7);
    add<<<1, N, 0, own>>>(v.b, v.b, v.a);
    add<<<1, N, 0, own>>>(v.c, v.c, v.b);
    add<<<1, N, 0, own>>>(v.d, v.d, v.c);
}

static void show_all(const char *what, const struct vectors &v) {
    for (const int *vector : {v.a, v.b, v.c, v.d})
        show(what, vector);
}

static void own_stream(cudaStream_t own) {
    struct vectors v = make_vectors();
    for (int i = 0; i < 2; i++) {
        APART(use, v, own);
        APART(two, v.a, v.b);
        APART(use, v, own);
        APART(joined, v.a, v.b, v.c, 3);
        APART(use, v, own);
        APART(forked, v.a, v.b, v.c);
        APART(use, v, own);
        APART(exchanged, v.a, v.b, v.c, v.d);
        APART(use, v, own);
        APART(across, i, v.a, v.b, v.c, v.d);
        APART(use, v, own);
        APART(bracketed, v.a, v.b);
        APART(use, v, own);
        try {
            APART(throwing, v.a, v.b, v.c);
        } catch (int) {
        }
        APART(use, v, own);
    }
    show_all("own stream", v);
}

static std::atomic<int> stage;
static struct vectors shared;

static void *beside(void *) {
    cudaStream_t own;
    CHECK(cudaStreamCreate(&own));
    while (stage != 1)
        ;
    use(shared, own);
    stage = 2;
    while (stage != 3)
        ;
    use(shared, own);
    stage = 4;
    return NULL;
}

// The other thread works behind the call before the region, and before the call behind it.
static void hand_over(int *__restrict__ a, int *__restrict__ b) {
    CHECK(cudaDeviceSynchronize());
    stage = 1;
    while (stage != 2)
        ;
    scale<<<1, N>>>(a, 3);
    scale<<<1, N>>>(b, 5);
    stage = 3;
    while (stage != 4)
        ;
    CHECK(cudaDeviceSynchronize());
}

static void two_threads(void) {
    pthread_t thread;
    shared = make_vectors();
    pthread_create(&thread, NULL, beside, NULL);
    APART(hand_over, shared.a, shared.b);
    pthread_join(thread, NULL);
    show_all("two threads", shared);
}

// The device is reset between a region and the call that the next one relies on.
static void resets(void) {
    for (int i = 0; i < 3; i++) {
        struct vectors v = make_vectors();
        CHECK(cudaDeviceSynchronize());
        two(v.a, v.b);
        CHECK(cudaDeviceSynchronize());
        two(v.a, v.c);
        show_all("reset", v);
        CHECK(cudaDeviceReset());
    }
}

int main(void) {
    cudaStream_t own;
    CHECK(cudaStreamCreate(&own));
    own_stream(own);
    two_threads();
    resets();
    CHECK(cudaGetLastError());
    return 0;
}
