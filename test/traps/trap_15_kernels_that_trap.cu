// A kernel that traps ends all: whoever waits behind it is told, and the host sees what came before it, and nothing of what
// comes behind it. Each function has such a kernel on a lane that nobody else needs.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json || exit 1; \
// RUN:   for name in $(sed -n 's/^    SCENARIO(\(.*\)),$/\1/p' %s); do \
// RUN:     sh %compare 6 %t/serial %t/kesco $name 0 || exit 1; \
// RUN:     STATUS=3 sh %compare 16 %t/serial %t/kesco $name 1 || exit 1; \
// RUN:   done; \
// RUN:   VGPU_FAIL=cudaStreamSynchronize:1 STATUS=3 sh %compare 6 %t/serial %t/kesco copy_from_the_host 1 || exit 1; \
// RUN: done
#include "Inputs/trap.h"

#include <assert.h>
#include <string.h>

static int bad; /* what the kernels do not like: 0 for nothing */

/* The program's own check: of what a call that waits returns. */
#define REJECT(call)                                                                                         \
    do {                                                                                                     \
        cudaError_t reject_error = (call);                                                                   \
        if (reject_error != cudaSuccess) {                                                                   \
            printf("rejected at %d: %s\n", __LINE__, cudaGetErrorName(reject_error));                        \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

__global__ void check_range(const int *a, int bad) {
    assert(a[threadIdx.x] != bad);
}

__global__ void check_sum(int *sum, const int *a, int bad) {
    atomicAdd(sum, a[threadIdx.x]);
    if (bad && threadIdx.x == N - 1)
        __trap();
}

__global__ void note(int *recorder, int value) {
    *recorder = value;
}

__global__ void say(int value) {
    printf("say %d\n", value);
}

static int *allocate_mapped(int **on_device) {
    int *mapped;
    CHECK(cudaHostAlloc(&mapped, N * sizeof *mapped, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(on_device, mapped, 0));
    for (int i = 0; i < N; i++)
        mapped[i] = 0;
    return mapped;
}

/* Host memory may be looked at whatever became of the device. */
static void end(cudaError_t error, const char *what, const int *seen) {
    printf("%s: %d %d %d %d, %s\n", what, seen[0], seen[1], seen[2], seen[3], cudaGetErrorName(error));
    exit(error == cudaSuccess ? 0 : 3);
}

/* Whatever lets the host wait waits for it. */

// CHECK-LABEL: "name": "copy_to_the_host()", "lanes": 3,
// CHECK: "object": "kernel may trap"
void copy_to_the_host(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N];
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    fill<<<1, N>>>(c, 3);
    check_range<<<1, N>>>(a, bad);
    REJECT(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    show_host("accepted", host);
    scale<<<1, N>>>(c, 4);
    scale<<<1, N>>>(a, 5);
    REJECT(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    show_host("accepted", host);
}

// CHECK-LABEL: "name": "copy_from_the_host()", "lanes": 2,
// CHECK: "object": "kernel may trap"
void copy_from_the_host(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(c, 3);
    check_range<<<1, N>>>(a, bad);
    REJECT(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    printf("accepted\n");
    scale<<<1, N>>>(b, 4);
    scale<<<1, N>>>(c, 4);
    show("c", c);
    show("b", b);
}

__device__ int variable[N];

// CHECK-LABEL: "name": "copy_of_a_symbol()", "lanes": 2,
// CHECK: "object": "kernel may trap"
void copy_of_a_symbol(void) {
    int *a = allocate(), *b = allocate(), host[N] = {4, 5};
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    check_range<<<1, N>>>(a, bad);
    REJECT(cudaMemcpyToSymbol(variable, host, sizeof host));
    printf("accepted\n");
    scale<<<1, N>>>(a, 2);
    scale<<<1, N>>>(b, 2);
    show("a", a);
    show("b", b);
}

// CHECK-LABEL: "name": "copy_to_pageable_memory(CUstream_st*)", "lanes": 3,
// CHECK: "object": "kernel may trap"
void copy_to_pageable_memory(cudaStream_t stream) {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N];
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 2);
    fill<<<1, N, 0, stream>>>(c, 3);
    check_range<<<1, N, 0, stream>>>(a, bad);
    REJECT(cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDeviceToHost, stream));
    show_host("accepted", host);
    scale<<<1, N, 0, stream>>>(b, 4);
    scale<<<1, N, 0, stream>>>(c, 4);
    REJECT(cudaMemcpyAsync(host, c, sizeof host, cudaMemcpyDeviceToHost, stream));
    show_host("accepted", host);
}

// CHECK-LABEL: "name": "memset_of_managed_memory()", "lanes": 2,
// CHECK: "object": "kernel may trap"
void memset_of_managed_memory(void) {
    int *a = allocate(), *b = allocate(), *managed;
    CHECK(cudaMallocManaged(&managed, N * sizeof *managed));
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    check_range<<<1, N>>>(a, bad);
    REJECT(cudaMemset(managed, 7, N * sizeof *managed));
    show_host("accepted", managed);
    scale<<<1, N>>>(a, 4);
    scale<<<1, N>>>(b, 4);
    show("a", a);
    show("b", b);
}

/* Whatever the host can see keeps its order to it. */

// CHECK-LABEL: "name": "flight_recorder()", "lanes": 3,
void flight_recorder(void) {
    int *device, *recorder = allocate_mapped(&device), *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    note<<<1, 1>>>(device, 11);
    check_range<<<1, N>>>(a, bad);
    note<<<1, 1>>>(device + 1, 22);
    end(cudaDeviceSynchronize(), "recorded", recorder);
}

// CHECK-LABEL: "name": "managed_recorder()", "lanes": 3,
// CHECK: "object": "kernel may trap"
void managed_recorder(void) {
    int *recorder, *a = allocate(), *b = allocate();
    CHECK(cudaMallocManaged(&recorder, N * sizeof *recorder));
    memset(recorder, 0, N * sizeof *recorder);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    note<<<1, 1>>>(recorder, 11);
    check_range<<<1, N>>>(a, bad);
    note<<<1, 1>>>(recorder + 1, 22);
    end(cudaDeviceSynchronize(), "recorded", recorder);
}

// CHECK-LABEL: "name": "copies_to_pinned_memory()", "lanes": 3,
// CHECK: "object": "kernel may trap"
void copies_to_pinned_memory(void) {
    int *device, *pinned = allocate_mapped(&device), *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    fill<<<1, N>>>(c, 3);
    CHECK(cudaMemcpyAsync(pinned, b, sizeof *pinned, cudaMemcpyDeviceToHost));
    check_range<<<1, N>>>(a, bad);
    cudaMemcpyAsync(pinned + 1, b + 1, sizeof *pinned, cudaMemcpyDeviceToHost);
    end(cudaDeviceSynchronize(), "copied", pinned);
}

// CHECK-LABEL: "name": "output()", "lanes": 3,
// CHECK: "object": "kernel may trap"
void output(void) {
    int *a = allocate(), *b = allocate(), nothing[4] = {0};
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    say<<<1, 1>>>(1);
    check_range<<<1, N>>>(a, bad);
    say<<<1, 1>>>(2);
    end(cudaDeviceSynchronize(), "printed", nothing);
}

/* Of two, the first is the one that the program is told of. */

// CHECK-LABEL: "name": "first_of_two()", "lanes": 4,
// CHECK: "object": "kernel may trap"
void first_of_two(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *sum = allocate(), host[N];
    fill<<<1, N>>>(sum, 0);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    fill<<<1, N>>>(c, 1);
    check_sum<<<1, N>>>(sum, a, bad);
    check_range<<<1, N>>>(b, bad);
    REJECT(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    show_host("accepted", host);
    scale<<<1, N>>>(b, 2);
    scale<<<1, N>>>(c, 3);
    show("sum", sum);
}

/* Loops and branches. */

// CHECK-LABEL: "name": "loop(int)", "lanes": 3,
// CHECK: "object": "kernel may trap"
void loop(int rounds) {
    int *device, *recorder = allocate_mapped(&device), *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 0);
    for (int round = 0; round < rounds; round++) {
        check_range<<<1, N>>>(a, bad ? 75 : -1);
        note<<<1, 1>>>(device + round % 4, round + 1);
        fill<<<1, N>>>(a, 10 * round);
        fill<<<1, N>>>(b, round);
        add<<<1, N>>>(c, b, b);
    }
    end(cudaDeviceSynchronize(), "rounds", recorder);
}

// CHECK-LABEL: "name": "loop_that_waits(int)", "lanes": 3,
// CHECK: "object": "kernel may trap"
void loop_that_waits(int rounds) {
    int *a = allocate(), *b = allocate(), *c = allocate(), host[N];
    fill<<<1, N>>>(a, 0);
    for (int round = 0; round < rounds; round++) {
        check_range<<<1, N>>>(a, bad ? 73 : -1);
        fill<<<1, N>>>(b, round);
        fill<<<1, N>>>(c, 2 * round);
        REJECT(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
        show_host("round", host);
        fill<<<1, N>>>(a, 2 * round);
        add<<<1, N>>>(c, c, b);
    }
    show("c", c);
}

// CHECK-LABEL: "name": "branch(int)", "lanes": 4,
// CHECK: "object": "kernel may trap"
void branch(int which) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *sum = allocate(), host[N];
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    fill<<<1, N>>>(sum, 0);
    if (which)
        check_range<<<1, N>>>(a, bad);
    else
        check_sum<<<1, N>>>(sum, a, bad);
    fill<<<1, N>>>(c, 1);
    REJECT(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    show_host("accepted", host);
    scale<<<1, N>>>(b, 2);
    scale<<<1, N>>>(a, 2);
    show("b", b);
}

static void one_way(void) {
    APART(branch, 1);
}

static void the_other_way(void) {
    APART(branch, 0);
}

/* A stream that takes no part in the default stream's order. */

// CHECK-LABEL: "name": "stream_of_its_own(CUstream_st*)", "lanes": 3,
void stream_of_its_own(cudaStream_t stream) {
    int *device, *recorder = allocate_mapped(&device), *a = allocate(), *b = allocate();
    fill<<<1, N, 0, stream>>>(a, 1);
    fill<<<1, N, 0, stream>>>(b, 1);
    note<<<1, 1, 0, stream>>>(device, 11);
    check_range<<<1, N, 0, stream>>>(a, bad);
    note<<<1, 1, 0, stream>>>(device + 1, 22);
    end(cudaStreamSynchronize(stream), "recorded", recorder);
}

/* Memory of which only the run tells whether the host can see it. */

// CHECK-LABEL: "name": "arguments(int*, int*, int*, int*)", "lanes": 5,
void arguments(int *recorder, int *a, int *b, int *c) {
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    fill<<<1, N>>>(c, 1);
    note<<<1, 1>>>(recorder, 11);
    check_range<<<1, N>>>(a, bad);
    note<<<1, 1>>>(recorder + 1, 22);
}

static void mapped_argument(void) {
    int *device, *recorder = allocate_mapped(&device);
    APART(arguments, device, allocate(), allocate(), allocate());
    end(cudaDeviceSynchronize(), "recorded", recorder);
}

static void plain_argument(void) {
    int *recorder = allocate(), host[N] = {0};
    APART(arguments, recorder, allocate(), allocate(), allocate());
    end(cudaMemcpy(host, recorder, 2 * sizeof *host, cudaMemcpyDeviceToHost), "recorded", host);
}

/* Whoever goes on all the same is told again and again. */

static const char *name_of(cudaError_t error) {
    return cudaGetErrorName(error);
}

// CHECK-LABEL: "name": "go_on()", "lanes": 3,
// CHECK: "object": "kernel may trap"
void go_on(void) {
    int *a = allocate(), *b = allocate(), *c = allocate(), *d, host[N];
    fill<<<1, N>>>(c, 3);
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    check_range<<<1, N>>>(a, bad);
    cudaError_t error = cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s, %s\n", name_of(error), name_of(cudaPeekAtLastError()));
    fill<<<1, N>>>(b, 3);
    printf("%s\n", name_of(cudaGetLastError()));
    scale<<<1, N>>>(c, 4);
    printf("%s\n", name_of(cudaGetLastError()));
    printf("%s\n", name_of(cudaMalloc(&d, N)));
    printf("%s\n", name_of(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost)));
    printf("%s\n", name_of(cudaDeviceSynchronize()));
    exit(cudaGetLastError() == cudaSuccess ? 0 : 3);
}

/*
 * Behind a wait whose result nobody looks at, the error is what the next call returns. Where the program looks at that, the
 * wait stays.
 */

// CHECK-LABEL: "name": "allocation_behind_wait()",
void allocation_behind_wait(void) {
    int *a = allocate(), *b = allocate(), *c;
    fill<<<1, N>>>(a, 1);
    check_range<<<1, N>>>(a, bad);
    cudaDeviceSynchronize();
    cudaError_t error = cudaMalloc(&c, N * sizeof *c);
    fill<<<1, N>>>(b, 2);
    scale<<<1, N>>>(a, 2);
    cudaDeviceSynchronize();
    REJECT(error);
    show("b", b);
}

// CHECK-LABEL: "name": "copy_behind_wait()",
void copy_behind_wait(void) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 1);
    check_range<<<1, N>>>(a, bad);
    cudaDeviceSynchronize();
    cudaError_t error = cudaMemcpyAsync(c, b, N * sizeof *c, cudaMemcpyDeviceToDevice);
    scale<<<1, N>>>(a, 2);
    cudaDeviceSynchronize();
    REJECT(error);
    show("c", c);
}

/* The functions with parameters. */

static cudaStream_t new_stream(void) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static void pageable(void) {
    APART(copy_to_pageable_memory, new_stream());
}

static void own_stream(void) {
    APART(stream_of_its_own, new_stream());
}

static void rounds(void) {
    APART(loop, 4);
}

static void waiting_rounds(void) {
    APART(loop_that_waits, 12);
}

#define SCENARIO(name) {#name, name}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    SCENARIO(copy_to_the_host),
    SCENARIO(copy_from_the_host),
    SCENARIO(copy_of_a_symbol),
    SCENARIO(pageable),
    SCENARIO(memset_of_managed_memory),
    SCENARIO(flight_recorder),
    SCENARIO(managed_recorder),
    SCENARIO(copies_to_pinned_memory),
    SCENARIO(output),
    SCENARIO(first_of_two),
    SCENARIO(rounds),
    SCENARIO(waiting_rounds),
    SCENARIO(one_way),
    SCENARIO(the_other_way),
    SCENARIO(own_stream),
    SCENARIO(mapped_argument),
    SCENARIO(plain_argument),
    SCENARIO(allocation_behind_wait),
    SCENARIO(copy_behind_wait),
    SCENARIO(go_on),
};

/* Runs the scenario of that name, with data that its kernels do not like if the second argument is 1. */
int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    bad = argv[2][0] == '1' ? 2 : 0;
    for (const auto &scenario : scenarios)
        if (strcmp(scenario.name, argv[1]) == 0) {
            scenario.run();
            return 0;
        }
    return 2;
}
