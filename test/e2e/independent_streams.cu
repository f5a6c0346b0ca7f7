// Streams of the program's own stay independent: no lane of one comes behind work of another, not even where host functions
// of one wait for what the host does behind the other.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for level in 0 2; do \
// RUN:   %vgpu-kesco -O$level %s -o %t/kesco -fplugin-arg-kesco-report=%t/$level.json || exit 1; \
// RUN:   FileCheck %s --input-file=%t/$level.json || exit 1; \
// RUN:   timeout 60 sh %compare 10 %t/serial %t/kesco || exit 1; \
// RUN:   KESCO_LOG=1 %t/kesco 2>&1 | grep -c 'region begins: 2 lanes' | grep -x 24 || exit 1; \
// RUN: done

#include <atomic>
#include <cstdio>

enum { N = 64 };

static __global__ void set(int *out, int v) { out[threadIdx.x] = v; }
static __global__ void scale(int *a, int f) { a[threadIdx.x] *= f; }

static std::atomic<int> let_go{0};

static void wait_for_host(void *turn) {
    while (let_go.load() < *(int *)turn)
        ;
}

struct Request {
    int *a, *b;
    cudaStream_t stream;

    explicit Request(unsigned flags) {
        cudaMalloc(&a, N * sizeof(int));
        cudaMalloc(&b, N * sizeof(int));
        cudaStreamCreateWithFlags(&stream, flags);
        cudaDeviceSynchronize();
    }
    // CHECK: "name": "Request::run(int)", "lanes": 2,
    __attribute__((noinline)) void run(int turn) {
        set<<<1, N, 0, stream>>>(a, turn);
        set<<<1, N, 0, stream>>>(b, turn + 1);
        scale<<<1, N, 0, stream>>>(a, 3);
        scale<<<1, N, 0, stream>>>(b, 5);
    }
    void show() const {
        int host[2];
        cudaMemcpyAsync(&host[0], a, sizeof *host, cudaMemcpyDeviceToHost, stream);
        cudaMemcpyAsync(&host[1], b, sizeof *host, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        printf("%d %d\n", host[0], host[1]);
    }
};

// What the first has waits until the others are done.
static void turn_around(int turn) {
    Request one(cudaStreamNonBlocking), two(cudaStreamNonBlocking), three(cudaStreamDefault);
    cudaLaunchHostFunc(one.stream, wait_for_host, &turn);
    for (int i = 0; i < 2; i++) {
        one.run(turn + i);
        two.run(turn + i);
        three.run(turn + i);
    }
    two.show();
    three.show();
    let_go.store(turn);
    one.show();
    cudaStreamDestroy(one.stream);
    cudaStreamDestroy(two.stream);
    cudaStreamDestroy(three.stream);
}

int main() {
    for (int turn = 1; turn <= 4; turn++)
        turn_around(turn);
}
