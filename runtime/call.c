#include "runtime/call.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static atomic_bool impatient; /* waiting took too long once */

static CUresult CUDAAPI record_by_runtime(CUevent event, CUstream stream) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaEventRecord(event, stream);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return (CUresult)error;
}

static CUresult CUDAAPI wait_by_runtime(CUstream stream, CUevent event, unsigned flags) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaStreamWaitEvent(stream, event, flags);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return (CUresult)error;
}

struct kesco_calls kesco_calls = {record_by_runtime, wait_by_runtime};

/* CUDA 12.5 is the first that has it. Later ones are to leave the other out, which is as good for functions
 * that have no newer form than that of CUDA 12.0. */
#pragma weak cudaGetDriverEntryPointByVersion
cudaError_t
older_entry_point(const char *name, void **found, unsigned long long flags,
                  enum cudaDriverEntryPointQueryResult *status) __asm__("cudaGetDriverEntryPoint");
#pragma weak older_entry_point

static cudaError_t entry_point(const char *name, void **found, enum cudaDriverEntryPointQueryResult *status) {
    if (&cudaGetDriverEntryPointByVersion != NULL)
        return cudaGetDriverEntryPointByVersion(name, found, 12000, cudaEnableLegacyStream, status);
    return &older_entry_point != NULL ? older_entry_point(name, found, cudaEnableLegacyStream, status)
                                      : cudaErrorSymbolNotFound;
}

void kesco_call_find(const char *name, void *function) {
    cudaError_t before = cudaPeekAtLastError(), error;
    enum cudaDriverEntryPointQueryResult status;
    void *found = NULL;

    error = entry_point(name, &found, &status);
    if (error != cudaSuccess)
        kesco_call_take_back(before);
    else if (status == cudaDriverEntryPointSuccess && found != NULL)
        memcpy(function, &found, sizeof found);
}

void kesco_call_prepare(void) {
    kesco_call_find("cuEventRecord", &kesco_calls.record);
    kesco_call_find("cuStreamWaitEvent", &kesco_calls.wait);
}

void kesco_call_take_back(cudaError_t before) {
    if (before == cudaSuccess)
        cudaGetLastError();
}

bool kesco_call_is_captured(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status;

    return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

bool kesco_call_may_be_captured(cudaStream_t stream) {
    const cudaError_t before = cudaPeekAtLastError();
    const bool captured = kesco_call_is_captured(stream);

    kesco_call_take_back(before);
    return captured;
}

/* Of the driver, once so many questions have been asked: it has no last error to keep, which takes two calls
 * more, but takes one to be found. */
enum { MANY_QUESTIONS = 8 };

typedef CUresult(CUDAAPI *capture_question)(CUstream stream, CUstreamCaptureStatus *status);

static _Atomic(capture_question) driver_question;
static atomic_uint questions;

static capture_question find_question(void) {
    capture_question found = atomic_load_explicit(&driver_question, memory_order_relaxed);

    if (found == NULL && atomic_fetch_add_explicit(&questions, 1, memory_order_relaxed) == MANY_QUESTIONS) {
        kesco_call_find("cuStreamIsCapturing", &found);
        atomic_store_explicit(&driver_question, found, memory_order_relaxed);
    }
    return found;
}

bool kesco_call_origin_may_be_captured(cudaStream_t origin) {
    CUstreamCaptureStatus status;
    capture_question ask;

    if (kesco_call_is_legacy(origin))
        return false;
    ask = find_question();
    if (ask == NULL)
        return kesco_call_may_be_captured(origin);
    return ask(origin, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool kesco_call_is_busy(cudaStream_t stream) {
    const enum cudaStreamCaptureMode mode = kesco_call_relax();
    const bool found = cudaStreamQuery(stream) != cudaSuccess;

    kesco_call_unrelax(mode);
    return found;
}

static bool is_of_a_capture(cudaError_t error) {
    return error == cudaErrorStreamCaptureUnsupported || error == cudaErrorStreamCaptureInvalidated;
}

cudaError_t kesco_call_wait_for(cudaStream_t stream) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaStreamSynchronize(stream);

    if (error == cudaSuccess || is_of_a_capture(error))
        return error;
    error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        return error;
    kesco_call_take_back(before);
    return cudaSuccess;
}

/* Where this or another thread captures something else, waiting is allowed by the relaxed mode only. */
cudaError_t kesco_call_synchronize(cudaStream_t stream, cudaEvent_t event) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t relaxed = cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = event != NULL ? cudaEventSynchronize(event) : cudaStreamSynchronize(stream);

    if (error != cudaSuccess && !is_of_a_capture(error))
        error = cudaDeviceSynchronize();
    if (relaxed == cudaSuccess)
        cudaThreadExchangeStreamCaptureMode(&mode);
    kesco_call_take_back(before);
    return is_of_a_capture(error) ? cudaSuccess : error;
}

bool kesco_call_wait_for_device(cudaError_t *error) {
    const cudaError_t before = cudaPeekAtLastError();
    const enum cudaStreamCaptureMode mode = kesco_call_relax();

    *error = cudaDeviceSynchronize();
    kesco_call_take_back(before);
    kesco_call_unrelax(mode);
    return !is_of_a_capture(*error);
}

/* Where that fails, nothing is left behind, and the mode is as it was. */
static void exchange(enum cudaStreamCaptureMode *mode) {
    const cudaError_t before = cudaPeekAtLastError();

    if (cudaThreadExchangeStreamCaptureMode(mode) != cudaSuccess)
        kesco_call_take_back(before);
}

enum cudaStreamCaptureMode kesco_call_relax(void) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

    exchange(&mode);
    return mode;
}

void kesco_call_unrelax(enum cudaStreamCaptureMode mode) {
    if (mode != cudaStreamCaptureModeRelaxed)
        exchange(&mode);
}

static double now(void) {
    struct timespec time;

    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

bool kesco_call_wait_patiently(cudaEvent_t event) {
    const struct timespec pause = {.tv_nsec = 20000};
    const double begin = now();

    while (cudaEventQuery(event) == cudaErrorNotReady) {
        if (impatient)
            return false;
        nanosleep(&pause, NULL);
        if (now() - begin > KESCO_CALL_PATIENCE)
            impatient = true;
    }
    return true;
}
