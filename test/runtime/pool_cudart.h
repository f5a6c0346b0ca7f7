/*
 * A CUDA that is made up: it has two devices, hands out numbers as handles, and counts them. To be included
 * once in a program.
 */
#ifndef KESCO_TEST_RUNTIME_POOL_CUDART_H
#define KESCO_TEST_RUNTIME_POOL_CUDART_H

#include "runtime/region/pool.h"
#include "test/cmocka.h"

#include <stdint.h>

static int current_device;
static uintptr_t streams_made, events_made;
static unsigned stream_flags, event_flags;      /* of the last one made */
static uintptr_t refused_stream, refused_event; /* the number of the call that fails; 0: none */
static uintptr_t captured_stream;               /* the stream that is in a capture; 0: none */
static uintptr_t gone_streams;                  /* those up to this number went with a reset */
static unsigned long long context = 1;          /* of the current device, as far as it was reset */
static bool busy;                               /* every stream has work */
static uintptr_t queried;                       /* how often somebody asked for that */
static bool has_context = true;                 /* it was made anew since the last reset */
static cudaError_t last_error;
static int least_priority = 0, greatest_priority = -2;
static cudaError_t range_error;                /* of asking for them */
static int priorities[256];                    /* of streams, by number; those beyond are not kept */
static cudaStream_t streams[KESCO_LANES_MOST]; /* of the pool acquired last */
static enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal, creation_mode;

cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    creation_mode = mode;
    if (++streams_made == refused_stream)
        return cudaErrorMemoryAllocation;
    stream_flags = flags;
    *stream = (cudaStream_t)streams_made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    cudaError_t error = cudaStreamCreateWithFlags(stream, flags);

    if (error == cudaSuccess && streams_made < sizeof priorities / sizeof *priorities)
        priorities[streams_made] = priority;
    return error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = least_priority;
    *greatest = greatest_priority;
    return last_error = range_error;
}

const char *cudaGetErrorName(cudaError_t error) {
    return error == cudaSuccess ? "cudaSuccess" : "an error";
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    creation_mode = mode;
    if (++events_made == refused_event) {
        *event = (cudaEvent_t)(uintptr_t)-1; /* CUDA does not say that it leaves this alone */
        return cudaErrorMemoryAllocation;
    }
    event_flags = flags;
    *event = (cudaEvent_t)events_made;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *exchanged) {
    enum cudaStreamCaptureMode old = mode;

    mode = *exchanged;
    *exchanged = old;
    return cudaSuccess;
}

/* A driver crashes with a stream that is gone. */
static inline void assert_alive(cudaStream_t stream) {
    assert_true((uintptr_t)stream > gone_streams);
}

static inline void reset_device(void) {
    context++;
    gone_streams = streams_made;
    has_context = false;
}

cudaError_t cudaSetDevice(int device) {
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    assert_alive(stream);
    *status =
        (uintptr_t)stream == captured_stream ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    assert_ptr_equal(stream, cudaStreamLegacy);
    has_context = true;
    *id = 100 * context + (unsigned)current_device;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    queried++;
    assert_alive(stream);
    return busy ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

static inline struct kesco_pool *acquire_for(int device, const struct kesco_need *need) {
    struct kesco_pool *pool = NULL;

    current_device = device;
    assert_int_equal(kesco_pool_acquire(need, &pool, streams), cudaSuccess);
    assert_non_null(pool);
    assert_int_equal(pool->device, device);
    return pool;
}

static inline struct kesco_pool *acquire(int device, uint32_t count, uint32_t events) {
    const struct kesco_need need = {.streams = count, .events = events};

    return acquire_for(device, &need);
}

/* The first lane beside a stream of the program, NULL where there is none. */
static inline cudaStream_t lane_beside(unsigned long long origin, unsigned long long capture) {
    const struct kesco_need need = {
        .capture = {capture != 0, capture}, .forked = true, .origin = origin, .streams = 1, .joins = 1};
    struct kesco_pool *pool;
    cudaError_t error = kesco_pool_acquire(&need, &pool, streams);

    assert_true(error == cudaSuccess || error == cudaErrorNotReady);
    return error == cudaSuccess ? streams[0] : NULL;
}

#endif
