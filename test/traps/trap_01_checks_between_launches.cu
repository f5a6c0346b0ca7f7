// Checks, timers and printing between launches keep nothing from running at once; events around them still measure all.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O1 %s -o %t/serial
// RUN: for o in 0 2; do \
// RUN:   %vgpu-kesco -O$o %s -o %t/kesco -fplugin-arg-kesco-report=%t/plan.json && \
// RUN:   FileCheck %s --input-file=%t/plan.json && sh %compare 30 %t/serial %t/kesco || exit 1; \
// RUN: done
#include "Inputs/trap.h"

#include <string.h>
#include <time.h>

#define CHECK_LAUNCH() CHECK(cudaGetLastError())

static void check_peek(const char *where) {
    cudaError_t error = cudaPeekAtLastError();
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorName(error));
    exit(EXIT_FAILURE);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

// CHECK-LABEL: "name": "checks(int)", "lanes": 3,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 3, "on": 1},
// CHECK-NEXT: {"op": 4, "on": 2}],
// CHECK-NEXT: "records": [1, 2],
// CHECK-NEXT: "guards": [],
// CHECK-NEXT: "barriers": []
void checks(int value) {
    int *a = allocate(), *b = allocate(), *c = allocate();
    char text[40];
    double begin = seconds();
    fill<<<1, N>>>(a, value);
    CHECK_LAUNCH();
    fill<<<1, N>>>(b, value + 1);
    check_peek("second launch");
    printf("two launched for %d\n", value);
    fill<<<1, N>>>(c, value + 2);
    CHECK_LAUNCH();
    snprintf(text, sizeof text, "after %s", seconds() >= begin ? "a while" : "nothing");
    puts(text);
    add<<<1, N>>>(a, a, b);
    CHECK_LAUNCH();
    memset(text, value, sizeof text);
    add<<<1, N>>>(a, a, c);
    check_peek("last launch");
    if (clock() == (clock_t)-1)
        fprintf(stderr, "no clock\n");
    show("checks", a);
}

// A check sees what the launch right before it did, and that alone.
// CHECK-LABEL: "name": "refused(int)", "lanes": 2,
void refused(int none) {
    int *a = allocate(), *b = allocate();
    fill<<<1, N>>>(a, 1);
    printf("taken: %s\n", cudaGetErrorName(cudaGetLastError()));
    fill<<<none, N>>>(b, 2);
    printf("refused: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("refused: %s\n", cudaGetErrorName(cudaGetLastError()));
    fill<<<1, N>>>(b, 3);
    printf("taken: %s\n", cudaGetErrorName(cudaGetLastError()));
    show("first", a);
    show("second", b);
}

// An event on the default stream comes behind all launches before it and before all behind it.
// CHECK-LABEL: "name": "timing()", "lanes": 2,
// CHECK: "barriers": [
// CHECK: "why": "call to 'cudaEventRecord'"
void timing(void) {
    int *a, *b;
    float first, second;
    cudaEvent_t start, middle, stop;
    CHECK(cudaMallocManaged(&a, N * sizeof *a));
    CHECK(cudaMallocManaged(&b, N * sizeof *b));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&middle));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    fill<<<1, N>>>(a, 1);
    fill<<<1, N>>>(b, 2);
    CHECK(cudaEventRecord(middle, 0));
    scale<<<1, N>>>(b, 3);
    scale<<<1, N>>>(a, 4);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    show_host("timed a", a);
    show_host("timed b", b);
    CHECK(cudaEventElapsedTime(&first, start, middle));
    CHECK(cudaEventElapsedTime(&second, middle, stop));
    printf("took %s\n", first > 0 && second > 0 ? "some time" : "no time");
}

int main(void) {
    APART(checks, 5);
    APART(refused, 0);
    APART(timing);
    return 0;
}
