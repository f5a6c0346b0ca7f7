// A reset of the device, a change of the device and a stream under capture each change what streams and events there are.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: VGPU_DEVICES=2 %t/serial 2>&1 >/dev/null | FileCheck %s --check-prefix=SERIAL
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && VGPU_DEVICES=2 sh %compare 30 %t/serial %t/kesco && \
// RUN:   VGPU_DEVICES=2 KESCO_LOG=1 %t/kesco 2>&1 >/dev/null | \
// RUN:     FileCheck %s --check-prefix=GRAPH --implicit-check-not=serially --implicit-check-not="host waits" || exit 1; \
// RUN: done
// RUN: VGPU_DEVICES=2 %t/serial >%t/expected
// RUN: VGPU_DEVICES=2 sh %S/Inputs/fail.sh %t/expected %t/kesco cudaGetDeviceCount:1
#include "Inputs/trap.h"

// CHECK-LABEL: "name": "diamond(int*, int*, int*, int, CUstream_st*)", "lanes": 3,
void diamond(int *a, int *b, int *c, int value, cudaStream_t stream) {
    fill<<<1, N, 0, stream>>>(a, value);
    fill<<<1, N, 0, stream>>>(b, value + 1);
    fill<<<1, N, 0, stream>>>(c, value + 2);
    add<<<1, N, 0, stream>>>(a, a, b);
    add<<<1, N, 0, stream>>>(a, a, c);
}

static void run_diamond(const char *what, int value, cudaStream_t stream) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    APART(diamond, a, b, c, value, stream);
    APART(diamond, a, b, c, value + 1, stream);
    CHECK(cudaStreamSynchronize(stream));
    show(what, a);
}

static cudaStream_t new_stream(void) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
    return stream;
}

// Each reset is noticed once, and a change of the device is none.
// GRAPH: made anew
// GRAPH: made anew
// GRAPH-NOT: made anew
static void reset(void) {
    run_diamond("before the reset", 1, 0);
    run_diamond("before the reset, on a stream", 2, new_stream());
    CHECK(cudaDeviceReset());
    run_diamond("behind the reset", 3, 0);
    run_diamond("behind the reset, on a stream", 4, new_stream());
}

// CHECK-LABEL: "name": "reset_between()", "lanes": 2,
// CHECK: "why": "call to 'cudaDeviceReset'"
void reset_between(void) {
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    CHECK(cudaDeviceReset());
    a = allocate();
    b = allocate();
    fill<<<1, N>>>(a, 3);
    fill<<<1, N>>>(b, 4);
    scale<<<1, N>>>(a, 5);
    show("reset between, a", a);
    show("reset between, b", b);
}

// CHECK-LABEL: "name": "two_devices(int)", "lanes": 2,
// CHECK: "why": "call to 'cudaSetDevice'"
void two_devices(int count) {
    int *a, *b, *c, *d;
    CHECK(cudaSetDevice(0));
    a = allocate();
    b = allocate();
    CHECK(cudaSetDevice(1));
    c = allocate();
    d = allocate();
    for (int i = 0; i < count; i++) {
        CHECK(cudaSetDevice(0));
        fill<<<1, N>>>(a, i);
        fill<<<1, N>>>(b, 2 * i);
        CHECK(cudaSetDevice(1));
        fill<<<1, N>>>(c, 3 * i);
        fill<<<1, N>>>(d, 4 * i);
        CHECK(cudaSetDevice(0));
        add<<<1, N>>>(b, a, b);
        scale<<<1, N>>>(a, 5);
    }
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    show("device 0, a", a);
    show("device 0, b", b);
    CHECK(cudaSetDevice(1));
    show("device 1, c", c);
    show("device 1, d", d);
    CHECK(cudaSetDevice(0));
}

// A copy between two devices on the default stream waits for both, and both for it; one within a device does not.
// CHECK-LABEL: "name": "between_devices()", "lanes": 3,
// CHECK: "why": "call to 'cudaSetDevice'"
// GRAPH: the rest of a region runs serially: a copy of another device's memory
void between_devices(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *there;
    CHECK(cudaSetDevice(1));
    there = allocate();
    fill<<<1, N>>>(there, 1);
    CHECK(cudaSetDevice(0));
    fill<<<1, N>>>(a, 2);
    CHECK(cudaMemcpy(b, a, N * sizeof *a, cudaMemcpyDeviceToDevice));
    fill<<<1, N>>>(c, 3);
    CHECK(cudaMemcpy(b, there, N * sizeof *a, cudaMemcpyDeviceToDevice));
    fill<<<1, N>>>(a, 4);
    scale<<<1, N>>>(c, 5);
    CHECK(cudaSetDevice(1));
    scale<<<1, N>>>(there, 6);
    CHECK(cudaSetDevice(0));
    show("between devices, a", a);
    show("between devices, b", b);
    show("between devices, c", c);
}

/* Tells on stderr how many kernels the longest way through a graph has. */
static void tell_depth(cudaGraph_t graph) {
    enum { MOST = 64 };
    cudaGraphNode_t nodes[MOST], from[MOST], to[MOST];
    size_t node_count = MOST, edge_count = MOST;
    int depth[MOST], deepest = 0, kernels = 0;
    CHECK(cudaGraphGetNodes(graph, nodes, &node_count));
    CHECK(cudaGraphGetEdges(graph, from, to, NULL, &edge_count));
    for (size_t i = 0; i < node_count; i++) {
        enum cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        depth[i] = type == cudaGraphNodeTypeKernel;
        kernels += depth[i];
    }
    for (size_t round = 0; round < node_count; round++)
        for (size_t edge = 0; edge < edge_count; edge++) {
            size_t a = 0, b = 0;
            while (nodes[a] != from[edge])
                a++;
            while (nodes[b] != to[edge])
                b++;
            if (depth[b] < depth[a] + 1)
                depth[b] = depth[a] + 1;
        }
    for (size_t i = 0; i < node_count; i++)
        deepest = depth[i] > deepest ? depth[i] : deepest;
    fprintf(stderr, "graph of %d kernels, %d in a row\n", kernels, deepest);
}

/* What another stream does meanwhile is not captured. */
// SERIAL: graph of 10 kernels, 10 in a row
// SERIAL: graph of 10 kernels, 10 in a row
// GRAPH: graph of 10 kernels, 6 in a row
// GRAPH: graph of 10 kernels, 6 in a row
// GRAPH-NOT: made anew
// GRAPH: end
static void capture(enum cudaStreamCaptureMode mode, cudaStream_t stream, cudaStream_t other) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate(), *e = allocate(), *f = allocate();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaDeviceSynchronize());
    for (int round = 0; round < 2; round++) {
        CHECK(cudaStreamBeginCapture(stream, mode));
        APART(diamond, a, b, c, 10 * round, stream);
        APART(diamond, d, e, f, 20 * round, other);
        APART(diamond, a, b, c, 30 * round, stream);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaStreamSynchronize(other));
        show("beside a capture", d);
        if (round == 0)
            tell_depth(graph);
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < 3; i++)
            CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        show("captured", a);
        APART(diamond, a, b, c, 3, stream);
        scale<<<1, N, 0, stream>>>(a, 2);
        CHECK(cudaStreamSynchronize(stream));
        show("not captured", a);
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
    }
}

int main(void) {
    reset();
    APART(reset_between);
    APART(two_devices, 3);
    APART(between_devices);
    capture(cudaStreamCaptureModeGlobal, new_stream(), new_stream());
    capture(cudaStreamCaptureModeThreadLocal, new_stream(), new_stream());
    run_diamond("at the end", 5, 0);
    fprintf(stderr, "end\n");
    return 0;
}
