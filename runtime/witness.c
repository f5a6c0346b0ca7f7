#include "runtime/witness.h"

#include "runtime/call.h"

#include <pthread.h>
#include <stddef.h>

typedef CUresult(CUDAAPI *context_id_function)(CUcontext, unsigned long long *);

static context_id_function context_id; /* NULL where the driver does not have it */
static pthread_once_t context_id_once = PTHREAD_ONCE_INIT;

static void find_context_id(void) {
    kesco_call_find("cuCtxGetId", &context_id);
}

static CUresult find_id(unsigned long long *id) {
    return context_id != NULL ? context_id(NULL, id) : CUDA_ERROR_NOT_SUPPORTED;
}

/*
 * Makes the context current where the thread has none yet, or only one that is gone. Without numbers of
 * contexts, that of the default stream has to do, which is not to be asked for while a blocking stream is
 * captured.
 */
static cudaError_t make_id(int device, unsigned long long *id) {
    const cudaError_t error = cudaSetDevice(device);

    if (error != cudaSuccess || find_id(id) == CUDA_SUCCESS)
        return error;
    return cudaStreamGetId(cudaStreamLegacy, id);
}

cudaError_t kesco_witness_choose(struct kesco_witness *witness, int device) {
    cudaError_t error = cudaSuccess;

    pthread_once(&context_id_once, find_context_id);
    witness->device = device;
    if (find_id(&witness->id) != CUDA_SUCCESS)
        error = make_id(device, &witness->id);
    witness->is_chosen = error == cudaSuccess;
    return error;
}

cudaError_t kesco_witness_choose_current(struct kesco_witness *witness) {
    int device;
    const cudaError_t error = cudaGetDevice(&device);

    return error == cudaSuccess ? kesco_witness_choose(witness, device) : error;
}

bool kesco_witness_is_current(const struct kesco_witness *witness) {
    unsigned long long id = 0;

    return find_id(&id) == CUDA_SUCCESS && id == witness->id;
}

/* A context that is gone is not made anew to be asked, as the process may be about to end. */
cudaError_t kesco_witness_ask(const struct kesco_witness *witness, bool *is_gone) {
    unsigned long long id = 0;
    const CUresult result = find_id(&id);
    cudaError_t error = cudaSuccess;

    *is_gone = result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (*is_gone)
        return cudaSuccess;
    if (result != CUDA_SUCCESS)
        error = make_id(witness->device, &id);
    *is_gone = error == cudaSuccess && id != witness->id;
    return error;
}

cudaError_t kesco_witness_ask_anywhere(const struct kesco_witness *witness, bool *is_gone) {
    cudaError_t error, back;
    int device;

    *is_gone = false;
    error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    if (device == witness->device)
        return kesco_witness_ask(witness, is_gone);
    error = cudaSetDevice(witness->device);
    if (error == cudaSuccess)
        error = kesco_witness_ask(witness, is_gone);
    back = cudaSetDevice(device);
    return error != cudaSuccess ? error : back;
}

bool kesco_witness_is_there(const struct kesco_witness *witness) {
    bool is_gone;

    return witness->is_chosen && kesco_witness_ask_anywhere(witness, &is_gone) == cudaSuccess && !is_gone;
}
