// Synchronising with the default stream or with one of the program's own, asking it and recording events on it cover all
// that was launched on it before, on whichever lane it runs.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

static int *allocate_managed(void) {
    int *vector;
    CHECK(cudaMallocManaged(&vector, N * sizeof *vector));
    return vector;
}

/* Two vectors that the host reads as soon as it may, and changes. */
static void look(const char *what, int *a, int *b) {
    printf("%s: ", what);
    show_host("a", a);
    show_host("   b", b);
    a[3] += 5;
    b[4] -= 6;
}

// CHECK-LABEL: "name": "stream_synchronize(CUstream_st*)", "lanes": 2,
// CHECK: "why": "call to 'cudaStreamSynchronize'
void stream_synchronize(cudaStream_t stream) {
    int *a = allocate_managed(), *b = allocate_managed();
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    CHECK(cudaStreamSynchronize(stream));
    look("synchronised", a, b);
    scale<<<1, N, 0, stream>>>(b, 3);
    scale<<<1, N, 0, stream>>>(a, 4);
    CHECK(cudaStreamSynchronize(stream));
    look("synchronised again", a, b);
}

// CHECK-LABEL: "name": "stream_query(CUstream_st*)", "lanes": 2,
// CHECK: "why": "call to 'cudaStreamQuery'"
void stream_query(cudaStream_t stream) {
    int *a = allocate_managed(), *b = allocate_managed();
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    look("asked", a, b);
    scale<<<1, N, 0, stream>>>(b, 3);
    scale<<<1, N, 0, stream>>>(a, 4);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    look("asked again", a, b);
}

// CHECK-LABEL: "name": "event(CUstream_st*)", "lanes": 2,
// CHECK: "why": "call to 'cudaEventRecord'"
void event(cudaStream_t stream) {
    int *a = allocate_managed(), *b = allocate_managed();
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    look("event", a, b);
    scale<<<1, N, 0, stream>>>(b, 3);
    scale<<<1, N, 0, stream>>>(a, 4);
    CHECK(cudaEventRecord(done, stream));
    while (cudaEventQuery(done) == cudaErrorNotReady)
        ;
    look("event again", a, b);
}

// Another stream, one that does not wait for the default stream, waits for the event; and the other way round.
// CHECK-LABEL: "name": "event_for_another_stream(CUstream_st*, CUstream_st*)", "lanes": 3,
// CHECK: "why": "call to 'cudaEventRecord'"
void event_for_another_stream(cudaStream_t stream, cudaStream_t other) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    cudaEvent_t there, back;
    CHECK(cudaEventCreate(&there));
    CHECK(cudaEventCreate(&back));
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    CHECK(cudaEventRecord(there, stream));
    CHECK(cudaStreamWaitEvent(other, there, 0));
    add<<<1, N, 0, other>>>(c, a, b);
    CHECK(cudaEventRecord(back, other));
    CHECK(cudaStreamWaitEvent(stream, back, 0));
    scale<<<1, N, 0, stream>>>(b, 3);
    scale<<<1, N, 0, stream>>>(a, 4);
    scale<<<1, N, 0, stream>>>(c, 5);
    CHECK(cudaStreamSynchronize(stream));
    show("other a", a);
    show("other b", b);
    show("other c", c);
}

// A blocking stream of the program's own waits for the default stream without being told, and the other way round.
// CHECK-LABEL: "name": "beside_a_blocking_stream(CUstream_st*)", "lanes": 2,
void beside_a_blocking_stream(cudaStream_t blocking) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N, 0, blocking>>>(c, 3);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    add<<<1, N, 0, blocking>>>(c, c, a);
    add<<<1, N, 0, blocking>>>(c, c, b);
    scale<<<1, N>>>(b, 3);
    scale<<<1, N>>>(a, 4);
    CHECK(cudaStreamSynchronize(blocking));
    show("blocking a", a);
    show("blocking b", b);
    show("blocking c", c);
}

int main(void) {
    cudaStream_t streams[3] = {0, NULL, NULL}, other;
    CHECK(cudaStreamCreate(&streams[1]));
    CHECK(cudaStreamCreateWithFlags(&streams[2], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) {
        APART(stream_synchronize, streams[i]);
        APART(stream_query, streams[i]);
        APART(event, streams[i]);
        APART(event_for_another_stream, streams[i], other);
    }
    APART(beside_a_blocking_stream, streams[1]);
    return 0;
}
