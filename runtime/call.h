/*
 * The CUDA calls that order streams, made so that the program does not see them: where one fails, the error
 * is returned and taken back from CUDA's last error, unless the program has one pending there that it has not
 * seen yet.
 */
#ifndef KESCO_RUNTIME_CALL_H
#define KESCO_RUNTIME_CALL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#define KESCO_CALL_PATIENCE 10 /* seconds */

/* Takes back the error that a call of ours left; `before` is what was pending before the call. */
__attribute__((cold)) void kesco_call_take_back(cudaError_t before);

/* Records `event` behind what `stream` has so far. */
static inline cudaError_t kesco_call_record(cudaEvent_t event, cudaStream_t stream) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaEventRecord(event, stream);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error;
}

/* Lets `stream` wait for the latest record of `event`. */
static inline cudaError_t kesco_call_wait(cudaStream_t stream, cudaEvent_t event) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaStreamWaitEvent(stream, event, 0);

    if (error != cudaSuccess)
        kesco_call_take_back(before);
    return error;
}

/*
 * Lets the host wait for `stream` in the program's name: an error is the program's, and stays CUDA's last
 * error. Where waiting fails though the device is well, the host waits for the device, and all is well.
 */
cudaError_t kesco_call_wait_for(cudaStream_t stream);

/*
 * The last resort where a record or a wait failed: the host waits for all that `stream` has, so whatever it
 * issues from here on comes after that. Where CUDA refuses even this, the host waits for the device. What is
 * being captured cannot be waited for: trying invalidates the capture, so no graph lacks the order.
 */
void kesco_call_synchronize(cudaStream_t stream);

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
