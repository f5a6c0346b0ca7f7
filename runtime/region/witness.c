#include "runtime/region/witness.h"

cudaError_t kesco_witness_choose(struct kesco_witness *witness, cudaStream_t stream) {
    const cudaStream_t named = stream != NULL ? stream : cudaStreamLegacy;
    const cudaError_t error = cudaStreamGetId(named, &witness->id);

    if (error == cudaSuccess)
        witness->stream = named;
    return error;
}

static bool says_destroyed(cudaError_t error) {
    return error == cudaErrorInvalidResourceHandle || error == cudaErrorContextIsDestroyed;
}

/* A handle may be another stream's by now, a number never. */
cudaError_t kesco_witness_ask(const struct kesco_witness *witness, bool *is_gone) {
    unsigned long long id;
    const cudaError_t error = cudaStreamGetId(witness->stream, &id);

    *is_gone = error == cudaSuccess ? id != witness->id : says_destroyed(error);
    if (error == cudaSuccess || !*is_gone)
        return error;
    cudaGetLastError();
    return cudaSuccess;
}
