#include "runtime/call.h"

#include <stdbool.h>

void kesco_call_take_back(cudaError_t before) {
    if (before == cudaSuccess)
        cudaGetLastError();
}

static bool is_of_a_capture(cudaError_t error) {
    return error == cudaErrorStreamCaptureUnsupported || error == cudaErrorStreamCaptureInvalidated;
}

cudaError_t kesco_call_wait_for(cudaStream_t stream) {
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t error = cudaStreamSynchronize(stream);

    if (error == cudaSuccess || is_of_a_capture(error) || cudaDeviceSynchronize() != cudaSuccess)
        return error;
    kesco_call_take_back(before);
    return cudaSuccess;
}

/* Where this or another thread captures something else, waiting is allowed by the relaxed mode only. */
void kesco_call_synchronize(cudaStream_t stream) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t before = cudaPeekAtLastError();
    cudaError_t relaxed = cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = cudaStreamSynchronize(stream);

    if (error != cudaSuccess && !is_of_a_capture(error))
        cudaDeviceSynchronize();
    if (relaxed == cudaSuccess)
        cudaThreadExchangeStreamCaptureMode(&mode);
    kesco_call_take_back(before);
}
