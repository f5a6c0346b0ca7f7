#include "runtime/region/span.h"

#include "runtime/call.h"

#include <stddef.h>

/* The events are there, and those of the current device. */
static bool has_events(const struct kesco_span *span) {
    bool gone;
    int device;

    return span->begin != NULL && cudaGetDevice(&device) == cudaSuccess && device == span->witness.device &&
           kesco_witness_ask(&span->witness, &gone) == cudaSuccess && !gone;
}

/* Those of another device are given up, as are those that went with a device that was reset. */
static bool make_events(struct kesco_span *span) {
    cudaEvent_t begin, end;

    span->begin = NULL;
    if (kesco_witness_choose_current(&span->witness) != cudaSuccess || cudaEventCreate(&begin) != cudaSuccess)
        return false;
    if (cudaEventCreate(&end) != cudaSuccess) {
        cudaEventDestroy(begin);
        return false;
    }
    span->begin = begin;
    span->end = end;
    return true;
}

static bool record(cudaEvent_t event, cudaStream_t origin) {
    return cudaEventRecord(event, origin) == cudaSuccess;
}

static bool begin(struct kesco_span *span, cudaStream_t origin) {
    return !kesco_call_is_captured(origin) && (has_events(span) || make_events(span)) &&
           record(span->begin, origin);
}

static cudaStream_t stream_of(cudaStream_t origin) {
    return origin != NULL ? origin : cudaStreamLegacy;
}

bool kesco_span_begin(struct kesco_span *span, cudaStream_t origin) {
    enum cudaStreamCaptureMode mode;

    if (span->state != KESCO_SPAN_NONE || cudaPeekAtLastError() != cudaSuccess)
        return false;
    mode = kesco_call_relax();
    if (begin(span, stream_of(origin)))
        span->state = KESCO_SPAN_BEGUN;
    kesco_call_unrelax(mode);
    cudaGetLastError();
    return span->state == KESCO_SPAN_BEGUN;
}

void kesco_span_end(struct kesco_span *span, cudaStream_t origin) {
    enum cudaStreamCaptureMode mode;

    if (span->state != KESCO_SPAN_BEGUN)
        return;
    span->state = KESCO_SPAN_NONE;
    if (cudaPeekAtLastError() != cudaSuccess)
        return;
    mode = kesco_call_relax();
    if (has_events(span) && record(span->end, stream_of(origin)))
        span->state = KESCO_SPAN_ENDED;
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

void kesco_span_await(const struct kesco_span *span) {
    enum cudaStreamCaptureMode mode;

    if (span->state != KESCO_SPAN_ENDED || !has_events(span) || cudaPeekAtLastError() != cudaSuccess)
        return;
    mode = kesco_call_relax();
    cudaEventSynchronize(span->end);
    kesco_call_unrelax(mode);
    cudaGetLastError();
}

void kesco_span_give_up(struct kesco_span *span) {
    if (span->state == KESCO_SPAN_BEGUN)
        span->state = KESCO_SPAN_NONE;
}

bool kesco_span_was_idle(struct kesco_span *span) {
    enum cudaStreamCaptureMode mode;
    cudaError_t answer = cudaErrorUnknown;

    if (span->state != KESCO_SPAN_BEGUN)
        return false;
    if (cudaPeekAtLastError() == cudaSuccess) {
        mode = kesco_call_relax();
        answer = has_events(span) ? cudaEventQuery(span->begin) : cudaErrorUnknown;
        kesco_call_unrelax(mode);
        cudaGetLastError();
    }
    if (answer != cudaErrorNotReady)
        span->state = KESCO_SPAN_NONE;
    return answer == cudaSuccess;
}

/* False: what is asked for is not done yet. */
static bool is_read(struct kesco_span *span, float *milliseconds) {
    *milliseconds = 0;
    return !has_events(span) ||
           cudaEventElapsedTime(milliseconds, span->begin, span->end) != cudaErrorNotReady;
}

uint64_t kesco_span_read(struct kesco_span *span) {
    enum cudaStreamCaptureMode mode;
    float milliseconds = 0;

    if (span->state != KESCO_SPAN_ENDED || cudaPeekAtLastError() != cudaSuccess)
        return 0;
    mode = kesco_call_relax();
    if (is_read(span, &milliseconds))
        span->state = KESCO_SPAN_NONE;
    kesco_call_unrelax(mode);
    cudaGetLastError();
    return milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6) : 0;
}
