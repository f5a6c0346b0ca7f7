// RUN: %vgpu-clang++ -O1 %s -o %t
// RUN: for s in 0 2; do \
// RUN:   for k in three streams waited events carried set back read written unread halves renewed readers overwritten says graph; do \
// RUN:     VGPU_SEED=$s VGPU_CHECK=races VGPU_STATS=%t.json %t $k || exit 1; \
// RUN:     echo $k $(sed -n 's/.*_chain": \([0-9]*\).*/\1/p' %t.json); \
// RUN:   done | FileCheck %s || exit 1; \
// RUN: done
// RUN: env VGPU_STATS=%t.json %t three && FileCheck --check-prefix=UNCHECKED %s <%t.json
// The longest chain of launches, as CUDA's rules order them and along what they touch.
// UNCHECKED: "ordered_chain": 12,
// UNCHECKED-NEXT: "data_chain": 0,
#include "check.h"

#include <cstring>

enum { N = 64, BYTES = N * sizeof(int) };

static __global__ void add(int *a, int value) {
    a[threadIdx.x] += value;
}

static __global__ void take(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];
}

static int *a, *b, *c;
static cudaStream_t left, right;

static bool is(const char *text, const char *kind) {
    return strcmp(text, kind) == 0;
}

/* Four launches on each of three buffers. */
static void in_turn(void) {
    for (int i = 0; i < 4; i++) {
        add<<<1, N>>>(a, i);
        add<<<1, N>>>(b, i);
        add<<<1, N>>>(c, i);
    }
}

static void on_streams(const char *kind) {
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    add<<<1, N, 0, left>>>(a, 1);
    add<<<1, N, 0, left>>>(a, 1);
    CUDA(cudaEventRecord(event, left));
    if (is(kind, "waited"))
        CUDA(cudaDeviceSynchronize());
    if (is(kind, "events"))
        CUDA(cudaStreamWaitEvent(right, event, 0));
    add<<<1, N, 0, right>>>(b, 1);
}

/* What lies between two launches on different buffers. */
static void between(const char *kind, int *managed) {
    int host[N];
    add<<<1, N>>>(a, 1);
    if (is(kind, "carried"))
        CUDA(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    if (is(kind, "set"))
        CUDA(cudaMemset(a, 0, BYTES));
    if (is(kind, "back"))
        CUDA(cudaMemcpy(host, a, BYTES, cudaMemcpyDeviceToHost));
    add<<<1, N>>>(is(kind, "set") ? a : b, 1);
    add<<<1, N>>>(managed, 1);
    CUDA(cudaDeviceSynchronize());
    if (is(kind, "read"))
        CHECK(managed[0] == 1);
    if (is(kind, "written"))
        managed[0] = 1;
    add<<<1, N>>>(is(kind, "written") ? managed : c, 1);
}

/* The two halves of a buffer, and a buffer in the place of another. */
static void parts(bool renewed) {
    add<<<1, N / 2>>>(a, 1);
    add<<<1, N / 2>>>(a + N / 2, 1);
    if (!renewed)
        return;
    CUDA(cudaFree(a));
    CUDA(cudaMalloc(&a, BYTES));
    add<<<1, N>>>(a, 1);
}

/* Two launches read a buffer; another writes it. */
static void readers(bool overwritten) {
    take<<<1, N>>>(b, a);
    take<<<1, N>>>(c, a);
    if (overwritten)
        add<<<1, N>>>(a, 1);
}

static __global__ void say(int value) {
    printf("%d\n", value);
}

static void in_a_graph(void) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
    for (int *buffer : {a, b, a})
        add<<<1, N, 0, left>>>(buffer, 1);
    CUDA(cudaStreamEndCapture(left, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CUDA(cudaGraphLaunch(exec, left));
}

// CHECK: three 12 4
// CHECK-NEXT: streams 2 2
// CHECK-NEXT: waited 3 2
// CHECK-NEXT: events 3 2
// CHECK-NEXT: carried 4 2
// CHECK-NEXT: set 4 2
// CHECK-NEXT: back 4 2
// CHECK-NEXT: read 4 2
// CHECK-NEXT: written 4 2
// CHECK-NEXT: unread 4 1
// CHECK-NEXT: halves 2 1
// CHECK-NEXT: renewed 3 1
// CHECK-NEXT: readers 2 1
// CHECK-NEXT: overwritten 3 2
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: says 3 2
// CHECK-NEXT: graph 6 4
int main(int, char **argv) {
    int *managed;
    for (int **buffer : {&a, &b, &c})
        CUDA(cudaMalloc(buffer, BYTES));
    CUDA(cudaMallocManaged(&managed, BYTES));
    for (int i = 0; i < N; i++)
        managed[i] = 0;
    CUDA(cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
    if (is(argv[1], "three"))
        in_turn();
    else if (is(argv[1], "says"))
        say<<<1, 1>>>(1), add<<<1, N>>>(a, 1), say<<<1, 1>>>(2);
    else if (is(argv[1], "graph"))
        in_a_graph();
    else if (is(argv[1], "readers") || is(argv[1], "overwritten"))
        readers(is(argv[1], "overwritten"));
    else if (is(argv[1], "halves") || is(argv[1], "renewed"))
        parts(is(argv[1], "renewed"));
    else if (is(argv[1], "streams") || is(argv[1], "waited") || is(argv[1], "events"))
        on_streams(argv[1]);
    else
        between(argv[1], managed);
    CUDA(cudaDeviceSynchronize());
    return 0;
}
