// Whichever call of the runtime fails, the program computes what it does without KeSCo, and sees its own errors and no
// others. The calls are read off the runtime's source, so that a new one is tested too; what
// the runtime calls in the program's place is the program's, and cudaStreamCreateWithPriority, which the program calls itself, is
// tested with the pool.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: %vgpu-kesco -O1 %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && FileCheck %s --input-file=%t/plan.json
// RUN: sh %compare 30 %t/serial %t/kesco refused && %t/serial >%t/expected
// RUN: %vgpu-kesco -O0 %s -o %t/kesco.0 && sh %compare 30 %t/serial %t/kesco.0 refused
// RUN: grep -oh 'cuda[A-Z][A-Za-z]*(' %root/runtime/*.[ch] %root/runtime/*/*.[ch] | tr -d '(' | sort -u | \
// RUN:   grep -vx 'cudaFree\|cudaMalloc\(Managed\|Async\|FromPoolAsync\)*\|cudaGetErrorName\|cudaGetLastError\|cudaLaunchKernel\|cudaMem\(cpy\|set\)\(Async\)*\|cudaPeekAtLastError\|cudaStreamCreateWithPriority' >%t/calls
// RUN: FileCheck %s --input-file=%t/calls --check-prefix=CALLS
// RUN: for call in $(cat %t/calls); do \
// RUN:   for number in $(seq 24); do \
// RUN:     sh %S/Inputs/fail.sh %t/expected %t/kesco "$call:$number" || exit 1; \
// RUN:   done; \
// RUN:   sh %S/Inputs/fail.sh %t/expected %t/kesco "$call:1,$call:2,$call:3,$call:4,$call:5,$call:6,$call:7" || exit 1; \
// RUN:   grep -q 'cudaErrorMemoryAllocation\|cudaErrorUnknown' %t/kesco.log || echo $call >>%t/unseen; \
// RUN: done
// RUN: FileCheck %s --input-file=%t/unseen --check-prefix=UNSEEN --implicit-check-not=cuda
// RUN: for pair in cudaEventRecord cudaStreamWaitEvent; do for number in 1 2 3 4 5 6; do \
// RUN:   sh %S/Inputs/fail.sh %t/expected %t/kesco "$pair:$number,cudaStreamSynchronize:1,cudaThreadExchangeStreamCaptureMode:5" \
// RUN:     || exit 1; \
// RUN: done; done

// CALLS: cudaEventCreateWithFlags
// CALLS: cudaEventRecord
// CALLS: cudaStreamCreateWithFlags
// CALLS: cudaStreamWaitEvent

// Those of graphs are for another mode (e2e/replay.cu). The rest are called where another has failed before, under capture, for priorities, for a profile or a trace, to prefetch, or
// for several devices; or it is the pointers that are then the reason.
// UNSEEN: cudaDeviceGetAttribute
// UNSEEN: cudaDeviceGetStreamPriorityRange
// UNSEEN: cudaDeviceSynchronize
// UNSEEN: cudaEventCreate
// UNSEEN: cudaEventDestroy
// UNSEEN: cudaEventElapsedTime
// UNSEEN: cudaEventQuery
// UNSEEN: cudaEventSynchronize
// UNSEEN: cudaGetDeviceCount
// UNSEEN: cudaGetDriverEntryPointByVersion
// UNSEEN: cudaGraphAddKernelNode
// UNSEEN: cudaGraphAddMemsetNode
// UNSEEN: cudaGraphCreate
// UNSEEN: cudaGraphDestroy
// UNSEEN: cudaGraphExecDestroy
// UNSEEN: cudaGraphExecKernelNodeSetParams
// UNSEEN: cudaGraphExecMemsetNodeSetParams
// UNSEEN: cudaGraphInstantiateWithFlags
// UNSEEN: cudaGraphKernelNodeSetAttribute
// UNSEEN: cudaGraphLaunch
// UNSEEN: cudaMemGetInfo
// UNSEEN: cudaMemPrefetchAsync
// UNSEEN: cudaPointerGetAttributes
// UNSEEN: cudaRuntimeGetVersion
// UNSEEN: cudaSetDevice
// UNSEEN: cudaStreamDestroy
// UNSEEN: cudaStreamIsCapturing
// UNSEEN: cudaStreamQuery
// UNSEEN: cudaStreamSynchronize
#include "Inputs/trap.h"

static void tell(const char *what) {
    printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()));
}

/* Memory that is not pinned is copied when the call returns. */
static void show_behind(const char *what, const int *device, cudaStream_t stream) {
    int host[N];
    CHECK(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    show_host(what, host);
}

// CHECK-LABEL: "name": "rounds(CUstream_st*, int, int)", "lanes": 3,
void rounds(cudaStream_t stream, int grid, int count) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    for (int i = 0; i < count; i++) {
        fill<<<1, N, 0, stream>>>(a, 1);
        printf("pending: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
        fill<<<grid, N, 0, stream>>>(b, 2);
        printf("pending: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
        fill<<<1, N, 0, stream>>>(c, 3);
        add<<<1, N, 0, stream>>>(a, a, b);
        tell("first sum");
        add<<<1, N, 0, stream>>>(a, a, c);
        tell("second sum");
    }
    show_behind("sums", a, stream);
}

// CHECK-LABEL: "name": "guarded(int*, int*, int*)", "lanes": 2,
// CHECK: "guards": [
// CHECK-NEXT: {"a":
void guarded(int *a, int *b, int *c) {
    fill<<<1, N>>>(a, 5);
    fill<<<1, N>>>(b, 6);
    add<<<1, N>>>(c, a, b);
    scale<<<1, N>>>(b, 2);
}

// An error that the program has not asked for yet stays where it is, and the region beside it runs in the program's order.
// CHECK-LABEL: "name": "behind_an_error(int)", "lanes": 2,
void behind_an_error(int none) {
    int *a = allocate(), *b = allocate();
    fill<<<none, N>>>(a, 1);
    CHECK(cudaMemset(b, 0, N * sizeof *b));
    fill<<<1, N>>>(a, 2);
    fill<<<1, N>>>(b, 3);
    scale<<<1, N>>>(a, 4);
    tell("behind an error");
    tell("asked again");
    fill<<<1, N>>>(b, 5);
    show("behind an error, a", a);
    show("behind an error, b", b);
}

int main(int argc, char **) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    cudaStream_t own;
    CHECK(cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, 0));
    APART(rounds, 0, 1, 2);
    APART(rounds, own, 1, 2);
    if (argc > 1) {
        APART(rounds, 0, 0, 2);
        APART(rounds, own, 0, 2);
    }
    APART(guarded, a, b, c);
    show("guarded", c);
    APART(guarded, a, a, c);
    show("guarded, the same", c);
    tell("guarded");
    APART(behind_an_error, 0);
    tell("at the end");
    return 0;
}
