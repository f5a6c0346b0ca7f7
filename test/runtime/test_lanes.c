/*
 * Lanes over a CUDA that is made up here, for what the virtual GPU has not: an origin that lives on another
 * device than the current one, where events of the current device cannot be recorded.
 */
#include "runtime/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uintptr_t handles_made;
static uintptr_t dead_below; /* events up to this number are gone */
static int origin_device;
static char origin;

cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    assert_ptr_equal(stream, &origin);
    *device = origin_device;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                     size_t *count) {
    (void)stream, (void)id, (void)graph, (void)dependencies, (void)edges, (void)count;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    (void)stream;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    (void)mode;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    (void)flags;
    *stream = (cudaStream_t)++handles_made;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    (void)flags;
    *event = (cudaEvent_t)++handles_made;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    assert_ptr_equal(stream, &origin);
    return origin_device != 0 || (uintptr_t)event <= dead_below ? cudaErrorInvalidResourceHandle
                                                                : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void) {
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t error) {
    (void)error;
    return "an error";
}

static cudaError_t open_on(int device) {
    struct kesco_lanes lanes = {0};

    origin_device = device;
    return kesco_lanes_open(&lanes, (cudaStream_t)&origin, 3, 2);
}

/* The pool is as alive as before, and serves the next region. */
static void test_an_origin_elsewhere_costs_no_pool(void **state) {
    uintptr_t made;

    (void)state;
    assert_int_equal(open_on(0), cudaSuccess);
    made = handles_made;
    assert_int_equal(open_on(1), cudaErrorInvalidResourceHandle);
    assert_int_equal(open_on(0), cudaSuccess);
    assert_int_equal(handles_made, made);
}

static void test_a_dead_pool_is_made_anew(void **state) {
    uintptr_t made;

    (void)state;
    assert_int_equal(open_on(0), cudaSuccess);
    made = dead_below = handles_made;
    assert_int_equal(open_on(0), cudaSuccess);
    assert_int_equal(handles_made, made + 7); /* 2 lanes, their joins, 2 events, the point */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_origin_elsewhere_costs_no_pool),
        cmocka_unit_test(test_a_dead_pool_is_made_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
