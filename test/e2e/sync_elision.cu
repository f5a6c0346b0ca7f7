// Calls that synchronise are left out or moved only where that changes nothing.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: %vgpu-kesco -O2 %s -o %t/kesco -Rpass=kesco 2>&1 | FileCheck %s
// RUN: sh %compare 10 %t/serial %t/kesco
// RUN: %vgpu -O1 -DOTHER %s -o %t/serial
// RUN: %vgpu-kesco -O2 -DOTHER %s -o %t/kesco -Rpass=kesco 2>&1 | FileCheck %s
// RUN: sh %compare 10 %t/serial %t/kesco
#include "../traps/Inputs/trap.h"

// A stream under capture cannot be waited for, and where the program does not, nothing else may.
// CHECK: sync_elision.cu:[[#@LINE+5]]:13: remark: call to 'cudaDeviceSynchronize' moves to where the loop ends once it has waited here
void perhaps_synchronised(int *a, int *b, int passes, bool waits, cudaStream_t stream) {
    for (int pass = 0; pass < passes; pass++) {
        scale<<<1, N, 0, stream>>>(a, 2);
        if (waits)
            cudaDeviceSynchronize();
        scale<<<1, N, 0, stream>>>(b, 3);
    }
}

static void capture(cudaStream_t stream) {
    int *a = allocate(), *b = allocate();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    APART(perhaps_synchronised, a, b, 3, true, stream);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    APART(perhaps_synchronised, a, b, 3, false, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("a", a);
    show("b", b);
}

// What orders ops on the default stream behind those on a stream that has no part in its order.
void behind_another(int *a, int *b, int *c) {
    fill<<<1, N>>>(b, 1);
    fill<<<1, N>>>(c, 2);
    cudaDeviceSynchronize();
    add<<<1, N>>>(b, b, a);
    scale<<<1, N>>>(c, 3);
    cudaDeviceSynchronize();
}

int main(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    cudaStream_t stream;
#ifdef OTHER
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#else
    CHECK(cudaStreamCreate(&stream));
#endif
    fill<<<1, N, 0, stream>>>(a, 7);
    APART(behind_another, a, b, c);
    show("behind another, b", b);
    show("behind another, c", c);
    capture(stream);
    return 0;
}
