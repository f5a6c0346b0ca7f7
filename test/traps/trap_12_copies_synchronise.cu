// Where a copy makes the host wait, host code relies on it: what it reads then, in managed or mapped memory, all launches
// before the copy have written, those too that have nothing to do with what is copied.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

// CHECK-LABEL: "name": "copy_to_the_host(int)", "lanes": 3,
// CHECK: "why": "call to 'cudaMemcpy', behind which the host may touch 'managed'
void copy_to_the_host(int rounds) {
    int *managed, *mapped, *mapped_device, *copied = allocate(), host[N];
    CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
    for (int round = 0; round < rounds; round++) {
        fill<<<1, N>>>(managed, round);
        fill<<<1, N>>>(mapped_device, 2 * round);
        fill<<<1, N>>>(copied, 3 * round);
        CHECK(cudaMemcpy(host, copied, sizeof host, cudaMemcpyDeviceToHost));
        show_host("copied", host);
        show_host("managed", managed);
        show_host("mapped", mapped);
        managed[round] = mapped[round] = 7;
        scale<<<1, N>>>(mapped_device, 2);
        scale<<<1, N>>>(managed, 3);
        CHECK(cudaMemcpy(host, copied, 4, cudaMemcpyDeviceToHost));
        show_host("managed again", managed);
        show_host("mapped again", mapped);
    }
}

// A copy from the host: the launches before it are done when it returns, and what follows comes behind it.
// CHECK-LABEL: "name": "copy_from_the_host()", "lanes": 2,
// CHECK: "why": "call to 'cudaMemcpy', behind which the host may touch 'managed'
void copy_from_the_host(void) {
    int *managed, *a = allocate(), host[N];
    CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
    for (int i = 0; i < N; i++)
        host[i] = i;
    fill<<<1, N>>>(managed, 1);
    fill<<<1, N>>>(a, 2);
    CHECK(cudaMemcpy(a, host, N / 2 * sizeof *a, cudaMemcpyHostToDevice));
    host[0] = -1;
    show_host("managed, copied from the host", managed);
    scale<<<1, N>>>(managed, 3);
    scale<<<1, N>>>(a, 5);
    CHECK(cudaDeviceSynchronize());
    show_host("managed, at the end", managed);
    show("a, at the end", a);
}

__device__ int result[N];

KESCO_OUTPUTS(0) __global__ void store_result(int value) {
    result[threadIdx.x] = value;
}

// CHECK-LABEL: "name": "copy_from_a_symbol()", "lanes": 2,
// CHECK: "why": "call to 'cudaMemcpyFromSymbol', behind which the host may touch 'managed'
void copy_from_a_symbol(void) {
    int *managed, host[N];
    CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
    fill<<<1, N>>>(managed, 1);
    store_result<<<1, N>>>(5);
    CHECK(cudaMemcpyFromSymbol(host, result, sizeof host));
    show_host("symbol", host);
    show_host("managed beside a symbol", managed);
    fill<<<1, N>>>(managed, 2);
    store_result<<<1, N>>>(6);
    CHECK(cudaMemcpyFromSymbol(host, result, sizeof host));
    show_host("managed beside a symbol, again", managed);
}

KESCO_OUTPUTS("a", "changed") __global__ void advance(int *a, int *changed, int limit) {
    if (a[threadIdx.x] < limit) {
        a[threadIdx.x]++;
        *changed = 1;
    }
}

// What the host stored before a launch is not what it finds behind the copy: the loop has more passes than one.
// CHECK-LABEL: "name": "while_managed_changes()", "lanes": 3,
// CHECK: "why": "call to 'cudaMemcpy', behind which the host may touch 'changed'
void while_managed_changes(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate(), *changed, host[N], sum = 0;
    CHECK(cudaMallocManaged(&changed, sizeof *changed));
    fill<<<1, N>>>(a, 0);
    fill<<<1, N>>>(b, 0);
    fill<<<1, N>>>(c, 0);
    do {
        *changed = 0;
        add<<<1, N>>>(b, b, a);
        add<<<1, N>>>(c, c, b);
        advance<<<1, N>>>(a, changed, 70);
        CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
        sum += host[0];
        add<<<1, N>>>(d, a, a);
        add<<<1, N>>>(b, b, a);
        add<<<1, N>>>(c, c, a);
    } while (*changed);
    printf("while it changed: %d\n", sum);
    show("b, when nothing changes", b);
    show("c, when nothing changes", c);
    show("d, when nothing changes", d);
}

// On a stream that takes no part in the default stream's order, the copy waits for the lanes; to memory that is not
// pinned, it is done when it returns.
// CHECK-LABEL: "name": "copy_on_a_stream(CUstream_st*)", "lanes": 3,
// CHECK: "why": "call to 'cudaMemcpyAsync', behind which the host may touch 'managed'
void copy_on_a_stream(cudaStream_t stream) {
    int *managed, *a = allocate(), *b = allocate(), *pinned, host[N];
    CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, N * sizeof(int)));
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    fill<<<1, N, 0, stream>>>(managed, 3);
    CHECK(cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDeviceToHost, stream));
    show_host("managed, copied on a stream", managed);
    show_host("copied on a stream", host);
    scale<<<1, N, 0, stream>>>(a, 4);
    scale<<<1, N, 0, stream>>>(b, 5);
    CHECK(cudaMemcpyAsync(pinned, b, N * sizeof *b, cudaMemcpyDeviceToHost, stream));
    scale<<<1, N, 0, stream>>>(b, 6);
    scale<<<1, N, 0, stream>>>(managed, 7);
    CHECK(cudaMemcpyAsync(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    show_host("pinned", pinned);
    show_host("managed, at the end", managed);
    show("b", b);
}

// CHECK-LABEL: "name": "setting(CUstream_st*)", "lanes": 2,
// CHECK: "kind": "memset", "name": "memset", {{.*}}"writes": ["b"]
// CHECK: "barriers": []
void setting(cudaStream_t stream) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    CHECK(cudaMemsetAsync(b, 3, N * sizeof *b, stream));
    add<<<1, N, 0, stream>>>(c, a, b);
    scale<<<1, N, 0, stream>>>(a, 4);
    CHECK(cudaStreamSynchronize(stream));
    show("set a", a);
    show("set c", c);
}

int main(void) {
    cudaStream_t own;
    CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    APART(copy_to_the_host, 3);
    APART(copy_from_the_host);
    APART(copy_from_a_symbol);
    APART(while_managed_changes);
    APART(copy_on_a_stream, (cudaStream_t)0);
    APART(copy_on_a_stream, own);
    APART(setting, (cudaStream_t)0);
    APART(setting, own);
    return 0;
}
