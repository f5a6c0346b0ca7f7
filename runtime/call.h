/*
 * The CUDA calls that order streams, made so that the program does not see them: where one fails, the error
 * is returned, and CUDA's last error stays as it is.
 *
 * Records and waits, of which every op may need some, are those of the driver API, which has no last error to
 * keep: its handles are the runtime API's (CUDA Runtime API, "Interactions with the CUDA Driver API"), and so
 * are the numbers of its errors. An error of earlier work that such a call returns is left to the program's
 * own next call, which returns it again, because the context is lost then. Where the driver's functions are
 * not to be had, the runtime API's are called, and their errors taken back.
 */
#ifndef KESCO_RUNTIME_CALL_H
#define KESCO_RUNTIME_CALL_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#define KESCO_CALL_PATIENCE 10 /* seconds */

/* As cuEventRecord and cuStreamWaitEvent; never given stream 0. */
struct kesco_calls {
    CUresult(CUDAAPI *record)(CUevent event, CUstream stream);
    CUresult(CUDAAPI *wait)(CUstream stream, CUevent event, unsigned flags);
};

extern struct kesco_calls kesco_calls;

/* Looks for the driver's functions: once, before other threads may use them. */
void kesco_call_prepare(void);

/* Stores a function of the driver API of CUDA 12.0 in the pointer to one at `function`, or leaves that alone
 * where there is none. */
void kesco_call_find(const char *name, void *function);

/* Takes back the error that a call of ours left; `before` is what was pending before the call. */
__attribute__((cold)) void kesco_call_take_back(cudaError_t before);

/* Records `event` after what `stream` has so far. */
static inline cudaError_t kesco_call_record(cudaEvent_t event, cudaStream_t stream) {
    return (cudaError_t)kesco_calls.record(event, stream);
}

/* Lets `stream` wait for the latest record of `event`. */
static inline cudaError_t kesco_call_wait(cudaStream_t stream, cudaEvent_t event) {
    return (cudaError_t)kesco_calls.wait(stream, event, CU_EVENT_WAIT_DEFAULT);
}

/* True for the legacy default stream. */
static inline bool kesco_call_is_legacy(cudaStream_t stream) {
    return stream == NULL || stream == cudaStreamLegacy;
}

/* True if `stream` is being captured, or cannot be asked, which may leave an error. */
bool kesco_call_is_captured(cudaStream_t stream);

/* The same; CUDA's last error stays as it is. */
bool kesco_call_may_be_captured(cudaStream_t stream);

/* The same of a region's origin: the legacy default stream, which nobody can capture, is not asked. */
bool kesco_call_origin_may_be_captured(cudaStream_t origin);

/* True if `stream` has something to do, or cannot be asked. Either may leave an error. */
bool kesco_call_is_busy(cudaStream_t stream);

/*
 * Lets the host wait for `stream` in the program's name: an error is the program's, and stays CUDA's last
 * error. Where waiting fails, the host waits for the device: if that is well, all is well, else what it
 * says is the error.
 */
cudaError_t kesco_call_wait_for(cudaStream_t stream);

/*
 * The last resort where a record or a wait failed: the host waits for all that `stream` has, or for what
 * comes before the latest record of `event` if that is not NULL, so whatever it issues from here on comes
 * after that. Where CUDA refuses even this, the host waits for the device. What is being captured cannot be
 * waited for: trying invalidates the capture, so no graph lacks the order. Returns what the device has failed
 * with, which is not left behind as an error.
 */
cudaError_t kesco_call_synchronize(cudaStream_t stream, cudaEvent_t event);

/* The host waits for the device; `error` is what that has failed with, and is not left behind. False: it
 * has not waited, because of a capture. */
bool kesco_call_wait_for_device(cudaError_t *error);

/*
 * Calls that make or ask an event spoil captures of other threads, except in the relaxed mode. Gives the mode
 * that the thread was in, to go back to.
 */
enum cudaStreamCaptureMode kesco_call_relax(void);
void kesco_call_unrelax(enum cudaStreamCaptureMode mode);

/*
 * Lets the host wait for `event` in our own name, in the relaxed mode. True: it is done, or failed. Where ops
 * wait for the host in their turn, that never comes: once waiting has taken KESCO_CALL_PATIENCE in vain, no
 * call waits any more, and what is not done then makes false.
 */
bool kesco_call_wait_patiently(cudaEvent_t event);

#endif
